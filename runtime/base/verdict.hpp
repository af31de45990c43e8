// A verdict is about a candidate and reaches its fitness. A fault is about the infrastructure and is retried elsewhere.
// The two never mix.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve {

enum class verdict : uint8_t {
  none = 0, // not judged, or a fault
  pass,
  compile_error,
  load_error,
  crashed,
  timeout,
  out_of_memory,
  wrong_shape,
  wrong_result,
  nonfinite,
  nondeterministic,
  input_mutated,
  out_of_bounds,
  sandbox_violation,
  cheating,
  faster_than_physics,
};

constexpr verdict last_value(verdict) {
  return verdict::faster_than_physics;
}

// Returns the public name: "pass", "compile_error", …; "none" for none.
std::string to_string(verdict v);
// Returns the verdict of this name; none if it is unknown.
verdict parse_verdict(std::string_view text);

// A failure of the infrastructure. An empty kind means no fault.
struct fault {
  std::string kind;   // a name of fault_kinds.hpp
  std::string detail; // for a person
  uint32_t retried = 0;

  explicit operator bool() const { return !kind.empty(); }
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, fault& x) {
  return f(x.kind, x.detail, x.retried);
}

// The degree to which a result excludes cheating by host code. It is part of every result.
enum class trust_tier : uint8_t { device_code = 0, native, framework };
constexpr trust_tier last_value(trust_tier) {
  return trust_tier::framework;
}
std::string to_string(trust_tier t);

} // namespace kevolve
