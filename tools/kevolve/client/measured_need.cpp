#include "tools/kevolve/client/measured_need.hpp"

#include "backends/judge/native/native_reference.hpp"
#include "backends/judge/own_error.hpp"
#include "backends/target.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/base/sandbox.hpp"
#include "tools/kevolve/client/reference_check.hpp"

#include <chrono>

namespace kevolve {

namespace {

constexpr std::chrono::milliseconds patience{250}; // of work, for each shape
constexpr std::chrono::seconds whole_limit{60};

// Returns the errors by argument of the object that stands for the reference.
result<std::vector<tolerance_need>> errors_of(native_sandbox& sandbox, const task_spec& task, const std::string& object,
                                              const std::string& oracle) {
  judge_request q;
  q.mode = judge_mode::admit;
  q.task = task.task;
  q.reference = object;
  q.oracle = oracle;
  request_hooks hooks;
  hooks.progress = [](const std::string&) {};
  hooks.cancelled = [] { return false; };
  hooks.deadline = std::chrono::steady_clock::now() + whole_limit;
  judge_context context{judge_settings{}};
  context.references = native_references(sandbox);
  input_set_maker maker{
      context.references.launch, context.settings, context.input_arena, context.input_cache, q, hooks};
  std::vector<tolerance_need> needs(q.task.arguments.size());
  if (auto ok = add_own_errors(maker, q, patience, needs); !ok) {
    const auto& wrong = ok.error();
    if (wrong.trouble)
      return fail(errc::unavailable, wrong.trouble.detail);
    return fail(errc::bad_input, wrong.refused.detail);
  }
  return needs;
}

} // namespace

result<std::map<std::string, measured_need>> measure_need(const task_spec& task) {
  auto built = build_reference(task);
  if (!built)
    return tl::unexpected(built.error());
  auto hardware = make_target("cpu", helper_directory());
  if (!hardware)
    return fail(errc::unavailable, hardware.error().detail);
  const auto cores = (*hardware)->compile_server().cores; // the timing core may be another's
  native_settings settings;
  settings.zygote_path = helper_directory() + "/kevolve-zygote";
  settings.core = cores.empty() ? 0 : cores.front();
  settings.thread_cores = {settings.core};
  native_sandbox sandbox{settings};
  if (auto started = sandbox.zygote.start(); !started)
    return fail(errc::unavailable, started.error().detail);
  if (auto weak = refusal_of_level(sandbox.zygote.sandbox_level(), {}); !weak.empty())
    return fail(errc::unavailable, weak);
  const auto own = errors_of(sandbox, task, built->reference, built->oracle);
  if (!own)
    return tl::unexpected(own.error());
  // A build that may ignore infinities may fail where the reference does not: then its errors tell nothing.
  const auto reordered = built->reordered.empty() ? result<std::vector<tolerance_need>>{fail(errc::unsupported, "")}
                                                  : errors_of(sandbox, task, built->reordered, built->oracle);
  std::map<std::string, measured_need> out;
  for (size_t i = 0; i < own->size(); ++i)
    if ((*own)[i].draws > 0)
      out[task.task.arguments[i].name] = {(*own)[i], reordered ? (*reordered)[i] : tolerance_need{}};
  return out;
}

} // namespace kevolve
