// A reference that a framework runs, as the compile server hands it to the runner: which function, and the module's
// text. Nothing is compiled; the server has only seen that it parses.
#pragma once

#include <optional>
#include <string>

namespace kevolve {

struct framework_source {
  std::string entry;
  std::string source; // Python
};

// "kevolve-pytorch 1\n" ENTRY "\n" SOURCE
std::string pack_framework(const framework_source& module);
// Nothing: these bytes are something else.
std::optional<framework_source> unpack_framework(const std::string& bytes);

} // namespace kevolve
