#include "backends/framework/framework_source.hpp"

#include <string_view>

namespace kevolve {

namespace {

constexpr std::string_view magic = "kevolve-pytorch 1\n";

} // namespace

std::string pack_framework(const framework_source& module) {
  return std::string{magic} + module.entry + "\n" + module.source;
}

std::optional<framework_source> unpack_framework(const std::string& bytes) {
  if (!bytes.starts_with(magic))
    return std::nullopt;
  const auto end = bytes.find('\n', magic.size());
  if (end == std::string::npos || end == magic.size())
    return std::nullopt;
  return framework_source{bytes.substr(magic.size(), end - magic.size()), bytes.substr(end + 1)};
}

} // namespace kevolve
