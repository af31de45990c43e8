// Decides which figures are too good to be accepted from one screening. A candidate far above its parents, or above
// everything known, must show its figure again before it may become a parent. It is measured in fresh processes, on
// held-out shapes and other seeds (stage audit or confirm). No unconfirmed candidate ever becomes the best.
#pragma once

#include "actors/search/tree.hpp"

#include <vector>

namespace kevolve {

// This many times its best parent's speed-up is a surprise; the reference counts as a parent of all.
inline constexpr double surprise_over_parent = 3.0;
// So is this many times the best verified speed-up.
inline constexpr double surprise_over_best = 1.5;

// Returns the speed-up from which a child of these parents is a surprise: the smaller of the two limits. `parents` are
// indices of the tree; `best` is best_verified().
double surprise_threshold(const search_tree& tree, const std::vector<uint64_t>& parents, double best);

// Returns the best speed-up shown in fresh processes; at least 1, the reference's.
double best_verified(const search_tree& tree);

// Returns true if a candidate's figure may be built on; `best` is best_verified(). A failed candidate makes no claim.
bool is_believed(const tree_nodes& nodes, const tree_node& node, double best);

} // namespace kevolve
