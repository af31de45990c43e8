// A campaign's tree as people page through it.
#pragma once

#include "actors/campaign/campaign_fold.hpp"
#include "actors/messages/messages.hpp"

#include <cstdint>

namespace kevolve {

// Nodes by index, `first` and those behind it, at most `limit`. `elsewhere`: what is not judged yet waits for a batch.
tree_page page_of_tree(const campaign_fold& f, bool elsewhere, uint64_t first, uint64_t limit);

} // namespace kevolve
