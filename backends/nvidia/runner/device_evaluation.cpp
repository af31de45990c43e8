// check, screening and confirm on a device: a candidate against the expected outputs, and against a baseline's time.
#include "backends/judge/baseline_pairs.hpp"
#include "backends/judge/figure.hpp"
#include "backends/judge/screening.hpp"
#include "backends/judge/test_set.hpp"
#include "backends/judge/timing_session.hpp"
#include "backends/nvidia/runner/bottleneck_notes.hpp"
#include "backends/nvidia/runner/clock_report.hpp"
#include "backends/nvidia/runner/device_process_pair.hpp"
#include "backends/nvidia/runner/framework_reference.hpp"
#include "backends/nvidia/runner/profiling.hpp"
#include "backends/nvidia/runner/sanitised_replay.hpp"

#include <algorithm>

namespace kevolve::cuda {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

// Made once for all candidates of a task. The more sets, the fewer fresh workers: none meets a set twice.
constexpr test_set_sizes device_sizes{{4, 64, milliseconds{5000}}, {3, 6, milliseconds{500}}};
// A device is not shared as a core is: its first pairs may be believed, however short the calls.
// A fresh worker may leave the other side as it is, so that its sessions are no sessions: its interval is within one.
constexpr timing_rules device_timing{2, milliseconds{0}, 0.0, milliseconds{0}, false, 5, 1};
constexpr uint32_t final_long_run_ms = 1000; // what the final confirmation asks for: the figure that people are told
constexpr uint32_t compiled_pairs = 11;

class device_evaluation {
public:
  device_evaluation(gpu_judge_context& b, const judge_request& request, const request_hooks& hooks, judge_outcome& out)
      : judge_(b), request_(request), hooks_(hooks), out_(out), test_set_(b.common, device_sizes, request, hooks_),
        processes_(b, request, out.correctness), comparison_(processes_, request.delta, out.correctness) {
    out_.correctness.bit_equal = true;
  }

  attempt<void> run() {
    auto ended = judge();
    out_.evidence.merge(processes_.costs());
    const auto ending = steady_clock::now();
    processes_.end(ended || (!ended.error().trouble && !doubts_device(ended.error())));
    const auto whole = steady_clock::now();
    note_rest("pools", gathering_);
    note_rest("end", whole - ending);
    note_rest("watch", watched_);
    note_rest("redraw", redrawing_);
    note_rest("other", whole - start_ - gathering_ - watched_ - redrawing_ - (whole - ending)
                           - nanoseconds{static_cast<int64_t>(processes_.own_ns())});
    judge_.pairs_of_workers = std::max(judge_.pairs_of_workers, processes_.pairs_of_workers());
    // A driver ends what a killed process had on the device when it comes to it.
    if (!ended && (ended.error().trouble || doubts_device(ended.error())))
      judge_.examiner.abandon_arena();
    // A device that is sick must not be taken for a bad candidate.
    if (!ended && doubts_device(ended.error()))
      if (auto healthy = check_health(judge_); !healthy)
        return healthy;
    return ended;
  }

private:
  attempt<void> judge() {
    // A refusal that needs neither the device nor the inputs comes first.
    if (auto code = read_program(request_.candidate, request_.task); !code)
      return tl::unexpected(code.error());
    const auto start = steady_clock::now();
    auto gathered = gather();
    gathering_ = steady_clock::now() - start;
    if (!gathered)
      return gathered;
    if (auto ok = processes_.open(test_set_.all()); !ok)
      return ok;
    if (auto ok = screen_all(); !ok)
      return ok;
    // A candidate that is not faster needs no close look at what it leaves out on large shapes.
    if (request_.mode != judge_mode::screening)
      if (auto ok = screen_closely(); !ok)
        return ok;
    if (request_.mode == judge_mode::check)
      return {};
    if (judge_.device.pageable_access)
      out_.evidence["host_memory"] = "this device reads and writes any memory of a worker's process, its clock's too: "
                                     "what the runner's own clock witnesses is all that stands against that";
    auto stranger = note_noise("before");
    auto compared =
        run_timing_session(device_timing, judge_.settings.common.calm, request_, hooks_, processes_, comparison_, out_);
    if (!comparison_.has_baseline() && request_.mode == judge_mode::screening && compared) {
      out_.evidence["rival"] = "none: timed alone";
      out_.estimate = true;
    }
    const bool is_final = request_.long_run_ms >= final_long_run_ms;
    if (compared && request_.baselines_ms > 0)
      compared = note_baselines();
    stranger = note_noise("after") || stranger;
    report_clocks(comparison_.shapes(), processes_.clocks(), judge_.peaks.event_floor_ns, out_);
    note_bottlenecks(judge_, request_, comparison_.shapes(), processes_.clocks(), processes_.kernels(), out_);
    if (!compared)
      return compared;
    if (stranger) {
      // The effect of a stranger's work on either time is unknown.
      out_.evidence["disturbed"] = "other processes use the device";
      doubt();
    }
    if (auto broken = break_witness(comparison_.shapes(), processes_.clocks()))
      return refusal(std::move(*broken));
    if (auto broken = break_physics(out_.timings))
      return refusal(std::move(*broken));
    if (request_.mode == judge_mode::screening && out_.decision == comparison_decision::faster)
      if (auto ok = screen_closely(); !ok)
        return ok;
    if (request_.mode == judge_mode::confirm && (is_final || out_.decision == comparison_decision::faster))
      if (auto ok = replay_sanitised(judge_, request_, test_set_, hooks_, out_); !ok)
        return ok;
    // A candidate that may be improved on is profiled, when all that is timed has been.
    if (request_.mode == judge_mode::confirm && out_.decision == comparison_decision::faster)
      note_profile(judge_, request_, test_set_.compared(), hooks_, out_);
    return {};
  }

