// Reads a shared object's requests to the dynamic loader from its bytes, without mapping or running it. The object is
// hostile: reader and loader must not interpret it differently, so anything ambiguous is rejected as malformed.
#pragma once

#include "runtime/base/result.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kevolve {

struct elf_object {
  std::vector<std::string> needed; // the DT_NEEDED entries, in order
  // Other entries that make the loader search for files or run programs, with their values: "RPATH", "RUNPATH",
  // "AUDIT", "DEPAUDIT", "FILTER", "AUXILIARY", "CONFIG" and "INTERP".
  std::vector<std::pair<std::string, std::string>> directives;
};

// Reads the object. errc::bad_input: it is no well-formed shared object for this machine; the message states the
// reason.
result<elf_object> read_elf_object(std::string_view bytes);

} // namespace kevolve
