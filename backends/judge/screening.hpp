// The first calls of a candidate, alone and untimed, on a target's processes. `Processes` has
// `attempt<void> screen(const input_sets&, size_t set, int runs)`: that many calls on one set, each checked, all alike.
#pragma once

#include "backends/judge/figure.hpp"
#include "backends/judge/test_set.hpp"
#include "backends/judge/timing_session.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace kevolve {

// Returns false, with the reason as evidence, if candidates are not judged on these input sets.
inline bool may_judge_on(const input_sets& inputs, const judge_request& request, judge_outcome& out) {
  const auto key = "edge." + to_string(inputs.edge);
  if (auto text = left_out(inputs); !text.empty())
    out.evidence.try_emplace(key, std::move(text));
  auto why = why_skipped(inputs, request);
  if (why.empty())
    return true;
  out.evidence[key] = std::move(why);
  return false;
}

// Calls the candidate on the first two sets of each shape, several times on the first of the smallest.
template <class Processes>
attempt<void> screen_shapes(Processes& processes, const test_set& tests, const request_hooks& hooks) {
  hooks.progress("screen");
  bool first = true;
  for (const auto& inputs : tests.screens()) {
    if (auto ok = still_wanted(hooks); !ok)
      return ok;
    if (auto ok = processes.screen(*inputs, 0, first ? 3 : 1); !ok)
      return ok;
    if (inputs->sets.size() > 1)
      if (auto ok = processes.screen(*inputs, 1, 1); !ok)
        return ok;
    first = false;
  }
  return {};
}

// Calls the candidate once on every set, if candidates are judged on them.
template <class Processes>
attempt<void> screen_every_set(Processes& processes, const input_sets& inputs, const judge_request& request,
                               judge_outcome& out) {
  if (may_judge_on(inputs, request, out))
    for (size_t set = 0; set < inputs.sets.size(); ++set)
      if (auto ok = processes.screen(inputs, set, 1); !ok)
        return ok;
  return {};
}

// Calls the candidate, in processes of their own, on adversarial draws: on every other one in a screening, which is
// confirmed later. Those of large shapes are made here; `gathering` grows by the time that this takes. `call_as_usual`
// makes ordinary calls, at the start of each process and among the others: a candidate may decide in its first call for
// good how careful it is.
template <class Processes, class Usual>
attempt<void> screen_draws(Processes& processes, const std::vector<std::shared_ptr<const input_sets>>& all_inputs,
                           test_set& tests, const judge_request& request, const request_hooks& hooks,
                           std::chrono::nanoseconds& gathering, judge_outcome& out, Usual call_as_usual) {
  constexpr size_t most_in_a_row = 32; // even, since neighbours come in pairs
  using std::chrono::steady_clock;
  using milliseconds_of_double = std::chrono::duration<double, std::milli>;
  hooks.progress("adversarial draws");
  const auto start = steady_clock::now();
  const bool screening = request.mode == judge_mode::screening;
  draw_coverage seen{request.task};
  const auto screen = [&](const std::shared_ptr<const input_sets>& inputs) -> attempt<void> {
    seen.add(inputs->draws);
    if (inputs->sets.empty())
      return {};
    if (auto ok = processes.reopen_alone(*inputs); !ok)
      return ok;
    for (size_t set = 0; set < inputs->sets.size(); set += screening ? 2 : 1) {
      if (auto ok = still_wanted(hooks); !ok)
        return ok;
      if (set % most_in_a_row == 0)
        if (auto ok = call_as_usual(); !ok)
          return ok;
      if (auto ok = processes.screen(*inputs, set, screening ? 1 : 2); !ok)
        return ok;
      note_draw(seen, request.task, inputs->sets[set]);
    }
    return {};
  };
  for (const auto& inputs : all_inputs)
    if (auto ok = screen(inputs); !ok)
      return ok;
  const auto after_small = steady_clock::now();
  auto calls = std::chrono::nanoseconds{0};
  size_t large = 0;
  auto screened = tests.each_large([&](const auto& inputs) {
    const auto before = steady_clock::now();
    auto ok = screen(inputs);
    calls += steady_clock::now() - before;
    large += inputs->sets.size();
    return ok;
  });
  const auto end = steady_clock::now();
  gathering += end - after_small - calls;
  if (!screened)
    return screened;
  seen.note(out.evidence);
  out.evidence["ms.draws"] = figure(milliseconds_of_double{end - start}.count());
  if (large > 0) {
    out.evidence["draws.large_shapes"] = std::to_string(large);
    out.evidence["ms.draws.large_shapes"] = figure(milliseconds_of_double{end - after_small}.count());
  }
  return {};
}

} // namespace kevolve
