// The tasks of the judge's tests.
#pragma once

#include "backends/protocol.hpp"
#include "runtime/base/ids.hpp"
#include "tests/support/arguments.hpp"

namespace kevolve {

// Returns the task of void poly(const float *x, const float *w, float *y, int64_t n)
inline contract poly_task() {
  contract c;
  c.name = "poly";
  c.entry = "poly";
  c.language = std::string(1, 'c'); // avoids a false warning of g++ 12 about overlap
  c.arguments = {array_argument("x", argument_role::input, dtype::f32, {"n"}),
                 array_argument("w", argument_role::weight, dtype::f32, {"8"}),
                 array_argument("y", argument_role::output, dtype::f32, {"n"}), size_argument("n")};
  c.arguments[0].edge = {"zeros", "large", "denormal"};
  c.shapes = {shape_of("n=60000", {{"n", 60000}}), shape_of("n=1001", {{"n", 1001}}, true)};
  tolerance t;
  t.relative = 1e-5;
  t.absolute = 1e-5;
  c.tolerances = {t};
  return c;
}

inline judge_request request_for(const contract& task, std::string reference, std::string candidate,
                                 judge_mode mode = judge_mode::screening) {
  judge_request r;
  r.job = random_id();
  r.mode = mode;
  r.task = task;
  r.reference = std::move(reference);
  r.candidate = std::move(candidate);
  return r;
}

} // namespace kevolve
