// Reads from the store what is known of the bottleneck of a campaign's best. Runs no candidate and stores nothing.
#pragma once

#include "actors/evaluation/profile_run.hpp"
#include "actors/messages/messages.hpp"
#include "actors/messages/records.hpp"
#include "config/campaign.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace kevolve {

struct stored_bounds {
  nlohmann::json diagnosis;               // of the best, by its figures alone if it has no profile; null: none
  bool profiled = false;                  // the best has a profile
  std::vector<profiling_record> profiles; // of the campaign, by_closeness()
  nlohmann::json other;                   // the nearest other candidate's diagnosis, where the best's names nothing
  std::vector<std::string> why_not;       // why the best's diagnosis names no bottleneck; empty: it names one
};

stored_bounds read_bounds(const profiling_place& place, const id128& campaign, const campaign_spec& spec,
                          const campaign_status& status, const std::vector<node_record>& nodes);

// Returns the bottleneck that the campaign knows, with the candidate and what that is to the best; null: none.
nlohmann::json bound_json(const stored_bounds& bounds, const std::vector<node_record>& nodes, uint64_t best);
// Returns the profiles that are stored: candidate, relation to the best, bottleneck, confidence.
nlohmann::json profiles_json(const stored_bounds& bounds, const std::vector<node_record>& nodes, uint64_t best);

} // namespace kevolve
