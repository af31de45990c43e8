// What machine code says of itself before the driver sees it: which kernels it has, for which processor, what it
// expects to be linked with. Pure, over hostile bytes.
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

// What a kernel was compiled to be launched with; zeros: anything.
struct compiled_bounds {
  uint32_t most_threads = 0;         // of a block
  std::array<uint32_t, 3> cluster{}; // blocks
  std::array<uint32_t, 3> block{};   // threads
};

struct cubin_facts {
  uint32_t capability = 0;                                 // 90
  std::map<std::string, uint32_t> static_shared;           // kernel → bytes
  std::map<std::string, uint32_t> registers;               // kernel → of a thread, where told
  std::map<std::string, std::vector<uint32_t>> parameters; // kernel → bytes of each, where told
  std::map<std::string, compiled_bounds> bounds;           // kernel → where told
  std::vector<std::string> undefined;                      // what the driver would have to supply
  uint64_t globals_bytes = 0;                              // writable; they outlive a launch
};

// errc::bad_input if the bytes are no machine code for NVIDIA devices.
result<cubin_facts> read_cubin(std::string_view bytes);

// As a launch is checked against.
std::map<std::string, kernel_facts> kernels_of(const cubin_facts& facts);

// Adds what another module of the same program says. A kernel that both have, if there is one.
std::optional<std::string> add_facts(cubin_facts& all, cubin_facts&& more);

// Why code may not be loaded: what it wants from the device runtime (launches of its own), or from nobody known.
// Nothing: it may.
std::optional<std::string> refuse_cubin(const cubin_facts& facts);

} // namespace kevolve
