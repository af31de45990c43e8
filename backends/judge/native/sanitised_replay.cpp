#include "backends/judge/native/sanitised_replay.hpp"

#include "backends/judge/call_check.hpp"
#include "backends/judge/pattern.hpp"
#include "backends/judge/test_set.hpp"
#include "backends/judge/timing_session.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace kevolve {

namespace {

using std::chrono::nanoseconds;

// The first round is one draw of each shape and edge. Candidates that are replayed are faster than the reference, by
// which the time is estimated.
constexpr double first_round_ns = 2.5e9;
constexpr double more_ns = 0.4e9;
// A call may take this many times the reference's time, and at least so long.
constexpr double patience = 300.0;
constexpr auto least_limit = std::chrono::seconds{5};
// Red zones, freed blocks that are kept, and the shadow of all.
constexpr uint64_t memory_factor = 3;
// The note of a dying process lies before the report.
constexpr size_t report_distance = 64;

std::string key_of(const wire::replay_finding& f) {
  return {f.key, strnlen(f.key, sizeof(f.key))};
}

bool writes(const std::string& key) {
  return key.find(" on write ") != std::string::npos || key == "wild access";
}

} // namespace

sanitised_replay::sanitised_replay(native_sandbox& sandbox, const judge_request& request, const request_hooks& hooks)
    : sandbox_(sandbox), request_(request), hooks_(hooks), random_(secret_seed()) {}

std::string sanitised_replay::excuses() const {
  std::string out;
  for (const auto& key : excused_)
    out += key + ";";
  return out;
}

std::vector<wire::replay_finding> sanitised_replay::findings() const {
  auto& arena = sandbox_.replay_arena;
  wire::replay_report report = {};
  std::memcpy(&report, arena.data() + arena.status_offset(1) + report_distance, sizeof(report));
  return {report.findings, report.findings + std::min<size_t>(report.count, wire::max_findings)};
}

attempt<sanitised_replay::ended_call> sanitised_replay::launch(const std::string& object, const std::string& excused,
                                                               sandboxed_process& process) {
  process = sandboxed_process{};
  auto& arena = sandbox_.replay_arena;
  if (auto ok = arena.prepare(arena_bytes_); !ok)
    return infrastructure(ok.error());
  auto file = object_file::create(object);
  if (!file)
    return infrastructure(file.error());
  launch_options options;
  options.task = &request_.task;
  options.memory_bytes = memory_factor * sandbox_.settings.memory_bytes;
  options.cores = {sandbox_.settings.core};
  if (request_.task.threads)
    options.cores = sandbox_.settings.thread_cores;
  options.report_offset = arena.status_offset(1) + report_distance;
  options.excused = excused;
  ended_call out;
  auto launched = sandboxed_process::launch(sandbox_.replayer, arena, *file, options, out.refused);
  if (!launched) {
    cannot_ = to_string(launched.error());
    return out;
  }
  if (out.refused) {
    if (auto all = findings(); !all.empty())
      out.finding = all.back();
    return out;
  }
  process = std::move(*launched);
  return out;
}

attempt<sanitised_replay::ended_call> sanitised_replay::call(sandboxed_process& process, const replay_draw& draw) {
  const nanoseconds left = hooks_.deadline - std::chrono::steady_clock::now();
  if (left <= nanoseconds{0})
    return infrastructure(fault_kind::timed_out, "the request's limit passed");
  const auto& task = request_.task;
  const auto& set = draw.inputs->sets.at(draw.set);
  auto& arena = sandbox_.replay_arena;
  call_memory memory{task, set.data, set.layout, arena};
  const auto poison = nan_poison(random_.next());
  memory.set_up(poison);
  std::array<uint64_t, 2 * wire::max_arguments> values{};
  memory.fill_values(values.data());
  for (const auto& place : set.layout.places)
    values.at(task.arguments.size() + place.argument) = place.bytes;

  const auto usual = nanoseconds{static_cast<int64_t>(patience * draw.inputs->typical_reference_ns())};
  nanoseconds took{0};
  ended_call out;
  out.refused = process.call(values.data(), 2 * task.arguments.size(),
                             std::min(left, std::max<nanoseconds>(usual, least_limit)), took);
  if (out.refused && out.refused->result == verdict::timeout && hooks_.deadline <= std::chrono::steady_clock::now())
    return infrastructure(fault_kind::timed_out, "the request's limit passed during a call");
  if (out.refused) {
    if (auto all = findings(); !all.empty())
      out.finding = all.back();
    return out;
  }
  // An answer without a call leaves the outputs as they were.
  for (const auto& place : set.layout.places) {
    const auto& a = task.arguments[place.argument];
    if (!is_read(a) && counted_elements(task, set, place.argument) > 0
        && holds(arena.data(), place.offset, place.offset + place.bytes, poison)) {
      out.refused = rejection{verdict::cheating,
                              rule_name::early_done,
                              "output '" + a.name
                                  + "' was not written by a call that was "
                                    "reported done",
                              {{"argument", a.name}}};
      process.end();
      return out;
    }
  }
  // Variables and allocated memory that nobody wrote hold a pattern here, which shows in what is made of them. A
  // finding that was excused lies where the judge's own bytes would be checked.
  check_options checks;
  checks.near_ties = true;
  if (findings().empty())
    out.refused = check_call(task, memory, *draw.inputs, set, checks, nullptr);
  if (out.refused) {
    out.refused->detail += "; memory that nobody wrote holds a pattern there";
    process.end();
  }
  return out;
}

