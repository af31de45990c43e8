// From what the judge measured of each kernel at each shape to regions.
#pragma once

#include "runtime/base/contract.hpp"
#include "tools/kevolve/dispatch/corners.hpp"
#include "tools/kevolve/dispatch/regions.hpp"

#include <set>
#include <string>
#include <vector>

namespace kevolve::dispatch {

// Against the reference, as the judge built it; speedup 0: not timed.
struct figure {
  double speedup = 0.0;
  double low = 0.0; // 95 % interval
  double high = 0.0;
};
inline bool is_timed(const figure& f) {
  return f.speedup > 0.0;
}
inline bool is_faster(const figure& f) {
  return is_timed(f) && f.low > 1.0;
}
inline bool is_slower(const figure& f) {
  return is_timed(f) && f.high < 1.0;
}

// By shape, in the contract's order.
using figures = std::vector<figure>;

// Sizes that the task does not name: its last shapes, and some that nobody judges.
struct between {
  size_t judged = 0;
  std::vector<sizes> unseen;
};

// For every shape the kernel that it asks for. Declared shapes ask, and those between them, and only for one that is
// faster there than the reference; one whose interval reaches into that of the fastest is as good, and as few kernels
// as that allows are chosen. The task's held-out shapes and those in `to_reference` get none.
std::vector<choice> choose_kernels(const contract& task, const std::vector<figures>& kernels,
                                   const std::set<size_t>& to_reference, const between& beside = {});

// Regions by these choices, within the sizes that were timed. A held-out shape chooses no kernel, but where the one
// that its region has is slower than the reference, the reference is drawn there, too; as at sizes that are `unseen`.
// A shape between the task's own that no kernel is faster at draws nothing either, unless its region's is slower.
regions plan_regions(const contract& task, const std::vector<figures>& kernels, std::set<size_t> to_reference,
                     const between& beside = {});

// The kernels that some region has, ascending.
std::vector<size_t> kernels_in(const regions& r);

} // namespace kevolve::dispatch
