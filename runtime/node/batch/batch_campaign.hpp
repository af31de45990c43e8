// A campaign as its store holds it, for its export and import. Private to batch/.
#pragma once

#include "actors/campaign/campaign_fold.hpp"
#include "runtime/node/batch/batch_file.hpp"
#include "store/store.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kevolve {

struct stored_campaign {
  campaign_submission submission;
  campaign_spec spec;
  std::vector<batch_event> events;
  campaign_fold fold;
};

// Reads a campaign. errc::not_found; errc::corrupt if its events are inconsistent.
result<stored_campaign> read_campaign(const store& data, const id128& campaign);

// Folds one event; `sequence` is its position in the campaign.
void fold_event(campaign_fold& f, const id128& campaign, const batch_event& e, uint64_t sequence);

// Calls `each(key, value)` for all records with the prefix.
result<void> each_record(const store& data, table where, const std::string& prefix,
                         const std::function<void(const std::string&, const std::string&)>& each);

// stands_still() returns true if such an event leaves the tree of an exported campaign unchanged, so that its results
// still fit. may_come_back() returns true if judging may add such an event.
bool stands_still(event_kind k);
bool may_come_back(event_kind k);

event_record to_record(const id128& campaign, const batch_event& e);
// Returns the event that records this step of a batch.
batch_event draft_of(const batch_record& r);

} // namespace kevolve
