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

// For every shape the kernel that it asks for. Only declared shapes ask, and only for one that is faster there than the
// reference; one whose interval reaches into that of the fastest is as good, and as few kernels as that allows are
// chosen. Held-out shapes and those in `to_reference` get none.
std::vector<choice> choose_kernels(const contract& task, const std::vector<figures>& kernels,
                                   const std::set<size_t>& to_reference);

// Regions by these choices, within the sizes that were timed. A held-out shape chooses no kernel, but where the one
// that its region has is slower than the reference, the reference is drawn there, too; as at sizes that are `unseen`.
regions plan_regions(const contract& task, const std::vector<figures>& kernels, std::set<size_t> to_reference,
                     const std::vector<sizes>& unseen = {});

// The kernels that some region has, ascending.
std::vector<size_t> kernels_in(const regions& r);

} // namespace kevolve::dispatch
