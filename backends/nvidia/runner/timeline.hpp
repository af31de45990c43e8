// The program of a timeline: `kevolve-runner-cuda --timeline FILE`. It runs one call of a candidate a few times and
// records when the device began and ended each kernel. It compares nothing and decides nothing.
#pragma once

#include "backends/nvidia/runner/replay_wire.hpp"

#include <string>

namespace kevolve::cuda_wire {

struct timeline_order {
  replay what;       // its first call alone is run
  bool cold = false; // the second-level cache is swept before each call, as the judge does
};

template <class I>
typename I::result_type inspect(I& f, timeline_order& x) {
  return f(x.what, x.cold);
}

} // namespace kevolve::cuda_wire

namespace kevolve::cuda {

// The suffix of the file that it writes: one JSON object (backends/profile/README.md, artefact `device_trace`), or
// {"failed": "…"}.
inline constexpr const char* timeline_suffix = ".timeline";

// Returns the exit status: 0 unless the order cannot be read.
int run_timeline(const std::string& path);

} // namespace kevolve::cuda
