// What the machine code (SASS) of a candidate's kernels is made of, by a disassembler's listing: for whoever improves
// on it, never part of a verdict. Instructions are counted where they stand, not how often they run. Pure, over hostile
// text.
#pragma once

#include "runtime/base/contract.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// Keep with its names in sass.cpp.
enum class sass_class : uint8_t {
  global_load = 0, // generic ones too
  global_store,
  shared_load, // ldmatrix too
  shared_store,
  local_load, // of registers that were spilled, or of an array that is indexed at run time
  local_store,
  constant_load,
  async_copy, // LDGSTS: cp.async
  bulk_copy,  // the copy engine: UTMALDG, UBLKCP, …
  atomic,
  tensor, // products of matrices, whatever the generation
  fma,
  floating, // other arithmetic on floating types
  integer,  // the uniform ones too
  conversion,
  move,    // selections and permutations of bytes too
  shuffle, // between lanes
  branch,
  barrier, // waits and fences
  other,
};
inline constexpr size_t sass_classes = static_cast<size_t>(sass_class::other) + 1;
std::string_view to_string(sass_class c);

struct sass_kernel {
  std::string name;
  uint64_t instructions = 0; // without padding and what is never executed
  std::array<uint64_t, sass_classes> count{};
  uint64_t wide_loads = 0; // of global loads and asynchronous copies, those of at least 128 bits
  uint32_t registers = 0;  // of a thread; 0: not told. Not from a listing
  uint32_t static_shared = 0;

  uint64_t of(sass_class c) const { return count[static_cast<size_t>(c)]; }
  uint64_t loads() const { return of(sass_class::global_load) + of(sass_class::async_copy); }
};

// By its mnemonic with all modifiers: "LDG.E.128".
sass_class class_of_sass(std::string_view mnemonic);

// What `nvdisasm -c -ndf` prints; kernels in its order. Empty: it lists none.
std::vector<sass_kernel> read_sass(std::string_view listing);

// [{"kernel":"softmax","instructions":210,"mix":{"global_load":4,…},"wide_load_share":1.0,…}]; classes without
// instructions are left out.
std::string sass_json(const std::vector<sass_kernel>& kernels);

// What stands out, in a sentence for each kernel: local memory, loads without one of 128 bits, no tensor cores where
// the task is a product of matrices in half precision. Empty: nothing does.
std::string sass_notes(const std::vector<sass_kernel>& kernels, const contract& task);

} // namespace kevolve
