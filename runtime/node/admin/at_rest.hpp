// The current status of a campaign that no process runs.
#pragma once

#include "actors/campaign/campaign_fold.hpp"
#include "runtime/node/admin/call.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace kevolve {

// Folds the campaign's events after `after` into `folded`, then calls `then`.
void fold_events(const call_ptr& c, const id128& id, const std::shared_ptr<campaign_fold>& folded,
                 std::function<void()> then, uint64_t after = 0);

// Replaces the stored statuses of unfinished campaigns, which may be out of date, by ones folded from their events.
// Then calls `then`.
void put_at_rest(const call_ptr& c, std::vector<campaign_status> all,
                 std::function<void(std::vector<campaign_status>&)> then);

} // namespace kevolve
