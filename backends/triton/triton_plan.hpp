// The launch plan of a candidate in Triton: a plan of device code whose blocks and shared memory are the compiler's to
// say, with what the compiler wants to know of each kernel. Pure, over hostile text.
#pragma once

#include "backends/launch_plan/launch_plan.hpp"

#include <map>
#include <optional>

namespace kevolve {

// A function as it is to be compiled.
struct triton_kernel {
  std::string name;
  std::string symbol;                           // its name, with a number where that is taken
  std::vector<std::string> types;               // "*fp32", "i64": of the arguments that are no constants, in order
  std::vector<uint64_t> divisible;              // each is a multiple of this; 1: nothing is known
  std::map<std::string, std::string> constants; // values as JSON
  uint32_t warps = 4;
  uint32_t stages = 3;
  bool operator==(const triton_kernel&) const = default;
};

struct triton_plan {
  launch_plan plan;                   // its blocks and shared memory stand for nothing
  std::vector<triton_kernel> kernels; // each once, however often it is launched
  std::vector<size_t> launched;       // which of them, by step of the plan
};

tl::expected<triton_plan, std::vector<plan_problem>> parse_triton_plan(std::string_view toml, const contract& task);

// What the compile step is told, as JSON.
std::string triton_orders(const triton_plan& plan);

// What became of a kernel.
struct triton_built {
  uint32_t warps = 0;
  uint32_t shared = 0;        // dynamic, bytes
  uint32_t trailing = 0;      // pointers behind the arguments: to scratch of the grid's, then of a profiler's
  uint64_t scratch_bytes = 0; // of each block
};
// Of the compile step's file. Nothing: it holds no numbers that a launch could have.
std::optional<std::vector<triton_built>> read_triton_built(std::string_view text, size_t kernels);

// The plan as the runner takes it, for the numbers that the compiler gave.
std::string completed_plan(std::string_view toml, const triton_plan& plan, const std::vector<triton_built>& built,
                           uint32_t threads_a_warp);

} // namespace kevolve
