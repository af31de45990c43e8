// The memory operand of an x86-64 instruction in AT&T syntax. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct memory_access {
  std::string base;   // "(%rsp)", "(%rdi,%rax,4)"
  int64_t offset = 0; // the displacement before it
  int bytes = 0;
  bool loads = false;
  bool stores = false;

  bool on_stack() const;
};

// Returns nothing if the instruction touches no memory.
std::optional<memory_access> memory_access_of(std::string_view instruction);

// Returns the number of loads that the store buffer cannot serve. A store of the same round has written their bytes in
// another width or at another place.
int blocked_forwards(const std::vector<std::string>& instructions);

} // namespace kevolve
