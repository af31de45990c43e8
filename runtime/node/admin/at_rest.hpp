// What a campaign has come to while no process runs it.
#pragma once

#include "actors/campaign/campaign_fold.hpp"
#include "runtime/node/admin/call.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace kevolve {

// Folds the campaign's events from `after` on into `folded`, then calls `then`.
void fold_events(const call_ptr& c, const id128& id, const std::shared_ptr<campaign_fold>& folded,
                 std::function<void()> then, uint64_t after = 0);

// The stored statuses are those of some event in the past; of campaigns that have not ended, `then` gets them as
// their events are now.
void put_at_rest(const call_ptr& c, std::vector<campaign_status> all,
                 std::function<void(std::vector<campaign_status>&)> then);

} // namespace kevolve
