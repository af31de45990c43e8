// What a code object for AMD's GPUs says of its kernels, and what follows for how many waves run at once. Nothing here
// has run: these are figures of a compile. Pure, over hostile bytes.
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
  uint64_t vgprs = 0; // with the accumulation registers
  uint64_t agprs = 0;
  uint64_t sgprs = 0;
  uint64_t spilled = 0;             // registers of either kind
  uint64_t lds_bytes = 0;           // static
  uint64_t scratch_bytes = 0;       // of each lane
  uint64_t most_threads = 0;        // of a work-group
  std::vector<uint32_t> parameters; // bytes of each that a launch passes
  bool parameters_known = false;
};

// Bytes that the work-groups of a compute unit share; one may take them all.
uint64_t lds_of_unit(std::string_view architecture);

// Of the note that the format prescribes. errc::bad_input if the bytes are no such object.
result<std::vector<code_kernel>> read_code_object(std::string_view bytes);

// Waves at once on each of a compute unit's SIMDs, of 8, on CDNA 2 to 4: as many as registers and LDS leave room for.
// `waves`: of a work-group. 0: none fits.
uint64_t waves_per_simd(const code_kernel& kernel, uint64_t waves, uint64_t dynamic_lds, std::string_view architecture);

// A kernel's part of a compiler's listing; empty: it has none.
std::string_view listing_of(std::string_view assembly, const std::string& kernel);

// Instructions by kind, over the listing of one kernel: "matrix", "vector", "scalar", "lds", "memory", "wait", "other".
std::map<std::string, size_t> instruction_mix(std::string_view assembly);

// All of it in a line that says that it compiles only.
std::string figures_of(const code_kernel& kernel, uint64_t waves, uint64_t dynamic_lds, std::string_view architecture,
                       std::string_view assembly);

} // namespace kevolve::hip
