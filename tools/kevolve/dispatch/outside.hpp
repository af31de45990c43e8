// Sizes beyond a task's own: the probes at which kernels are judged there, and the kernel that runs there.
#pragma once

#include "runtime/base/contract.hpp"
#include "tools/kevolve/dispatch/plan.hpp"

#include <set>
#include <vector>

namespace kevolve::dispatch {

struct probes {
  std::vector<shape_case> to_judge;
  std::vector<sizes> unseen; // these would take more memory than allowed
};

// Returns shapes at a quarter of the smallest value of each size, and at twice and four times its largest. The other
// sizes are those of the task's shape with that value. At most `most_corner_sizes` sizes are probed, those with the
// widest ranges. `most_bytes` bounds the arrays of one call. Values keep to a size's minimum and multiple; a task that
// allows its declared sizes alone has no probes.
probes probes_of(const contract& task, double most_bytes);

// Returns the rules for sizes beyond the measured ranges. Each side of a range gets the kernel that is the fastest at
// its probes. It must be timed and not inferior to the reference at each of them. A side without such a kernel, or with
// a shape in `to_reference`, gets the reference. So do sizes on several sides if one of these has the reference. Empty:
// the reference on all sides.
std::vector<outside_rule> outside_rules(const contract& task, const std::vector<figures>& kernels,
                                        const std::set<size_t>& to_reference, const between& beside,
                                        const std::vector<size_range>& measured);

} // namespace kevolve::dispatch
