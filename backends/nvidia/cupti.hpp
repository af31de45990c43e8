// The profiling library's activity records: when the device itself says that kernels began and ended. A second clock
// beside events, where the library is present.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::cuda {

struct kernel_activity {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  std::string name;
};

// The library's name: searched by name and where the toolkit puts it, or only what KEVOLVE_CUPTI names. Starts nothing.
result<std::string> find_cupti();

// Starts recording kernels of this process; before its context is made. errc::unsupported where there is no libcupti.
result<std::string> start_activities();
// Goes on or pauses: a kernel of 98,304 blocks that is recorded takes 3.4 % longer on an H100. The device must be idle.
void record_activities(bool on);
// Everything recorded since the last call, in the order of their starts. The device must be idle.
std::vector<kernel_activity> take_activities();

} // namespace kevolve::cuda