bool sanitised_replay::shown_by_reference(const std::string& key, const replay_draw& draw) {
  // A write elsewhere is refused even if the reference does it, too.
  if (request_.sanitised_reference.empty() || writes(key))
    return false;
  sandboxed_process reference;
  const auto launched = launch(request_.sanitised_reference, "*", reference);
  if (!launched || launched->refused || !reference.alive())
    return false;
  if (const auto ended = call(reference, draw); !ended)
    return false;
  const auto all = findings();
  return std::any_of(all.begin(), all.end(), [&](const auto& f) { return key_of(f) == key; });
}

attempt<void> sanitised_replay::try_draw(sandboxed_process& process, const replay_draw& draw, judge_outcome& out) {
  for (;;) {
    auto ended = ended_call{};
    if (!process.alive()) {
      auto launched = launch(request_.sanitised, excuses(), process);
      if (!launched)
        return tl::unexpected<evaluation_error>(launched.error());
      if (!cannot_.empty())
        return {};
      ended = std::move(*launched);
    }
    if (!ended.refused) {
      auto called = call(process, draw);
      if (!called)
        return tl::unexpected<evaluation_error>(called.error());
      ended = std::move(*called);
    }
    if (!ended.refused)
      return {};
    const auto found =
        ended.finding ? std::optional{refusal_of(request_.task, *ended.finding, request_.sanitised)} : std::nullopt;
    if (found && excused_.size() < wire::max_findings && !excused_.contains(key_of(*ended.finding))
        && shown_by_reference(key_of(*ended.finding), draw)) {
      excused_.insert(key_of(*ended.finding));
      auto& note = out.evidence[sanitised_note_evidence];
      note += (note.empty() ? "" : "; ") + found->detail + ": the reference shows it, too";
      continue;
    }
    auto refused = found ? *found : *ended.refused;
    refused.detail = (found ? "" : "in the sanitised replay, ") + refused.detail;
    refused.evidence["replayed"] = "sanitised";
    tell_where(*draw.inputs, draw.inputs->sets.at(draw.set), refused);
    return refusal(std::move(refused));
  }
}

attempt<void> sanitised_replay::replay(const replay_plan& plan, judge_outcome& out) {
  sandboxed_process process;
  for (const auto& draw : plan.draws) {
    if (auto ok = still_wanted(hooks_); !ok)
      return ok;
    if (auto ok = try_draw(process, draw, out); !ok || !cannot_.empty())
      return ok;
  }
  // The end: a token that the process meets after its last call, when the object is unloaded.
  nanoseconds took{0};
  if (process.alive())
    if (auto refused = process.empty_call(least_limit, took)) {
      if (const auto all = findings(); !all.empty() && !excused_.contains(key_of(all.back())))
        refused = refusal_of(request_.task, all.back(), request_.sanitised);
      refused->detail = "at the end of the sanitised replay, " + refused->detail;
      refused->evidence["replayed"] = "sanitised";
      return refusal(std::move(*refused));
    }
  out.evidence[sanitised_evidence] = describe(plan);
  return {};
}

attempt<void> sanitised_replay::run(const std::vector<std::shared_ptr<const input_sets>>& all_inputs,
                                    judge_outcome& out) {
  if (request_.sanitised.empty()) {
    if (!request_.unsanitised.empty())
      out.evidence[unsanitised_evidence] = request_.unsanitised;
    return {};
  }
  if (auto refused = refuse_evasion(request_.candidate, request_.sanitised))
    return refusal(std::move(*refused));
  hooks_.progress("sanitised replay");
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::shared_ptr<const input_sets>> judged;
  for (const auto& inputs : all_inputs)
    if (why_skipped(*inputs, request_).empty())
      judged.push_back(inputs);
  const auto plan = plan_replay(judged, first_round_ns, more_ns);
  for (const auto& draw : plan.draws)
    arena_bytes_ = std::max(arena_bytes_, draw.inputs->largest_layout());
  if (::access(sandbox_.settings.replay_path.c_str(), X_OK) != 0)
    cannot_ = "kevolve-sanitised-replay is missing: apt-get install libclang-rt-19-dev, then build";
  else if (auto ready = sandbox_.replayer.provide(request_.task.libraries); !ready)
    cannot_ = to_string(ready.error());
  auto ended = cannot_.empty() ? replay(plan, out) : attempt<void>{};
  out.evidence["ms.sanitised"] = std::to_string(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start).count());
  if (ended && !cannot_.empty())
    out.evidence[unsanitised_evidence] = cannot_;
  return ended;
}

} // namespace kevolve
