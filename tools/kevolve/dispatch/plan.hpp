// Plans regions from the judge's figures for each kernel and shape.
#pragma once

#include "runtime/base/contract.hpp"
#include "tools/kevolve/dispatch/corners.hpp"
#include "tools/kevolve/dispatch/non_inferiority.hpp"
#include "tools/kevolve/dispatch/regions.hpp"

#include <set>
#include <string>
#include <vector>

namespace kevolve::dispatch {

// The speed-up over the reference as the judge built it; 0: not timed.
struct figure {
  double speedup = 0.0;
  double low = 0.0; // lower bound of the interval, whose coverage follows from the pairs of the test
  double high = 0.0;
  regression_test against_reference = {};
  uint32_t sessions = 1; // the pairs come from so many
};
inline bool is_timed(const figure& f) {
  return f.speedup > 0.0;
}
inline bool is_faster(const figure& f) {
  return is_timed(f) && f.low > 1.0;
}
inline bool is_not_inferior(const figure& f) {
  return f.against_reference.result == regression::not_inferior;
}
inline bool is_inferior(const figure& f) {
  return f.against_reference.result == regression::inferior;
}

// By shape, in the contract's order.
using figures = std::vector<figure>;

// Sizes that the task does not name. Its last shapes are judged: those between its own, then the probes beyond them.
// Others are not judged.
struct between {
  size_t judged = 0;
  std::vector<sizes> unseen;
  size_t probes = 0;
};
// Returns the number of the task's own shapes, which come first.
inline size_t own_shapes(const contract& task, const between& beside) {
  return task.shapes.size() - beside.judged - beside.probes;
}
inline bool is_probe(const contract& task, const between& beside, size_t shape) {
  return shape + beside.probes >= task.shapes.size();
}

// Chooses a kernel for every declared shape and every shape between them where some kernel is faster than the
// reference. Kernels whose interval reaches that of the fastest count as equal, and as few kernels as possible are
// chosen. The task's held-out shapes and those in `to_reference` get none.
std::vector<choice> choose_kernels(const contract& task, const std::vector<figures>& kernels,
                                   const std::set<size_t>& to_reference, const between& beside = {});

// Plans regions for these choices within the timed sizes, and rules for the sizes outside. A kernel must be shown to be
// at least as fast as the reference at each shape of its region, within the margin. Else the reference is used instead.
// This holds for the sizes in `unseen`, too. A shape between the task's own, without a faster kernel, changes nothing
// unless that holds for its region's kernel.
regions plan_regions(const contract& task, const std::vector<figures>& kernels, std::set<size_t> to_reference,
                     const between& beside = {});

// Returns the kernels that occur in some region or outside, ascending.
std::vector<size_t> kernels_in(const regions& r);

} // namespace kevolve::dispatch
