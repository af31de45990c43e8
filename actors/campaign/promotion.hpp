// Chooses a campaign's champion once a node is banned or its figures are corrected. Pure.
#pragma once

#include "actors/campaign/campaign_fold.hpp"

#include <cstdint>
#include <set>

namespace kevolve {

// Returns the best of the confirmed nodes that are neither banned nor made from a banned one; 0: the reference.
uint64_t best_allowed(const campaign_fold& f, const std::set<uint64_t>& banned);

// Returns the best of those that a final confirmation has measured; 0: none.
uint64_t best_measured(const campaign_fold& f);

// Returns the fastest node by a chain of screenings that was neither tested for promotion nor measured by a final
// confirmation; 0: none. It may be the best where every champion has turned out not to be.
uint64_t most_promising(const campaign_fold& f);

// Returns the champion under the bans in `after`.
uint64_t champion_under(const campaign_fold& f, const std::set<uint64_t>& after);

// Returns the record that promotes a confirmed node, or the reference, complete but for the tree's hash.
champion_record promotion_of(const campaign_fold& f, uint64_t index);

} // namespace kevolve
