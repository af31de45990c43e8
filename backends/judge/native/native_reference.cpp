#include "backends/judge/native/native_reference.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/native/native_process_pair.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <array>

namespace kevolve {

namespace {

using std::chrono::nanoseconds;

class native_reference final : public reference_process {
public:
  explicit native_reference(sandboxed_process process) : process_(std::move(process)) {}

  bool alive() const override { return process_.alive(); }
  std::optional<rejection> call(const contract& task, const call_data& /*data*/, const arena_layout& /*layout*/,
                                const call_memory& memory, nanoseconds limit, nanoseconds& took) override {
    std::array<uint64_t, wire::max_arguments> values{};
    memory.fill_values(values.data());
    return process_.call(values.data(), task.arguments.size(), limit, took);
  }
  nanoseconds worked() const override { return process_.worked(); }

private:
  sandboxed_process process_;
};

std::vector<int> all_cores(const native_settings& settings) {
  auto cores = settings.thread_cores;
  cores.push_back(settings.core);
  return cores;
}

reference_launcher launcher(native_sandbox& sandbox) {
  return [&sandbox](const std::string& object, bool oracle, const contract& task,
                    shared_arena& arena) -> attempt<std::unique_ptr<reference_process>> {
    auto file = object_file::create(object);
    if (!file)
      return infrastructure(file.error());
    const auto& settings = sandbox.settings;
    launch_options options;
    options.task = &task;
    options.slot = oracle ? 1 : 0;
    options.memory_bytes = settings.memory_bytes * (task.threads ? 4 : 1);
    options.cores = task.threads ? settings.thread_cores : std::vector<int>{settings.core};
    std::optional<rejection> refused;
    auto out = sandboxed_process::launch(sandbox.zygote, arena, *file, options, refused);
    if (!out)
      return infrastructure(out.error());
    if (refused)
      return refusal(std::move(*refused));
    return std::make_unique<native_reference>(std::move(*out));
  };
}

attempt<void> judge_as_candidate(native_sandbox& sandbox, const reference_under_test& given, judge_outcome& out) {
  out.correctness.bit_equal = true;
  native_process_pair d{sandbox, given.request, given.hooks, out.correctness};
  if (auto ok = d.open(given.all_inputs); !ok)
    return ok;
  for (const auto& inputs : given.all_inputs)
    if (auto ok = d.screen_as_reference(*inputs, 0, inputs.get() == &given.smallest); !ok)
      return tl::unexpected<evaluation_error>(given.explain(*inputs, ok.error()));
  if (!out.correctness.bit_equal)
    return refusal({verdict::nondeterministic,
                    rule_name::nondeterministic_reference,
                    "the reference gives other bits for the same input than it gave a moment ago: it is not "
                    "deterministic",
                    {}});
  auto overhead = d.call_overhead();
  if (!overhead)
    return tl::unexpected<evaluation_error>(overhead.error());
  out.evidence["call_overhead_ns"] = figure(*overhead, 3);
  for (const auto& inputs : given.all_inputs)
    if (!inputs->shape.held_out) {
      auto calls = d.measure_calls(*inputs, short_call_limit_ns(*overhead));
      if (!calls)
        return tl::unexpected<evaluation_error>(calls.error());
      if (const auto usual = short_call_ns(*calls, *overhead))
        out.evidence["note.short"] =
            "a call of shape '" + inputs->shape.name + "' takes " + figure(*usual / 1e3, 3) + " us with the reference, "
            + figure(*overhead / 1e3, 3)
            + " us of which are the judge's own, waking and freezing the process, as of every time told: "
              "speedups on it are flattened towards 1; declare larger shapes";
    }
  for (const auto& inputs : given.all_inputs)
    for (const auto side : {room_side::back, room_side::front})
      if (auto ok = d.screen_between_fences(*inputs, side == room_side::back ? 0 : 1, side); !ok)
        return tl::unexpected<evaluation_error>(about("reference", ok.error()));
  if (auto ok = d.reopen_alone(*given.draws); !ok)
    return ok;
  for (size_t set = 0; set < given.draws->sets.size(); ++set)
    for (const auto side : {room_side::back, room_side::front})
      if (auto ok = d.screen_between_fences(*given.draws, set, side); !ok)
        return tl::unexpected<evaluation_error>(
            on_allowed_draw(about("reference", ok.error()), given.draws->sets[set].draw));
  return {};
}

} // namespace

native_sandbox::native_sandbox(native_settings s)
    : settings(std::move(s)), zygote(settings.zygote_path, all_cores(settings)),
      replayer(settings.replay_path, all_cores(settings)) {}

reference_runner native_references(native_sandbox& sandbox) {
  return {launcher(sandbox), [&sandbox](const reference_under_test& given, judge_outcome& out) {
            return judge_as_candidate(sandbox, given, out);
          }};
}

} // namespace kevolve
