// Folds the changes that people have made to a running campaign. Pure.
#pragma once

#include "actors/messages/records.hpp"
#include "config/campaign.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace kevolve {

// A candidate that a person put into the tree.
struct injection {
  std::string by;
  id128 candidate;
};

struct steering {
  uint64_t serial = 0; // changes so far
  uint32_t priority = default_priority;
  bool has_budget = false; // another than the campaign file's
  steered_budget budget;
  std::set<uint64_t> pinned;
  std::set<uint64_t> banned; // each with all below it
  std::map<uint64_t, injection> injected;
  id128 origin;
  uint64_t origin_node = 0;
};

// Applies one change; false if it was applied before. A change out of order is applied, too: the recorded hash reveals
// it.
bool apply(steering& s, const steering_record& r);

// Returns a hash of the whole value, of injections only who gave them and the candidate. Records hold it, and the fold
// compares.
id128 hash_of(const steering& s);

// Applies a change to `s` and returns its record, complete but for the tree's hash.
steering_record record_change(steering& s, steering_record r);

// Returns the budget that counts: the one that a person set, else that of the campaign file.
steered_budget budget_of(const campaign_spec& spec, const steering& s);

} // namespace kevolve
