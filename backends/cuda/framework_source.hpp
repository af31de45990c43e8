// A reference in a framework, as its compile step hands it on: text that has been read by a parser and run by nobody.
#pragma once

#include <optional>
#include <string>

namespace kevolve {

struct framework_source {
  std::string entry; // a function of the source
  std::string source;
};

std::string pack_framework(const framework_source& reference);
// Nothing if it is no such package.
std::optional<framework_source> unpack_framework(const std::string& package);

} // namespace kevolve
