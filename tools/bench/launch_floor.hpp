// What the kernel alone takes to launch a candidate: the least that any judge of this design pays on this machine.
#pragma once

#include "runtime/base/result.hpp"
#include "tools/bench/report.hpp"

namespace kevolve::bench {

// Processes of a small parent in a candidate's confinement, each cloned, heard of, stopped and then ended, on `core`:
// without anything between, and with the sandbox's limits, Landlock rules and both system call filters. No object is
// loaded and no memory shared. Medians of `count` each, in nanoseconds: {"cloned_ns", "locked_ns"}.
result<json> launch_floor(int core, int count);

} // namespace kevolve::bench
