// The task of these tests' plans, and small helpers.
#pragma once

#include "backends/launch_plan/plan_resolution.hpp"
#include "tests/support/judge_tasks.hpp"

namespace kevolve {

// Returns the task of void rows(const float *x, float *y, int64_t rows, int64_t cols, float eps)
inline contract rows_task() {
  contract c;
  c.name = "rows";
  c.entry = "rows";
  argument eps;
  eps.name = "eps";
  eps.role = argument_role::scalar;
  eps.type = dtype::f32;
  eps.has_value = true;
  eps.value = 0.5;
  c.arguments = {array_argument("x", argument_role::input, dtype::f32, {"rows", "cols"}),
                 array_argument("y", argument_role::output, dtype::f32, {"rows", "cols"}), size_argument("rows"),
                 size_argument("cols"), eps};
  c.shapes = {shape_of("rows=64 cols=256", {{"rows", 64}, {"cols", 256}})};
  return c;
}

inline call_data rows_data(int64_t rows = 64, int64_t cols = 256) {
  auto task = rows_task();
  return draw_call(task, shape_of("", {{"rows", rows}, {"cols", cols}}), {.seed = 7}).value();
}

inline std::string errors_of(const std::string& toml) {
  auto plan = parse_plan(toml, rows_task());
  return plan ? "" : to_string(plan.error());
}

inline std::string resolution_errors(const std::string& toml, const call_data& data) {
  auto plan = parse_plan(toml, rows_task());
  if (!plan)
    return "does not parse: " + to_string(plan.error());
  auto resolved = resolve_plan(*plan, rows_task(), data);
  std::string out;
  if (!resolved)
    for (const auto& e : resolved.error())
      out += e + "\n";
  return out;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace kevolve
