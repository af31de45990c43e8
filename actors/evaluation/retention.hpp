// The retention of raw samples. Those of promoted candidates are kept for good, with those of the champion and the
// final confirmation. Those of other candidates are kept while they are among the newest; then one median per side and
// shape remains.
#pragma once

#include "actors/messages/records.hpp"

#include <cstdint>
#include <deque>
#include <set>
#include <vector>

namespace kevolve {

// The fold of a campaign's ended nodes, oldest first.
struct sample_ledger {
  std::deque<std::vector<id128>> unpromoted; // evaluations by node
  std::set<id128> promoted;                  // evaluations that a promoted node shares
};
// Adds an ended node to the ledger.
void count_node(sample_ledger& ledger, const node_record& r);

// Removes and returns the evaluations whose samples are to be dropped: those of all but the newest `keep` nodes, at
// most `nodes` nodes at a time.
std::vector<id128> take_stale(sample_ledger& ledger, uint64_t keep, size_t nodes);

// Replaces samples by medians. Returns false if there was nothing to drop, or if it is a final confirmation.
bool thin(evaluation_record& record);

} // namespace kevolve