  // Times the reference in the other modes, while there is time: each compiles. The candidate is checked beside each.
  attempt<void> note_baselines() {
    if (!processes_.against_framework())
      return {};
    const auto start = steady_clock::now();
    const auto until = start + milliseconds{request_.baselines_ms};
    hooks_.deadline += until - start; // what comes after them keeps its part of the request's time
    baseline_figures all;
    for (const auto mode : baselines_on_gpu()) {
      auto figure = against(mode, until);
      if (!figure)
        return tl::unexpected(figure.error());
      all.push_back(std::move(*figure));
    }
    hooks_.deadline -= until - steady_clock::now();
    note_rest("baselines", steady_clock::now() - start);
    kevolve::note_baselines(out_.evidence, all);
    out_.evidence["baselines.conditions"] =
        numerics_text(request_.task.timing.tf32)
        + "; cudnn.benchmark on for all; weights are inputs of every call and are prepared by neither side; only the "
          "device's time counts, so that launches are free to all";
    return {};
  }

  attempt<baseline_figure> against(framework_mode mode, steady_clock::time_point until) {
    const auto name = baseline_name(mode);
    std::vector<shape_baseline> shapes;
    for (size_t i = 0; i < comparison_.shapes().size(); ++i) {
      const auto& compared = comparison_.shapes()[i];
      const auto& shape = compared.inputs->shape;
      if (shape.held_out)
        continue;
      if (mode == framework_mode::eager) { // the pairs of the confirmation
        shapes.push_back({figure_of_pairs(name, compared.baseline_ns, compared.candidate_ns), shape.weight});
        note_on_shape(out_.evidence, shapes.back().figure, shape.name);
        continue;
      }
      if (hooks_.cancelled() || steady_clock::now() >= until)
        return untimed(name, "no time left");
      hooks_.progress(name + " on " + shape.name);
      auto one = processes_.against(comparison_, i, mode, compiled_pairs, until);
      if (!one || one->speedup == 0.0)
        return one;
      note_on_shape(out_.evidence, *one, shape.name);
      shapes.push_back({std::move(*one), shape.weight});
    }
    return over_shapes(shapes);
  }

  void doubt() {
    if (out_.decision != comparison_decision::screened)
      out_.decision = comparison_decision::undecided;
    out_.estimate = true;
  }

  void note_rest(const char* part, nanoseconds took) {
    out_.evidence[std::string{"ms."} + part] = figure(static_cast<double>(took.count()) / 1e6, 5);
  }

  // Clocks, and whether there are more processes on the device than are ours.
  bool note_noise(const std::string& when) {
    const auto start = steady_clock::now();
    const auto ours = own_processes(judge_);
    const auto w = look(judge_, ours).value_or(device_noise{});
    watched_ += steady_clock::now() - start;
    const auto note = [&](const char* what, const auto& value) {
      if (value)
        out_.evidence[std::string{what} + "." + when] = std::to_string(*value);
    };
    note("sm_mhz", w.sm_mhz);
    note("memory_mhz", w.memory_mhz);
    note("milliwatts", w.milliwatts);
    note("celsius", w.celsius);
    note("throttle_reasons", w.throttle_reasons);
    note("processes", w.processes);
    return w.processes && *w.processes > ours;
  }

