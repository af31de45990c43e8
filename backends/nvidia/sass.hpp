// Analyses the machine code (SASS) of a candidate's kernels from a disassembler's listing. The figures help authors of
// later candidates and are never part of a verdict. They are static counts, not execution counts. Pure functions over
// hostile text.
#pragma once

#include "runtime/base/contract.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// Must agree with the names in sass.cpp.
enum class sass_class : uint8_t {
  global_load = 0, // includes generic loads
  global_store,
  shared_load, // includes ldmatrix
  shared_store,
  local_load, // loads of spilled registers, or of an array that is indexed at run time
  local_store,
  constant_load,
  async_copy, // LDGSTS: cp.async
  bulk_copy,  // the copy engine: UTMALDG, UBLKCP, …
  atomic,
  tensor, // matrix products of all generations
  fma,
  floating, // other arithmetic on floating types
  integer,  // includes uniform instructions
  conversion,
  move,    // includes selections and byte permutations
  shuffle, // between lanes
  branch,
  barrier, // waits and fences
  other,
};
inline constexpr size_t sass_classes = static_cast<size_t>(sass_class::other) + 1;
std::string_view to_string(sass_class c);

struct sass_kernel {
  std::string name;
  uint64_t instructions = 0; // without padding and unexecutable instructions
  std::array<uint64_t, sass_classes> count{};
  uint64_t special = 0;                   // MUFU: reciprocals, roots, exponentials, sines; counted in `floating`
  std::map<std::string, uint64_t> widths; // accesses by class and bits, "global_load.128"
  uint64_t wide_loads = 0;                // global loads and asynchronous copies of at least 128 bits
  uint32_t registers = 0;                 // per thread; 0: unknown. Not taken from the listing
  uint32_t static_shared = 0;

  uint64_t of(sass_class c) const { return count[static_cast<size_t>(c)]; }
  uint64_t loads() const { return of(sass_class::global_load) + of(sass_class::async_copy); }
};

// Returns the class of a mnemonic with all modifiers, such as "LDG.E.128".
sass_class class_of_sass(std::string_view mnemonic);

// Parses the output of `nvdisasm -c -ndf`. Kernels keep its order; empty if it lists none.
std::vector<sass_kernel> read_sass(std::string_view listing);

// Returns [{"kernel":"softmax","instructions":210,"mix":{"global_load":4,…},"wide_load_share":1.0,…}], without classes
// that do not occur.
std::string sass_json(const std::vector<sass_kernel>& kernels);

// Returns the instruction groups of each kernel for a profile: as sass_json(), with special functions and the widths of
// accesses: [{…,"special":2,"widths":{"global_load.32":4,"shared_store.128":1}}].
std::string sass_groups_json(const std::vector<sass_kernel>& kernels);

// Returns one sentence for each kernel with remarkable figures: local memory, no 128-bit loads, or no tensor cores in a
// half-precision matrix product. Empty if there is none.
std::string sass_notes(const std::vector<sass_kernel>& kernels, const contract& task);

} // namespace kevolve
