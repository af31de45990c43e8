// Requests to a whole runner with the fake driver, shared by its tests.
#pragma once

#include "tests/cuda/fake_device.hpp"
#include "tests/cuda/runner_driver.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <string>

namespace kevolve::testing {

inline const std::string& reference() {
  static const auto object = compile_c(iterate_reference, {"-O3", "-march=native"});
  return object;
}

// Returns the reference in double.
inline const std::string& oracle() {
  static const auto object = [] {
    std::string text{iterate_reference};
    for (auto at = text.find("float"); at != std::string::npos; at = text.find("float"))
      text.replace(at, 5, "double");
    return compile_c(text, {"-O3", "-march=native"});
  }();
  return object;
}

inline judge_request ask_for(const std::string& candidate, judge_mode mode) {
  auto r = request_for(iterate_task(20'000), reference(), candidate, mode);
  r.task.work_bytes.clear();
  r.baseline = fake_package("iterate");
  return r;
}

inline std::string told(const judge_outcome& o) {
  return to_string(o.result) + " " + o.rule + ": " + o.detail + " " + o.trouble.kind + " " + o.trouble.detail;
}

} // namespace kevolve::testing
