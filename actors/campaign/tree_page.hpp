// Pages through a campaign's tree for people.
#pragma once

#include "actors/campaign/campaign_fold.hpp"
#include "actors/messages/messages.hpp"

#include <cstdint>

namespace kevolve {

// Returns at most `limit` candidates in the order of their indices, from the index `first` on. `elsewhere`: candidates
// are judged by a batch, so that those without a verdict are shown as waiting for it.
tree_page page_of_tree(const campaign_fold& f, bool elsewhere, uint64_t first, uint64_t limit);

} // namespace kevolve
