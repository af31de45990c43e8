// Pages through a campaign's tree for people.
#pragma once

#include "actors/campaign/campaign_fold.hpp"
#include "actors/messages/messages.hpp"

#include <cstdint>

namespace kevolve {

// Returns at most `limit` nodes by index, from `first` on. `elsewhere`: unjudged nodes wait for a batch.
tree_page page_of_tree(const campaign_fold& f, bool elsewhere, uint64_t first, uint64_t limit);

} // namespace kevolve
