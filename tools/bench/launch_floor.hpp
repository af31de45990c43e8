// The kernel's own time to launch a candidate, a lower bound for any judge of this design on this machine.
#pragma once

#include "runtime/base/result.hpp"
#include "tools/bench/report.hpp"

namespace kevolve::bench {

// Clones `count` processes of a small parent on `core`, waits for each, stops it and ends it. Measures this without
// confinement and with the sandbox's limits, Landlock rules and system call filters. No object is loaded and no memory
// shared. Returns medians in nanoseconds: {"cloned_ns", "locked_ns"}.
result<json> launch_floor(int core, int count);

} // namespace kevolve::bench
