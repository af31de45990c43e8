#include "backends/nvidia/runner/check.hpp"

#include "backends/judge/checked_call.hpp"
#include "backends/judge/figure.hpp"

#include <algorithm>

namespace kevolve::cuda {

namespace {

// How far the answer is off, never what it should have been.
rejection wrong_output(const std::string& name, const comparison& c, int64_t elements) {
  const bool nonfinite = c.result == verdict::nonfinite;
  rejection out;
  out.result = c.result;
  out.rule = nonfinite ? "nonfinite" : "tolerance";
  out.detail = "output '" + name + "': " + wrong_elements(c, elements);
  out.evidence = {{"argument", name},
                  {"bad_elements", std::to_string(c.bad)},
                  {"first_bad", std::to_string(c.first_bad)},
                  {"max_abs", figure(c.max_abs, 3)},
                  {"max_rel", figure(c.max_rel, 3)}};
  return out;
}

std::optional<rejection> check_output(const contract& task, size_t argument, const call_memory& memory,
                                      const input_sets& pool, const input_set& set, bool full,
                                      correctness_report* report) {
  const auto& a = task.arguments[argument];
  const auto& g = set.data.geometries[argument];
  const auto& expected = set.expected[argument];
  const auto elements = counted_elements(task, set, argument);
  const auto rule = rule_for_output(task, pool, set, argument);
  const auto* actual = memory.array(argument);
  if (full || !accepts(g, actual, expected, elements, rule)) {
    const auto c = compare(g, actual, expected, elements, rule);
    if (report != nullptr && pool.edge == edge_kind::none) {
      report->max_abs = std::max(report->max_abs, c.max_abs);
      report->max_rel = std::max(report->max_rel, c.max_rel);
      report->max_ulp = std::max(report->max_ulp, c.max_ulp);
      const auto* reference = set.given_by_reference(argument);
      if (reference != nullptr && !bit_equal(g, actual, *reference, elements))
        report->bit_equal = false;
    }
    if (c.result != verdict::pass)
      return wrong_output(a.name, c, elements);
  }
  if (auto refused = left_unwritten(task, argument, memory, set, elements))
    return refused;
  if (a.tail_untouched && !memory.tail_untouched(argument, elements))
    return rejection{verdict::out_of_bounds,
                     "tail",
                     "output '" + a.name + "': wrote past the elements that count",
                     {{"argument", a.name}}};
  return std::nullopt;
}

} // namespace

std::vector<byte_buffer> collect_outputs(const contract& task, const call_memory& memory, const input_set& set) {
  std::vector<byte_buffer> out(task.arguments.size());
  for (size_t i = 0; i < out.size(); ++i)
    if (is_array(task.arguments[i]) && is_written(task.arguments[i]))
      out[i] = collect(set.data.geometries[i], memory.array(i), counted_elements(task, set, i));
  return out;
}

std::optional<rejection> check_call(const contract& task, const call_memory& memory, const input_sets& pool,
                                    const input_set& set, bool full, correctness_report* report) {
  if (auto where = memory.broken_guard())
    return rejection{verdict::out_of_bounds, "guard_band", "wrote " + *where, {{"where", *where}}};
  if (auto name = memory.mutated_input())
    return rejection{
        verdict::input_mutated, "input_changed", "the input '" + *name + "' was changed", {{"argument", *name}}};
  for (size_t i = 0; i < task.arguments.size(); ++i)
    if (is_array(task.arguments[i]) && is_written(task.arguments[i]))
      if (auto refused = check_output(task, i, memory, pool, set, full, report))
        return refused;
  return std::nullopt;
}

} // namespace kevolve::cuda
