// The rows of `kevolve doctor` for the target `cpu`: present parts, weaknesses and remedies.
#pragma once

#include "backends/cpu/toolchain.hpp"
#include "backends/host_machine.hpp"
#include "backends/target.hpp"

#include <string>
#include <vector>

namespace kevolve {

struct cpu_examination {
  const toolchain* tools = nullptr;
  std::string bin_dir;
  std::vector<int> cores;
  core_plan plan;
  std::string cache;
};

std::vector<doctor_row> examine_cpu(const cpu_examination& subject);

} // namespace kevolve
