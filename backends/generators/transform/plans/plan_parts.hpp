// The sequences, and the parts that they are made of; private to plans/.
#pragma once

#include "backends/generators/transform/plans/plans.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

// Adds what of the sequence applies, once; nothing if no vectors come of it, or, where they would be gathered, no
// panel.
void add(std::vector<genome>& out, const program& reference, const genome& g, bool gathers, const environment& env);
int64_t vector_bits(const environment& env);
// Returns the number of elements in a vector; 0: none fit.
int64_t lanes_of(scalar_kind element, const environment& env);

// Plan register blocks for the nests that stand once `first` is done: those whose vectors stand side by side in memory,
// and then the others.
std::vector<std::vector<genome>> blocks(const program& reference, const genome& first, const program& now,
                                        const environment& env);
// Plans everything inside one loop at once, where it holds several nests.
std::vector<genome> wholes(const program& reference, const environment& env);
// Plans all nests of a function at once, where several follow each other: products get register blocks, the others
// vectors.
std::vector<genome> nest_by_nest(const program& reference, const environment& env);

// Plans vectors for a loop around one that counts: the fewer bits it counts in, the more lanes.
std::vector<genome> counted(const program& reference, const environment& env);
// Plans that no index is clamped any more, so that neighbours are loaded as they lie; `p`: the program then.
genome unclamped(const program& reference, program& p, const environment& env);
// Plans vectors for the innermost of the loops whose iterations share nothing, once `first` is done.
std::vector<genome> rows_of_vectors(const program& reference, const genome& first, const program& now,
                                    const environment& env);
// Plans loops that a recurrence runs through, in the lanes of the loop around them whose iterations share nothing:
// filters, trees, dynamic programs of a batch.
std::vector<genome> batches(const program& reference, const environment& env);
// Plans that segments which follow each other are copied as one, in every loop that copies some: all at once, or those
// up to where a guard ends them.
std::vector<genome> copies(const program& reference, const environment& env);
// Plans every binary search without branches; `p`: the program then.
genome halved(const program& reference, program& p, const environment& env);
// Plans searches of several iterations in lanes, and of several vectors side by side, once `first` is done.
std::vector<genome> searches(const program& reference, const genome& first, const program& now, const environment& env);
// Plans loops that do something where a test holds: the tests of many iterations at once.
std::vector<genome> scans(const program& reference, const environment& env);

} // namespace kevolve::transform
