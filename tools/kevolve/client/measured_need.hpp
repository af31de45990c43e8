// Measures the errors of a C reference for `kevolve new`: it runs in the judge's sandbox, on no timing core.
#pragma once

#include "backends/judge/tolerance_need.hpp"
#include "config/task.hpp"
#include "runtime/base/result.hpp"

#include <map>
#include <string>

namespace kevolve {

struct measured_need {
  tolerance_need own;       // of the reference, as it is built
  tolerance_need reordered; // of the same source with sums in the compiler's own order; no draws: not measured
};

// Returns the errors against the reference in double, by the name of each floating output, on draws of each shape and
// on its edges. errc::unavailable, with the reason: nothing here can run it. errc::bad_input: the judge would refuse
// the reference before its tolerance matters.
result<std::map<std::string, measured_need>> measure_need(const task_spec& task);

} // namespace kevolve
