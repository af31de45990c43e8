#include "backends/judge/native/native_judge_context.hpp"

#include "runtime/base/fault_kinds.hpp"

namespace kevolve {

namespace {

attempt<void> probe(native_judge_context& c, judge_outcome& out) {
  if (auto ok = c.peaks.measure(); !ok)
    return infrastructure(fault_kind::device_sick, ok.error().detail);
  for (auto& [name, value] : c.peaks.facts())
    out.evidence[name] = value;
  return {};
}

attempt<void> dispatch(native_judge_context& c, const judge_request& request, const request_hooks& hooks,
                       judge_outcome& out) {
  if (request.mode == judge_mode::probe)
    return probe(c, out);
  if (auto provided = c.sandbox.zygote.provide(request.task.libraries); !provided)
    return infrastructure(provided.error());
  switch (request.mode) {
    case judge_mode::admit:
      if (auto ok = admit(c.common, request, hooks, out); !ok)
        return ok;
      if (!request.module.empty() && request.baselines_ms > 0)
        note_eager(c.module, c.common, request, hooks, out.evidence);
      return {};
    case judge_mode::check:
    case judge_mode::screening:
    case judge_mode::confirm:
      return evaluate_candidate(c, request, hooks, out);
    default:
      return infrastructure(fault_kind::protocol, "no such mode");
  }
}

} // namespace

native_judge_context::native_judge_context(judge_settings s, native_settings native)
    : common(std::move(s)), sandbox(std::move(native)),
      peaks(sandbox.settings.thread_cores.empty() ? 1 : sandbox.settings.thread_cores.size()) {
  common.references = native_references(sandbox);
}

judge_outcome evaluate_request(native_judge_context& c, const judge_request& request, const request_hooks& hooks) {
  auto out = run_request(request, "judge", [&](judge_outcome& o) { return dispatch(c, request, hooks, o); });
  out.sandbox_level = c.sandbox.zygote.sandbox_level();
  return out;
}

attempt<double> floor_of(native_judge_context& c, const judge_request& request, const input_sets& inputs) {
  if (!c.peaks.measured())
    if (auto ok = c.peaks.measure(); !ok)
      return infrastructure(fault_kind::device_sick, ok.error().detail);
  const auto peaks = request.task.threads ? c.peaks.of_all_cores() : c.peaks.of_core();
  double least = 0.0;
  for (const auto& set : inputs.sets) {
    auto ns = physics_floor_ns(request.task, set.data, working_set_bytes(set.data), peaks);
    if (!ns)
      return infrastructure(fault_kind::internal, "the declared work: " + to_string(ns.error()));
    least = &set == &inputs.sets.front() ? *ns : std::min(least, *ns);
  }
  return least;
}

} // namespace kevolve
