#include "backends/judge/native/checked_call.hpp"

#include "runtime/base/verdict_rules.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace kevolve {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

double ns_since(steady_clock::time_point start) {
  return static_cast<double>(nanoseconds{steady_clock::now() - start}.count());
}

// Loads a byte of every cache line that the range touches.
uint64_t sum_of_lines(const std::byte* from, size_t bytes) {
  constexpr size_t line = 64;
  uint64_t sum = 0;
  for (size_t at = 0; at < bytes; at += line)
    sum += static_cast<uint64_t>(from[at]);
  return bytes == 0 ? sum : sum + static_cast<uint64_t>(from[bytes - 1]);
}

// Names the array beside which a fenced process died. The place is the process's own word; the signal is the kernel's.
rejection died_between_fences(const contract& task, const arena_layout& layout, rejection died,
                              std::optional<size_t> at) {
  const auto signal = died.evidence.find("signal");
  const bool touched = died.rule == rule_name::signal && signal != died.evidence.end()
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
    if (*at >= place.offset && *at < end && is_written(task.arguments[place.argument]))
      return died;
    if (*at >= place.offset && *at < end)
      return rejection{verdict::input_mutated,
                       rule_name::input_changed,
                       "wrote into the input '" + task.arguments[place.argument].name
                           + "', which a caller may keep where nobody can write: it would crash",
                       {{"argument", task.arguments[place.argument].name}}};
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
                   rule_name::fence,
                   "read or wrote " + where + ", which a caller need not have there: it would crash",
                   {{"argument", name}, {"where", where}}};
}

} // namespace

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

// One load a cache line: the lines are what has to come from where the call left them. The judge runs on the process's
// core, so that its caches are those of a caller. Elements beyond an output's extent are nobody's to read.
double call_checker::read_outputs(const call_memory& memory, const input_set& set) const {
  const auto start = steady_clock::now();
  uint64_t sum = 0;
  for (size_t i = 0; i < task_.arguments.size(); ++i) {
    const auto& a = task_.arguments[i];
    if (!is_array(a) || !is_written(a))
      continue;
    const auto& g = set.data.geometries[i];
    const auto* base = memory.array(i);
    const auto width = static_cast<int64_t>(size_bytes(g.type));
    for_each_run(g, counted_elements(task_, set, i), [&](int64_t storage, int64_t, int64_t length) {
      sum += sum_of_lines(base + storage * width, static_cast<size_t>(length * width));
    });
  }
  asm volatile("" : : "r"(sum) : "memory"); // the loads have a use
  return ns_since(start);
}

attempt<call_times> call_checker::call(sandboxed_process& process, const input_sets& inputs, const input_set& set,
                                       const call_options& options, correctness_report* report) {
  const auto start = steady_clock::now();
  const auto& layout = options.between_fences != nullptr ? *options.between_fences : set.layout;
  auto memory = memory_of(set, layout);
  memory.set_up(options.poison, options.again);
  std::array<uint64_t, wire::max_arguments> values{};
  memory.fill_values(values.data());
  if (task_.timing.cold_cache)
    memory.flush_caches();

  costs_.set_up_ns += ns_since(start);
  nanoseconds took{0};
  auto refused = process.call(values.data(), task_.arguments.size(), options.limit, took);
  call_times times;
  if (!refused && options.read_outputs)
    times.read_ns = read_outputs(memory, set);
  const auto called = steady_clock::now();
  if (refused && options.between_fences != nullptr)
    refused = died_between_fences(task_, layout, std::move(*refused), process.died_at());
  ++costs_.calls;
  times.call_ns = static_cast<double>(took.count());
  costs_.kernel_ns += times.call_ns;
  costs_.read_ns += times.read_ns;
  if (!refused) {
    if (report != nullptr)
      ++report->cases;
    if (options.again)
      changed_ = find_changed(set, memory);
    check_options checks;
    checks.full = report != nullptr;
    checks.near_ties = true;
    checks.bits_on_edges = true;
    checks.same_outputs = options.again && !changed_;
    refused = check_call(task_, memory, inputs, set, checks, report);
    if (refused && (refused->result == verdict::wrong_result || refused->result == verdict::nonfinite)) {
      // An answer given before the work was done looks like a wrong result; let it run on and see.
      const auto before = collect_outputs(task_, memory, set);
      const auto usual = std::chrono::duration_cast<milliseconds>(
          nanoseconds{static_cast<int64_t>(2.0 * inputs.typical_reference_ns())});
      const auto least = milliseconds{task_.threads ? 20 : 3};
      const bool spoke = process.restless(std::clamp(usual, least, milliseconds{50}));
      const auto after = collect_outputs(task_, memory, set);
      bool wrote = false;
      for (size_t i = 0; i < before.size(); ++i)
        wrote =
            wrote || (before[i].size() != 0 && std::memcmp(before[i].data(), after[i].data(), before[i].size()) != 0);
      if (spoke || wrote)
        refused = rejection{verdict::cheating,
                            spoke ? rule_name::early_done : rule_name::late_write,
                            "the call was reported done before its work was",
                            {{"seen_as", to_string(refused->result)}}};
    }
  }
  costs_.check_ns += ns_since(called);
  if (!refused)
    return times;
  tell_where(inputs, set, *refused);
  return refusal(std::move(*refused));
}

} // namespace kevolve
