#include "backends/judge/call_check.hpp"

#include "backends/judge/figure.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// Says how far the answer is off, never what it should have been.
rejection wrong_output(const std::string& name, const comparison& c, int64_t elements) {
  rejection out;
  out.result = c.result;
  out.rule = c.result == verdict::nonfinite ? "nonfinite" : "tolerance";
  out.detail = "output '" + name + "': " + wrong_elements(c, elements);
  out.evidence["argument"] = name;
  out.evidence["bad_elements"] = std::to_string(c.bad);
  out.evidence["first_bad"] = std::to_string(c.first_bad);
  out.evidence["max_abs"] = figure(c.max_abs, 3);
  out.evidence["max_rel"] = figure(c.max_rel, 3);
  return out;
}

// Returns true if the argument says how many elements of another one count.
bool is_count(const contract& task, const argument& a) {
  return std::any_of(task.arguments.begin(), task.arguments.end(),
                     [&](const argument& other) { return other.extent == a.name; });
}

// Refuses an output that may hold NaN and was found right, if a NaN in it was not written.
std::optional<rejection> left_unwritten(const contract& task, size_t argument, const call_memory& memory,
                                        const input_set& set, int64_t elements) {
  const auto& a = task.arguments[argument];
  if (!a.nonfinite_match)
    return std::nullopt;
  const auto first = memory.unwritten_nan(argument, set.expected[argument], elements);
  if (!first)
    return std::nullopt;
  return rejection{verdict::wrong_result,
                   rule_name::unwritten,
                   "output '" + a.name
                       + "': where NaN is expected it holds what lay there before the call, the first at " + "index "
                       + std::to_string(*first) + ": the element was not written, or was made from what nobody wrote",
                   {{"argument", a.name}, {"first_bad", std::to_string(*first)}}};
}

std::optional<rejection> check_output(const contract& task, size_t argument, const call_memory& memory,
                                      const input_sets& inputs, const input_set& set, const check_options& options,
                                      correctness_report* report) {
  const auto& a = task.arguments[argument];
  const auto& g = set.data.geometries[argument];
  const auto& expected = set.expected[argument];
  const auto elements = counted_elements(task, set, argument);
  const auto rule = rule_for_output(task, inputs, set, argument);
  const auto* actual = memory.array(argument);
  if (options.full || !accepts(g, actual, expected, elements, rule)) {
    const auto* reference = set.given_by_reference(argument);
    auto c = compare(g, actual, expected, elements, rule);
    if (options.near_ties && c.result != verdict::pass && set.by_oracle && reference != nullptr)
      c = compare(g, actual, expected, elements, rule, reference);
    const bool edge = inputs.edge != edge_kind::none;
    // Edge cases judge, but their errors are of another scale than the report's.
    if (report != nullptr && !edge) {
      report->max_abs = std::max(report->max_abs, c.max_abs);
      report->max_rel = std::max(report->max_rel, c.max_rel);
      report->max_ulp = std::max(report->max_ulp, c.max_ulp);
    }
    // Also where other bits have been seen: what a check does to the caches must not tell two sides apart.
    if (report != nullptr && reference != nullptr && (!edge || options.bits_on_edges))
      report->bit_equal = bit_equal(g, actual, *reference, elements) && report->bit_equal;
    if (c.result != verdict::pass)
      return wrong_output(a.name, c, elements);
  }
  if (auto refused = left_unwritten(task, argument, memory, set, elements))
    return refused;
  if (a.tail_untouched && !memory.tail_untouched(argument, elements))
    return rejection{verdict::out_of_bounds,
                     rule_name::tail,
                     "output '" + a.name + "': wrote past the elements that count",
                     {{"argument", a.name}}};
  return std::nullopt;
}

} // namespace

void tell_where(const input_sets& inputs, const input_set& set, rejection& c) {
  if (inputs.edge == edge_kind::adversarial) {
    c.evidence.try_emplace("draw", set.draw);
    c.detail += ", on the draw '" + set.draw + "'";
    return;
  }
  c.evidence.try_emplace("shape", inputs.shape.held_out ? "held out" : inputs.shape.name);
  if (inputs.own_weights) {
    c.evidence.try_emplace("draw", "own weights");
    c.detail += ", with the weights that the module itself has";
  }
  const bool edge = inputs.edge != edge_kind::none;
  if (edge) {
    c.evidence.try_emplace("edge", to_string(inputs.edge));
    c.detail += ", on the edge '" + to_string(inputs.edge) + "'";
  }
  if (c.result == verdict::wrong_result || c.result == verdict::nonfinite)
    c.detail += std::string{edge ? "" : ", on inputs by the fill rules"} + " at "
                + (inputs.shape.held_out ? "a held-out shape" : "shape '" + inputs.shape.name + "'");
}

std::vector<byte_buffer> collect_outputs(const contract& task, const call_memory& memory, const input_set& set) {
  std::vector<byte_buffer> out(task.arguments.size());
  for (size_t i = 0; i < out.size(); ++i)
    if (is_array(task.arguments[i]) && is_written(task.arguments[i]))
      out[i] = collect(set.data.geometries[i], memory.array(i), counted_elements(task, set, i));
  return out;
}

std::optional<rejection> check_call(const contract& task, const call_memory& memory, const input_sets& inputs,
                                    const input_set& set, const check_options& options, correctness_report* report) {
  if (auto where = memory.broken_guard())
    return rejection{verdict::out_of_bounds, rule_name::guard_band, "wrote " + *where, {{"where", *where}}};
  if (auto name = memory.mutated_input())
    return rejection{verdict::input_mutated,
                     rule_name::input_changed,
                     "the input '" + *name + "' was changed",
                     {{"argument", *name}}};
  // A wrong count is reported before the elements that it leaves unwritten.
  for (const bool counts : {true, false})
    for (size_t i = 0; i < task.arguments.size(); ++i) {
      const auto& a = task.arguments[i];
      // The same bits as before are as right as before; past them another poison lies.
      if (is_array(a) && is_written(a) && is_count(task, a) == counts && !(options.same_outputs && !a.tail_untouched))
        if (auto refused = check_output(task, i, memory, inputs, set, options, report))
          return refused;
    }
  return std::nullopt;
}

} // namespace kevolve
