#include "backends/judge/checked_call.hpp"

#include "backends/judge/figure.hpp"

#include <algorithm>
#include <array>

namespace kevolve {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

double ns_since(steady_clock::time_point start) {
  return static_cast<double>(nanoseconds{steady_clock::now() - start}.count());
}

// How far the answer is off, never what it should have been.
rejection wrong_output(const contract& task, size_t argument, const comparison& c, int64_t elements) {
  const auto& name = task.arguments[argument].name;
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

// What a process died of that was fenced in. Its own word for where; the signal is the kernel's.
rejection died_between_fences(const contract& task, const arena_layout& layout, rejection died,
                              std::optional<size_t> at) {
  const auto signal = died.evidence.find("signal");
  const bool touched = died.rule == "signal" && signal != died.evidence.end()
                       && (signal->second == "SIGSEGV" || signal->second == "SIGBUS");
  if (!touched)
    return died;
  if (!at || *at >= layout.total) {
    died.detail += ", while four pages before and behind each of its arrays were out of reach";
    return died;
  }
  const arena_place* nearest = nullptr;
  size_t distance = 0;
  bool behind = false;
  for (const auto& place : layout.places) {
    const auto end = place.offset + place.bytes;
    if (*at >= place.offset && *at < end)
      return died;
    const auto away = *at < place.offset ? place.offset - *at : *at - end;
    if (nearest != nullptr && away >= distance)
      continue;
    nearest = &place;
    distance = away;
    behind = *at >= end;
  }
  if (nearest == nullptr)
    return died;
  const auto& name = task.arguments[nearest->argument].name;
  const auto where =
      std::to_string(distance) + (behind ? " bytes behind the end of '" : " bytes before '") + name + "'";
  return rejection{verdict::out_of_bounds,
                   fence_rule,
                   "read or wrote " + where + ", which a caller need not have there: it would crash",
                   {{"argument", name}, {"where", where}}};
}

} // namespace

std::optional<rejection> left_unwritten(const contract& task, size_t argument, const call_memory& memory,
                                        const input_set& set, int64_t elements) {
  const auto& a = task.arguments[argument];
  if (!a.nonfinite_match)
    return std::nullopt;
  const auto first = memory.unwritten_nan(argument, set.expected[argument], elements);
  if (!first)
    return std::nullopt;
  return rejection{verdict::wrong_result,
                   "unwritten",
                   "output '" + a.name
                       + "': where NaN is expected it holds what lay there before the call, the first at " + "index "
                       + std::to_string(*first) + ": the element was not written, or was made from what nobody wrote",
                   {{"argument", a.name}, {"first_bad", std::to_string(*first)}}};
}

void tell_where(const input_sets& pool, rejection& c) {
  c.evidence.try_emplace("shape", pool.shape.held_out ? "held out" : pool.shape.name);
  if (pool.edge == edge_kind::none)
    return;
  c.evidence.try_emplace("edge", to_string(pool.edge));
  c.detail += ", on the edge '" + to_string(pool.edge) + "'";
}

std::vector<byte_buffer> call_checker::outputs(const input_set& set, const call_memory& memory) const {
  std::vector<byte_buffer> out(task_.arguments.size());
  for (size_t i = 0; i < task_.arguments.size(); ++i)
    if (is_array(task_.arguments[i]) && is_written(task_.arguments[i]))
      out[i] = collect(set.data.geometries[i], memory.array(i), counted_elements(task_, set, i));
  return out;
}

void call_checker::keep_outputs(const input_set& set) {
  const auto memory = memory_of(set, set.layout);
  auto& kept = arena_.kept();
  kept.resize(task_.arguments.size());
  for (size_t i = 0; i < task_.arguments.size(); ++i)
    if (is_array(task_.arguments[i]) && is_written(task_.arguments[i]))
      collect(set.data.geometries[i], memory.array(i), counted_elements(task_, set, i), kept[i]);
}

std::optional<size_t> call_checker::find_changed(const input_set& set, const call_memory& memory) const {
  for (size_t i = 0; i < task_.arguments.size(); ++i)
    if (is_array(task_.arguments[i]) && is_written(task_.arguments[i])
        && !bit_equal(set.data.geometries[i], memory.array(i), arena_.kept()[i], counted_elements(task_, set, i)))
      return i;
  return std::nullopt;
}

std::optional<rejection> call_checker::check_output(size_t argument, const call_memory& memory, const input_sets& pool,
                                                    const input_set& set, correctness_report* report) const {
  const auto& a = task_.arguments[argument];
  const auto& g = set.data.geometries[argument];
  const auto elements = counted_elements(task_, set, argument);
  const auto rule = rule_for_output(task_, pool, set, argument);
  const auto* actual = memory.array(argument);
  if (report != nullptr || !accepts(g, actual, set.expected[argument], elements, rule)) {
    const auto* reference = set.given_by_reference(argument);
    auto c = compare(g, actual, set.expected[argument], elements, rule);
    if (c.result != verdict::pass && set.by_oracle && reference != nullptr)
      c = compare(g, actual, set.expected[argument], elements, rule, reference);
    if (report != nullptr) {
      // Edge cases judge, but their errors are of another scale than the report's.
      if (pool.edge == edge_kind::none) {
        report->max_abs = std::max(report->max_abs, c.max_abs);
        report->max_rel = std::max(report->max_rel, c.max_rel);
        report->max_ulp = std::max(report->max_ulp, c.max_ulp);
      }
      // Also where other bits have been seen: what a check does to the caches must not tell two sides apart.
      if (reference != nullptr)
        report->bit_equal = bit_equal(g, actual, *reference, elements) && report->bit_equal;
    }
    if (c.result != verdict::pass)
      return wrong_output(task_, argument, c, elements);
  }
  if (auto refused = left_unwritten(task_, argument, memory, set, elements))
    return refused;
  if (a.tail_untouched && !memory.tail_untouched(argument, elements))
    return rejection{verdict::out_of_bounds,
                     "tail",
                     "output '" + a.name + "': wrote past the elements that count",
                     {{"argument", a.name}}};
  return std::nullopt;
}

std::optional<rejection> call_checker::check(const call_memory& memory, const input_sets& pool, const input_set& set,
                                             const call_options& options, correctness_report* report) const {
  if (auto where = memory.broken_guard())
    return rejection{verdict::out_of_bounds, "guard_band", "wrote " + *where, {{"where", *where}}};
  if (auto name = memory.mutated_input())
    return rejection{
        verdict::input_mutated, "input_changed", "the input '" + *name + "' was changed", {{"argument", *name}}};
  // The same bits as before are as right as before; past them another poison lies.
  const bool same = options.again && !changed_;
  for (size_t i = 0; i < task_.arguments.size(); ++i)
    if (is_array(task_.arguments[i]) && is_written(task_.arguments[i]) && !(same && !task_.arguments[i].tail_untouched))
      if (auto refused = check_output(i, memory, pool, set, report))
        return refused;
  return std::nullopt;
}

attempt<double> call_checker::call(sandboxed_process& process, const input_sets& pool, const input_set& set,
                                   const call_options& options, correctness_report* report) {
  const auto start = steady_clock::now();
  const auto& layout = options.between_fences != nullptr ? *options.between_fences : set.layout;
  auto memory = memory_of(set, layout);
  memory.set_up(options.poison, options.again);
  std::array<uint64_t, wire::max_arguments> values{};
  memory.fill_values(values.data());
  if (task_.cold_cache)
    memory.flush_caches();

  costs_.set_up_ns += ns_since(start);
  nanoseconds took{0};
  auto refused = process.call(values.data(), task_.arguments.size(), options.limit, took);
  const auto called = steady_clock::now();
  if (refused && options.between_fences != nullptr)
    refused = died_between_fences(task_, layout, std::move(*refused), process.died_at());
  ++costs_.calls;
  costs_.kernel_ns += static_cast<double>(took.count());
  if (!refused) {
    if (report != nullptr)
      ++report->cases;
    if (options.again)
      changed_ = find_changed(set, memory);
    refused = check(memory, pool, set, options, report);
    if (refused && (refused->result == verdict::wrong_result || refused->result == verdict::nonfinite)) {
      // An answer given before the work was done looks like a wrong result; let it run on and see.
      const auto before = outputs(set, memory);
      const auto usual = std::chrono::duration_cast<milliseconds>(
          nanoseconds{static_cast<int64_t>(2.0 * pool.typical_reference_ns())});
      const auto least = milliseconds{task_.threads ? 20 : 3};
      const bool spoke = process.restless(std::clamp(usual, least, milliseconds{50}));
      const auto after = outputs(set, memory);
      bool wrote = false;
      for (size_t i = 0; i < before.size(); ++i)
        wrote =
            wrote || (before[i].size() != 0 && std::memcmp(before[i].data(), after[i].data(), before[i].size()) != 0);
      if (spoke || wrote)
        refused = rejection{verdict::cheating,
                            spoke ? "early_done" : "late_write",
                            "the call was reported done before its work was",
                            {{"seen_as", to_string(refused->result)}}};
    }
  }
  costs_.check_ns += ns_since(called);
  if (!refused)
    return static_cast<double>(took.count());
  tell_where(pool, *refused);
  return refusal(std::move(*refused));
}

} // namespace kevolve
