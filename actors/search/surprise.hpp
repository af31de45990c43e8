// What is too good to be taken on one screening's word. A candidate far above what it was made from, or above
// everything known, must show it again in fresh processes, on held-out shapes and other seeds (stage audit or confirm)
// before it may become a parent; no unconfirmed candidate ever becomes the best.
#pragma once

#include "actors/search/tree.hpp"

#include <vector>

namespace kevolve {

// Times its best parent's speedup; the reference counts as a parent of all.
inline constexpr double surprise_over_parent = 3.0;
// Times the best speedup that is verified.
inline constexpr double surprise_over_best = 1.5;

// The speedup from which a child of these parents is a surprise, in a campaign whose best is `best`.
double surprise_threshold(const search_tree& tree, const std::vector<uint64_t>& parents, double best);

// The best speedup shown in fresh processes; the reference's 1 is.
double best_verified(const search_tree& tree);

// Whether what a node says of itself may be built on; `best` is best_verified(). A node that failed makes no claim.
bool is_believed(const search_tree& tree, const tree_node& node, double best);

} // namespace kevolve
