// Reads the disassembly of a code object for AMD's GPUs, as `llvm-objdump -d` prints it, into instruction groups.
// Counts are static. Pure functions over untrusted text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::hip {

struct isa_kernel {
  std::string name;
  uint64_t instructions = 0;
  std::map<std::string, uint64_t> mix;    // instructions by group, such as "global_load", "matrix" or "scratch_store"
  std::map<std::string, uint64_t> widths; // accesses by group and bits of a lane, "global_load.128"
};

// Returns the group of a mnemonic such as "global_load_dwordx4".
std::string_view group_of_isa(std::string_view mnemonic);

// Functions keep the listing's order; empty if it has none.
std::vector<isa_kernel> read_isa(std::string_view listing);

} // namespace kevolve::hip
