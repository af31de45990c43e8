// The memory operators: what a step is shown of what the tree has tried. Settings and records hold the text.
#pragma once

#include "runtime/base/enum_text.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace kevolve {

// In the order in which records and settings name them.
enum class memory_operator : uint8_t { parent = 0, siblings, both, none };
inline constexpr std::array<std::string_view, 4> memory_operator_texts{"parent", "siblings", "both", "none"};
constexpr const auto& enum_texts(memory_operator) {
  return memory_operator_texts;
}

constexpr bool is_named(std::string_view text, memory_operator x) {
  return text == enum_texts(x)[static_cast<size_t>(x)];
}
// Returns true if a step under the operator of that name is shown nothing of the tree: it starts from the reference.
constexpr bool starts_afresh(std::string_view memory) {
  return is_named(memory, memory_operator::none);
}
constexpr bool shows_lineage(std::string_view memory) {
  return is_named(memory, memory_operator::parent) || is_named(memory, memory_operator::both);
}
constexpr bool shows_siblings(std::string_view memory) {
  return is_named(memory, memory_operator::siblings) || is_named(memory, memory_operator::both);
}

} // namespace kevolve
