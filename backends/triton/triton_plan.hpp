// The launch plan of a candidate in Triton: a plan of device code without block sizes and shared memory, which the
// compiler determines, plus compile information for each kernel. Pure functions over untrusted text.
#pragma once

#include "backends/launch_plan/launch_plan.hpp"

#include <map>
#include <optional>

namespace kevolve {

// A function to compile.
struct triton_kernel {
  std::string name;
  std::string symbol;              // its name, with a number appended if the name is taken
  std::vector<std::string> types;  // types of the arguments that are no constants, in order: "*fp32", "i64"
  std::vector<uint64_t> divisible; // a number that divides each of these arguments; 1: unknown
  std::map<std::string, std::string> constants; // values as JSON
  uint32_t warps = 4;
  uint32_t stages = 3;
  bool operator==(const triton_kernel&) const = default;
};

struct triton_plan {
  launch_plan plan;                   // its blocks and shared memory are placeholders
  std::vector<triton_kernel> kernels; // distinct kernels; one may be launched several times
  std::vector<size_t> launched;       // index into `kernels`, by step of the plan
};

tl::expected<triton_plan, std::vector<plan_problem>> parse_triton_plan(std::string_view toml, const contract& task);

// Returns the compile step's input as JSON.
std::string triton_orders(const triton_plan& plan);

// A compiled kernel's launch properties.
struct triton_built {
  uint32_t warps = 0;
  uint32_t shared = 0;   // dynamic shared memory in bytes
  uint32_t trailing = 0; // number of pointers after the arguments: to the grid's scratch memory, then to a profiler's
  uint64_t scratch_bytes = 0; // scratch memory per block
};
// Reads the compile step's output file. Returns null if it contains invalid launch numbers.
std::optional<std::vector<triton_built>> read_triton_built(std::string_view text, size_t kernels);

// Returns the plan in the runner's format, completed with the compiler's numbers.
std::string completed_plan(std::string_view toml, const triton_plan& plan, const std::vector<triton_built>& built,
                           uint32_t threads_a_warp);

} // namespace kevolve
