// Who wears a campaign's promotion once a node is banned, or its figures are put right. Pure.
#pragma once

#include "actors/campaign/campaign_fold.hpp"

#include <cstdint>
#include <set>

namespace kevolve {

// The best of the confirmed nodes that are neither banned nor made from one that is; 0: the reference.
uint64_t best_allowed(const campaign_fold& f, const std::set<uint64_t>& banned);

// The best of them that a final confirmation has measured; 0: none.
uint64_t best_measured(const campaign_fold& f);

// The best of those that look faster by a chain of screenings and that no promotion has been asked of and no final
// confirmation has measured; 0: none. Where every best has turned out to be none, one of them may be.
uint64_t most_promising(const campaign_fold& f);

// Who is the champion once the bans are as in `after`.
uint64_t champion_under(const campaign_fold& f, const std::set<uint64_t>& after);

// The record that promotes a confirmed node, or the reference, complete but for the tree's hash.
champion_record promotion_of(const campaign_fold& f, uint64_t index);

} // namespace kevolve
