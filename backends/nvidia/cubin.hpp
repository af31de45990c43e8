// Reads machine code before the driver sees it: its kernels, its processor, and its undefined symbols. Pure functions
// over hostile bytes.
#pragma once

#include "backends/launch_plan/plan_resolution.hpp"
#include "runtime/base/result.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// The launch bounds that a kernel was compiled with. Zero means no bound.
struct compiled_bounds {
  uint32_t most_threads = 0;         // per block
  std::array<uint32_t, 3> cluster{}; // in blocks
  std::array<uint32_t, 3> block{};   // in threads
};

struct cubin_facts {
  uint32_t capability = 0;                                 // compute capability, for example 90
  std::map<std::string, uint32_t> static_shared;           // kernel → bytes
  std::map<std::string, uint32_t> registers;               // kernel → registers per thread, if recorded
  std::map<std::string, std::vector<uint32_t>> parameters; // kernel → bytes of each parameter, if recorded
  std::map<std::string, compiled_bounds> bounds;           // kernel → bounds, if recorded
  std::vector<std::string> undefined;                      // symbols that the driver would have to supply
  uint64_t globals_bytes = 0;                              // writable globals, which outlive a launch
};

// Reads a cubin. errc::bad_input: the bytes are no machine code for NVIDIA devices.
result<cubin_facts> read_cubin(std::string_view bytes);

// Returns the facts for the check of a launch.
std::map<std::string, kernel_facts> kernels_of(const cubin_facts& facts);

// Adds the facts of another module of the same program. Returns a kernel that both contain, if there is one.
std::optional<std::string> add_facts(cubin_facts& all, cubin_facts&& more);

// Returns true if both have the same instructions, constants and variables. They may differ in what describes them.
bool same_machine_code(std::string_view a, std::string_view b);

// Returns why the code must not be loaded: it needs the device runtime (to launch kernels itself) or unknown symbols.
// Null: it may be loaded.
std::optional<std::string> refuse_cubin(const cubin_facts& facts);

} // namespace kevolve