  attempt<void> gather() {
    if (auto ok = test_set_.gather(); !ok)
      return ok;
    out_.correctness.reference_max_abs = std::max(out_.correctness.reference_max_abs, test_set_.reference_max_abs());
    comparison_.redraw_with([this](size_t index, size_t set) -> attempt<void> {
      const auto start = steady_clock::now();
      auto drawn = test_set_.redraw(index, set);
      redrawing_ += steady_clock::now() - start;
      return drawn;
    });
    for (const auto& inputs : test_set_.compared()) {
      note_place(*inputs);
      auto floor = floor_of(judge_, request_, *inputs);
      if (!floor)
        return tl::unexpected(floor.error());
      comparison_.add_shape(inputs, *floor);
    }
    if (auto told = redrawn(test_set_.all()); !told.empty())
      out_.evidence["redrawn"] = std::move(told);
    if (auto told = test_set_.own_weights(); !told.empty())
      out_.evidence["draws.own_weights"] = std::move(told);
    return {};
  }

  void note_place(const input_sets& inputs) {
    if (!inputs.sets.empty() && !inputs.shape.held_out)
      out_.evidence["inputs." + inputs.shape.name] =
          std::to_string(inputs.sets.size()) + (inputs.sets.front().remote ? " sets, drawn on the device" : " sets");
  }

  attempt<void> screen_all() {
    if (auto ok = screen_shapes(processes_, test_set_, hooks_); !ok)
      return ok;
    for (const auto& inputs : test_set_.edges())
      if (auto ok = screen_every_set(processes_, *inputs, request_, out_); !ok)
        return ok;
    return request_.mode == judge_mode::confirm ? run_long() : attempt<void>{};
  }

  // Right at first is not right always: a candidate that may be called best answers many calls in one process, on every
  // shape that is compared. The comparison starts with a process that has met no set.
  attempt<void> run_long() {
    for (const auto& inputs : test_set_.compared()) {
      if (auto ok = still_wanted(hooks_); !ok)
        return ok;
      hooks_.progress("long run on " + inputs->shape.name);
      if (auto ok = processes_.screen(*inputs, 0, 3); !ok)
        return ok;
      const auto calls = processes_.screen_for(*inputs, milliseconds{request_.long_run_ms});
      if (!calls)
        return tl::unexpected(calls.error());
      out_.evidence["long_run." + inputs->shape.name] = std::to_string(*calls) + " calls in one process";
    }
    return processes_.renew();
  }

  // Screens edge values on the other shapes that are compared, or all, made one at a time, for they may be large; then
  // adversarial draws.
  attempt<void> screen_closely() {
    hooks_.progress("edges");
    for (const auto* shape : test_set_.larger())
      for (const auto edge : edges_of(request_.task)) {
        if (auto ok = still_wanted(hooks_); !ok)
          return ok;
        const auto start = steady_clock::now();
        auto inputs = test_set_.edge_of(*shape, edge);
        gathering_ += steady_clock::now() - start;
        if (!inputs)
          return tl::unexpected(inputs.error());
        if (auto ok = processes_.reopen(**inputs); !ok)
          return ok;
        if (auto ok = screen_every_set(processes_, **inputs, request_, out_); !ok)
          return ok;
      }
    const auto start = steady_clock::now();
    auto planned = test_set_.planned();
    gathering_ += steady_clock::now() - start;
    if (!planned)
      return tl::unexpected(planned.error());
    return screen_draws(processes_, *planned, test_set_, request_, hooks_, gathering_, out_,
                        [] { return attempt<void>{}; }); // what a kernel decides is in globals, which each call clears
  }

  const steady_clock::time_point start_ = steady_clock::now();
  nanoseconds gathering_{0};
  nanoseconds watched_{0};
  nanoseconds redrawing_{0};
  gpu_judge_context& judge_;
  const judge_request& request_;
  request_hooks hooks_; // the deadline is extended by the time of the baselines
  judge_outcome& out_;
  test_set test_set_;
  device_process_pair processes_;
  paired_comparison comparison_;
};

} // namespace

attempt<void> evaluate_candidate(gpu_judge_context& b, const judge_request& request, const request_hooks& hooks,
                                 judge_outcome& out) {
  return device_evaluation{b, request, hooks, out}.run();
}

} // namespace kevolve::cuda
