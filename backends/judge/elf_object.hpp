// What a shared object asks the dynamic loader for, read from its bytes alone: nothing of it is mapped or run. The
// object is hostile, and this reader and the loader must not read it differently: what could be read in two ways is
// refused as malformed.
#pragma once

#include "runtime/base/result.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kevolve {

struct elf_object {
  std::vector<std::string> needed; // DT_NEEDED, in order
  // Whatever else makes the loader look for files or run programs: "RPATH", "RUNPATH", "AUDIT", "DEPAUDIT", "FILTER",
  // "AUXILIARY", "CONFIG" and "INTERP", each with its value.
  std::vector<std::pair<std::string, std::string>> directives;
};

// errc::bad_input, saying what is wrong, for anything but a well-formed shared object for this machine.
result<elf_object> read_elf_object(std::string_view bytes);

} // namespace kevolve
