// What the judge may say of a candidate, and what the infrastructure may say of itself. The two never mix:
// a verdict reaches fitness, a fault is retried elsewhere.
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

// The fixed names of INTERFACES: "pass", "compile_error", …; "none" for none.
std::string to_string(verdict v);
verdict parse_verdict(std::string_view text);

// A failure of the infrastructure. Empty kind: no fault.
struct fault {
  // no_space worker_killed device_sick toolchain_missing protocol timed_out sandbox baseline_failed internal
  std::string kind;
  std::string detail; // for a person
  uint32_t retried = 0;

  explicit operator bool() const { return !kind.empty(); }
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, fault& x) {
  return f(x.kind, x.detail, x.retried);
}

// How far a result can be trusted to exclude host-side cheats. Part of every result.
enum class trust_tier : uint8_t { device_code = 0, native, framework };
constexpr trust_tier last_value(trust_tier) {
  return trust_tier::framework;
}
std::string to_string(trust_tier t);

} // namespace kevolve
