// The calls of a native candidate alone, before and after it is timed.
#include "backends/judge/native/native_process_pair.hpp"

#include "backends/judge/native/procfs.hpp"
#include "backends/judge/test_set.hpp"
#include "backends/judge/work_clock.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <algorithm>

namespace kevolve {

namespace {

using std::chrono::nanoseconds;

constexpr auto fence_limit = std::chrono::seconds{1};

} // namespace

fenced_rooms native_process_pair::rooms_for(const input_sets& inputs) const {
  std::vector<size_t> bytes(request_.task.arguments.size());
  for (const auto& set : inputs.sets)
    for (const auto& place : set.layout.places)
      bytes[place.argument] = std::max(bytes[place.argument], place.bytes);
  return fence_rooms(request_.task, bytes);
}

size_t native_process_pair::arena_bytes_for(const input_sets& inputs) const {
  return std::max(inputs.largest_layout(), rooms_for(inputs).total);
}

attempt<void> native_process_pair::fence_for(const input_sets& inputs) {
  if (fenced_for_ == &inputs)
    return {};
  rooms_ = rooms_for(inputs);
  if (auto refused = candidate_.fence(rooms_.fences, rooms_.read_only, fence_limit)) {
    if (refused->rule == rule_name::exited)
      refused->detail += ", or its memory cannot be fenced: it unmapped the judge's, or has mapped too much";
    return refusal(std::move(*refused));
  }
  fenced_for_ = &inputs;
  return {};
}

attempt<void> native_process_pair::screen(const input_sets& inputs, size_t set, int runs) {
  return screen(inputs, set, runs, {nan_poison(random_.next()), 0x4049'0fdb'4049'0fdbULL, 0, 0});
}

attempt<void> native_process_pair::screen_as_reference(const input_sets& inputs, size_t set, bool thoroughly) {
  const auto poison = nan_poison(random_.next());
  return screen(inputs, set, thoroughly ? 4 : 2, {poison, 0x4049'0fdb'4049'0fdbULL, 0, poison ^ poison_signs});
}

attempt<void> native_process_pair::screen(const input_sets& inputs, size_t set, int runs,
                                          const std::array<uint64_t, 4>& poisons) {
  const auto& s = inputs.sets.at(set);
  ++report_.seeds;
  for (int run = 0; run < runs; ++run) {
    call_options options;
    // NaN shows what is read but never written; finite garbage and zeros show what NaN hides from min and max.
    options.poison = poisons.at(static_cast<size_t>(run) % poisons.size());
    options.limit = limit_for(inputs, 0.0);
    options.again = run > 0;
    auto took = checked_call(timed_side::candidate, inputs, s, options, &report_);
    if (!took)
      return tl::unexpected<evaluation_error>(took.error());
    if (run == 0) {
      if (runs > 1)
        checker_.keep_outputs(s);
      continue;
    }
    if (auto i = checker_.changed_output())
      return refusal({verdict::nondeterministic,
                      rule_name::rerun,
                      "output '" + request_.task.arguments[*i].name
                          + "' differs between calls on the same input; only what lay in the outputs before differed",
                      {{"argument", request_.task.arguments[*i].name}}});
  }
  return {};
}

attempt<calls_made> native_process_pair::call_for(const input_sets& inputs, size_t most_calls,
                                                  std::chrono::duration<double, std::nano> time) {
  // A machine that is busier has no time for all calls, and the node hears nothing meanwhile.
  constexpr int most_wall = 10;
  const auto latest = std::chrono::steady_clock::now() + most_wall * time;
  work_clock clock;
  calls_made made;
  for (; made.calls < most_calls && clock.spent() < time && std::chrono::steady_clock::now() < latest; ++made.calls) {
    call_options options;
    options.poison = nan_poison(random_.next());
    options.limit = limit_for(inputs, 0.0);
    const auto& set = inputs.sets.at(made.calls % inputs.sets.size());
    if (auto took = checked_call(timed_side::candidate, inputs, set, options, &report_); !took)
      return tl::unexpected<evaluation_error>(took.error());
    clock.add(candidate_.worked());
  }
  made.work = clock.spent();
  return made;
}

attempt<void> native_process_pair::screen_for(const input_sets& inputs, std::chrono::milliseconds time) {
  constexpr size_t most_calls = 10'000;
  const auto made = call_for(inputs, most_calls, time);
  return made ? attempt<void>{} : tl::unexpected<evaluation_error>(made.error());
}

attempt<calls_made> native_process_pair::screen_a_few(const input_sets& inputs, size_t most_calls,
                                                      std::chrono::duration<double, std::nano> time) {
  return call_for(inputs, random_.below(most_calls + 1), time);
}

attempt<void> native_process_pair::screen_as_usual(const test_set& tests) {
  constexpr double most_ns = 1e6;
  for (const auto& shape : request_.task.shapes) {
    const auto* usual = tests.usual_of(shape);
    if (usual == nullptr || usual->sets.empty() || usual->typical_reference_ns() > most_ns
        || arena_bytes_for(*usual) > arena_.status_offset(0))
      continue;
    if (auto ok = screen(*usual, random_.below(usual->sets.size()), 1); !ok)
      return ok;
  }
  return {};
}

attempt<void> native_process_pair::screen_between_fences(const input_sets& inputs, size_t set, room_side side) {
  if (auto ok = fence_for(inputs); !ok)
    return ok;
  const auto& s = inputs.sets.at(set);
  const auto layout = lay_out_in(rooms_, request_.task, s.data.geometries, side);
  call_options options;
  options.poison = nan_poison(random_.next());
  options.limit = limit_for(inputs, 0.0);
  options.between_fences = &layout;
  if (auto took = checked_call(timed_side::candidate, inputs, s, options, &report_); !took)
    return tl::unexpected<evaluation_error>(took.error());
  return {};
}

int native_process_pair::stack_kib() const {
  return status_number(std::to_string(candidate_.pid()), "VmStk:");
}

attempt<double> native_process_pair::call_overhead() {
  constexpr size_t calls = 15;
  auto least = nanoseconds::max();
  for (size_t i = 0; i < calls; ++i) {
    nanoseconds one{0};
    if (auto refused = candidate_.empty_call(fence_limit, one))
      return refusal(std::move(*refused));
    least = std::min(least, one);
  }
  return static_cast<double>(least.count());
}

attempt<std::vector<measured_call>> native_process_pair::measure_calls(const input_sets& inputs, double enough_ns) {
  constexpr size_t calls = 5;
  std::vector<measured_call> out;
  while (out.size() < calls && (out.empty() || out.back().worked_ns < enough_ns)) {
    call_options options;
    options.poison = nan_poison(random_.next());
    options.limit = limit_for(inputs, 0.0);
    auto one =
        checked_call(timed_side::candidate, inputs, inputs.sets[out.size() % inputs.sets.size()], options, &report_);
    if (!one)
      return tl::unexpected<evaluation_error>(one.error());
    out.push_back({one->call_ns, static_cast<double>(candidate_.worked().count())});
  }
  return out;
}

} // namespace kevolve
