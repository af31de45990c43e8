// The tasks of the judge's tests.
#pragma once

#include "backends/protocol.hpp"
#include "runtime/base/expression.hpp"
#include "runtime/base/ids.hpp"

namespace kevolve {

inline argument array_argument(std::string name, argument_role role, dtype type, std::vector<std::string> shape) {
  argument a;
  a.name = std::move(name);
  a.role = role;
  a.type = type;
  a.shape = std::move(shape);
  return a;
}

inline argument size_argument(std::string name) {
  argument a;
  a.name = std::move(name);
  a.role = argument_role::size;
  a.type = dtype::i64;
  return a;
}

inline shape_case shape_of(std::string name, size_map sizes, bool held_out = false) {
  shape_case s;
  s.name = std::move(name);
  s.sizes = std::move(sizes);
  s.held_out = held_out;
  return s;
}

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
