// A reference run by a framework, as passed from the compile server to the runner: the function's name and the module's
// text. It is not compiled; the server only checks that it parses.
#pragma once

#include <optional>
#include <string>

namespace kevolve {

struct framework_source {
  std::string entry;
  std::string source; // Python text
};

// Returns "kevolve-pytorch 1\n" ENTRY "\n" SOURCE.
std::string pack_framework(const framework_source& module);
// Returns null if the bytes have another format.
std::optional<framework_source> unpack_framework(const std::string& bytes);

} // namespace kevolve
