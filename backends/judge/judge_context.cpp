#include "backends/judge/judge_context.hpp"

#include <exception>
#include <new>

namespace kevolve {

namespace {

using std::chrono::steady_clock;

attempt<void> probe(judge_context& c, judge_outcome& out) {
  if (auto ok = c.peaks.measure(); !ok)
    return infrastructure("device_sick", ok.error().detail);
  for (auto& [name, value] : c.peaks.facts())
    out.evidence[name] = value;
  return {};
}

attempt<void> dispatch(judge_context& c, const judge_request& request, const request_hooks& hooks, judge_outcome& out) {
  switch (request.mode) {
    case judge_mode::admit:
      return admit(c, request, hooks, out);
    case judge_mode::check:
      return check(c, request, hooks, out);
    case judge_mode::screening:
    case judge_mode::confirm:
      return screening(c, request, hooks, out);
    case judge_mode::probe:
      return probe(c, out);
  }
  return infrastructure("protocol", "no such mode");
}

} // namespace

judge_context::judge_context(judge_settings s)
    : settings(std::move(s)), zygote(settings.zygote_path,
                                     [this] {
                                       auto cores = settings.thread_cores;
                                       cores.push_back(settings.core);
                                       return cores;
                                     }()),
      pools(settings.cache_bytes), peaks(settings.thread_cores.empty() ? 1 : settings.thread_cores.size()),
      launch_reference(native_launcher(zygote, settings)) {}

judge_outcome evaluate_request(judge_context& c, const judge_request& request, const request_hooks& hooks) {
  const auto start = steady_clock::now();
  judge_outcome out;
  out.job = request.job;
  attempt<void> ended;
  try {
    const auto provided = request.mode == judge_mode::probe ? result<void>{} : c.zygote.provide(request.task.libraries);
    ended = provided ? dispatch(c, request, hooks, out) : infrastructure(provided.error());
  } catch (const std::bad_alloc&) {
    ended = infrastructure("no_space", "the judge has no memory for this task's arrays");
  } catch (const std::exception& e) {
    ended = infrastructure("internal", e.what());
  }
  if (ended)
    out.result = verdict::pass;
  else {
    auto& s = ended.error();
    out.trouble = s.trouble;
    out.decision = comparison_decision::undecided;
    if (tells_of_conduct(s)) {
      out.result = s.refused.result;
      out.rule = s.refused.rule;
      out.detail = s.refused.detail;
      out.evidence.merge(s.refused.evidence);
    }
  }
  out.sandbox_level = c.zygote.sandbox_level();
  out.judge_ns = std::chrono::nanoseconds{steady_clock::now() - start}.count();
  return out;
}

} // namespace kevolve
