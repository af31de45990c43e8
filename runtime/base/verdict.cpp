#include "runtime/base/verdict.hpp"

#include <array>

namespace kevolve {

namespace {

constexpr std::array<std::string_view, 16> names{
    "none",
    "pass",
    "compile_error",
    "load_error",
    "crashed",
    "timeout",
    "out_of_memory",
    "wrong_shape",
    "wrong_result",
    "nonfinite",
    "nondeterministic",
    "input_mutated",
    "out_of_bounds",
    "sandbox_violation",
    "cheating",
    "faster_than_physics",
};
static_assert(names.size() == static_cast<size_t>(verdict::faster_than_physics) + 1);

} // namespace

std::string to_string(verdict v) {
  auto i = static_cast<size_t>(v);
  return std::string{i < names.size() ? names[i] : "none"};
}

verdict parse_verdict(std::string_view text) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == text)
      return static_cast<verdict>(i);
  return verdict::none;
}

std::string to_string(trust_tier t) {
  switch (t) {
    case trust_tier::device_code:
      return "device-code";
    case trust_tier::native:
      return "native";
    case trust_tier::framework:
      return "framework";
  }
  return "native";
}

} // namespace kevolve
