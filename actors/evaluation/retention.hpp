// How long raw samples are kept. Those of promoted candidates always, with the champion's and the final confirmation's
// among them; those of other candidates while they are among the newest; then a median a side and shape remains.
#pragma once

#include "actors/messages/records.hpp"

#include <cstdint>
#include <deque>
#include <set>
#include <vector>

namespace kevolve {

// The fold of a campaign's ended nodes, oldest first.
struct sample_ledger {
  std::deque<std::vector<id128>> unpromoted; // evaluations, by node
  std::set<id128> promoted;                  // evaluations that a promoted node shares
};
void count_node(sample_ledger& ledger, const node_record& r);

// Takes out the evaluations whose samples go, all but the newest `keep` nodes', at most `nodes` nodes' at a time.
std::vector<id128> take_stale(sample_ledger& ledger, uint64_t keep, size_t nodes);

// Leaves medians for samples. False: there was nothing to leave out, or it is a final confirmation.
bool thin(evaluation_record& record);

} // namespace kevolve
