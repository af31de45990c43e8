// Reads the metadata of a code object for AMD's GPUs and derives the occupancy of its kernels. All figures are static;
// nothing has run. Pure functions over untrusted bytes.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::hip {

struct code_kernel {
  std::string name;
  uint64_t vgprs = 0; // includes accumulation registers
  uint64_t agprs = 0;
  uint64_t sgprs = 0;
  uint64_t spilled = 0;             // spilled registers of either kind
  uint64_t lds_bytes = 0;           // static LDS
  uint64_t scratch_bytes = 0;       // per lane
  uint64_t most_threads = 0;        // per work-group
  std::vector<uint32_t> parameters; // bytes of each parameter that a launch passes
  bool parameters_known = false;
};

// Returns the LDS bytes that the work-groups of a compute unit share. One work-group may use all of them.
uint64_t lds_of_unit(std::string_view architecture);

// Reads the metadata note of a code object. errc::bad_input: the bytes are no such object.
result<std::vector<code_kernel>> read_code_object(std::string_view bytes);

// Returns the number of waves that run at once on each SIMD of a compute unit, at most 8, limited by registers and LDS.
// Valid for CDNA 2 to 4. `waves` is the number of waves of a work-group. Returns 0 if no work-group fits.
uint64_t waves_per_simd(const code_kernel& kernel, uint64_t waves, uint64_t dynamic_lds, std::string_view architecture);

// The same with the resource that limits it: "registers", "LDS", or "waves" where all fit.
struct wave_limit {
  uint64_t waves = 0;
  std::string limit;
};
wave_limit limit_of_waves(const code_kernel& kernel, uint64_t waves, uint64_t dynamic_lds,
                          std::string_view architecture);

// Returns the architecture that the object names, "gfx942"; empty for one that is not known here.
std::string architecture_of(std::string_view bytes);

// Returns a kernel's part of a compiler's listing; empty if it has none.
std::string_view listing_of(std::string_view assembly, const std::string& kernel);

// Counts the instructions in the listing of one kernel by kind: "matrix", "vector", "scalar", "lds", "memory", "wait",
// "other".
std::map<std::string, size_t> instruction_mix(std::string_view assembly);

// Returns all figures as one line, which says that the kernel was only compiled.
std::string figures_of(const code_kernel& kernel, uint64_t waves, uint64_t dynamic_lds, std::string_view architecture,
                       std::string_view assembly);

} // namespace kevolve::hip
