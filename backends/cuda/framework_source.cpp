#include "backends/cuda/framework_source.hpp"

#include <string_view>

namespace kevolve {

namespace {

constexpr std::string_view magic = "kevolve-pytorch 1\n";

} // namespace

std::string pack_framework(const framework_source& reference) {
  return std::string{magic} + reference.entry + "\n" + reference.source;
}

std::optional<framework_source> unpack_framework(const std::string& package) {
  if (!package.starts_with(magic))
    return std::nullopt;
  const auto end = package.find('\n', magic.size());
  if (end == std::string::npos || end == magic.size())
    return std::nullopt;
  return framework_source{package.substr(magic.size(), end - magic.size()), package.substr(end + 1)};
}

} // namespace kevolve
