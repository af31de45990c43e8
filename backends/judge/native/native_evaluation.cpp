// check, screening and confirm: a candidate against the expected outputs, and against a baseline's time.
#include "backends/judge/figure.hpp"
#include "backends/judge/native/edges_among_calls.hpp"
#include "backends/judge/native/native_judge_context.hpp"
#include "backends/judge/native/native_process_pair.hpp"
#include "backends/judge/native/sanitised_replay.hpp"
#include "backends/judge/paired_comparison.hpp"
#include "backends/judge/screening.hpp"
#include "backends/judge/test_set.hpp"
#include "backends/judge/timing_session.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace kevolve {

namespace {

using std::chrono::steady_clock;

constexpr test_set_sizes native_sizes{{4, 32, std::chrono::milliseconds{1500}},
                                      {4, 12, std::chrono::milliseconds{500}}};

double median(std::vector<double> values) {
  return interval_of_median(std::move(values)).median;
}

class native_evaluation {
public:
  native_evaluation(native_judge_context& c, const judge_request& request, const request_hooks& hooks,
                    judge_outcome& out)
      : judge_(c), request_(request), hooks_(hooks), out_(out), test_set_(c.common, native_sizes, request, hooks_),
        processes_(c.sandbox, request, hooks_, out.correctness),
        comparison_(processes_, request.delta, out.correctness) {
    out_.correctness.bit_equal = true;
  }

  attempt<void> run() {
    const auto start = steady_clock::now();
    auto ended = judge();
    if (!ended && ended.error().trouble.kind == fault_kind::timed_out && took_the_time(steady_clock::now() - start))
      ended = refusal({verdict::timeout,
                       rule_name::too_slow,
                       "its calls alone took " + figure(processes_.candidate_ns() / 1e9) + " s of the "
                           + figure(request_.limit_ms / 1e3) + " s that judging may take",
                       {{"calls", std::to_string(processes_.costs().calls)}}});
    account(steady_clock::now() - start);
    if (!ended) // what went before is no comfort
      out_.correctness.bit_equal = false;
    return ended;
  }

private:
  // Notes how the time was spent. The input sets are made once for all candidates of a task.
  void account(std::chrono::nanoseconds spent) {
    const auto& c = processes_.costs();
    out_.evidence["calls"] = std::to_string(c.calls);
    out_.evidence["ms.kernel"] = figure(c.kernel_ns / 1e6);
    out_.evidence["ms.read"] = figure(c.read_ns / 1e6);
    out_.evidence["ms.set_up"] = figure(c.set_up_ns / 1e6);
    out_.evidence["ms.check"] = figure(c.check_ns / 1e6);
    out_.evidence["ms.launch"] = figure(processes_.launch_ns() / 1e6);
    out_.evidence["ms.pools"] = figure(static_cast<double>(gathered_.count()) / 1e6);
    if (comparison_.redrawn() > 0) {
      out_.evidence["sets_redrawn"] = std::to_string(comparison_.redrawn());
      out_.evidence["ms.redraw"] = figure(static_cast<double>(redrawing_.count()) / 1e6);
    }
    out_.evidence["ms.whole"] = figure(static_cast<double>(spent.count()) / 1e6);
  }

  // Chance must have put the candidate in either place about as often.
  void note_draws() {
    const auto share_of = [](uint32_t part, uint32_t whole) {
      return std::to_string(part) + " of " + std::to_string(whole);
    };
    const auto& drawn = processes_.drawn();
    out_.evidence["launches"] = std::to_string(processes_.launches());
    out_.evidence["called_first"] = share_of(comparison_.candidate_first(), comparison_.played());
    out_.evidence["launched_first"] = share_of(drawn.launched_first, drawn.pairs);
    out_.evidence["in_second_slot"] = share_of(drawn.in_second_slot, drawn.pairs);
    out_.evidence["disturbed_pairs"] = std::to_string(comparison_.disturbed());
  }

  // A limit that passes is the candidate's doing when most of the time was: making inputs is not, nor is a busy
  // machine.
  bool took_the_time(std::chrono::nanoseconds spent) const {
    return processes_.candidate_ns() > 0.5 * static_cast<double>((spent - gathered_ - redrawing_).count());
  }

  attempt<void> judge() {
    const auto start = steady_clock::now();
    auto gathered = gather();
    gathered_ = steady_clock::now() - start;
    if (!gathered)
      return gathered;
    if (auto ok = screen_all(); !ok)
      return ok;
    // A candidate that is not faster needs no close look at what it leaves out, or touches that it may not.
    if (request_.mode != judge_mode::screening) {
      if (auto ok = screen_closely(); !ok)
        return ok;
    }
    if (request_.mode == judge_mode::check)
      return {};
    auto compared =
        run_timing_session({}, judge_.common.settings.calm, request_, hooks_, processes_, comparison_, out_);
    note_draws();
    if (compared && request_.mode == judge_mode::screening && out_.decision == comparison_decision::faster)
      compared = screen_closely();
    if (compared)
      compared = obey_physics();
    if (compared && !request_.module.empty()) {
      hooks_.deadline =
          std::max(hooks_.deadline, steady_clock::now()) + std::chrono::milliseconds{request_.baselines_ms};
      compared = module_baselines{judge_.module, request_, hooks_, processes_, comparison_}.run(out_.evidence);
    }
    return compared;
  }

  attempt<void> gather() {
    if (auto ok = test_set_.gather(); !ok)
      return ok;
    out_.correctness.reference_max_abs = std::max(out_.correctness.reference_max_abs, test_set_.reference_max_abs());
    if (auto told = redrawn(test_set_.all()); !told.empty())
      out_.evidence["redrawn"] = std::move(told);
    if (auto told = test_set_.own_weights(); !told.empty())
      out_.evidence["draws.own_weights"] = std::move(told);
    if (auto ok = processes_.open(test_set_.all()); !ok)
      return ok;
    comparison_.redraw_with([this](size_t index, size_t set) -> attempt<void> {
      hooks_.progress("new values for " + test_set_.compared()[index]->shape.name);
      const auto start = steady_clock::now();
      auto drawn = test_set_.redraw(index, set);
      redrawing_ += steady_clock::now() - start;
      return drawn;
    });
    for (const auto& inputs : test_set_.compared()) {
      auto floor = floor_of(judge_, request_, *inputs);
      if (!floor)
        return tl::unexpected<evaluation_error>(floor.error());
      comparison_.add_shape(inputs, *floor);
    }
    return {};
  }

  attempt<void> screen_all() {
    if (auto ok = screen_shapes(processes_, test_set_, hooks_); !ok)
      return ok;
    // Steady on the smallest shape is not steady on all: who may be called best is tried on each.
    if (request_.mode == judge_mode::confirm) {
      for (const auto& inputs : test_set_.compared()) {
        if (auto ok = processes_.screen(*inputs, 0, 3); !ok)
          return ok;
        if (auto ok = processes_.screen_for(*inputs, std::chrono::milliseconds{request_.long_run_ms}); !ok)
          return ok;
      }
      if (const auto kib = processes_.stack_kib(); kib > 0)
        out_.evidence["stack_kib"] = std::to_string(kib);
    }
    for (const auto& inputs : test_set_.edges())
      if (auto ok = screen_every_set(processes_, *inputs, request_, out_); !ok)
        return ok;
    return {};
  }

  attempt<void> screen_closely() {
    if (auto ok = screen_edges_among_calls(test_set_.smallest()); !ok)
      return ok;
    for (const auto* shape : test_set_.larger())
      if (auto ok = screen_edges_among_calls(*shape); !ok)
        return ok;
    const auto start = steady_clock::now();
    auto planned = test_set_.planned();
    gathered_ += steady_clock::now() - start;
    if (!planned)
      return tl::unexpected<evaluation_error>(planned.error());
    planned_ = std::move(*planned);
    if (auto ok = screen_draws(processes_, planned_, test_set_, request_, hooks_, gathered_, out_,
                               [this] { return processes_.screen_as_usual(test_set_); });
        !ok)
      return ok;
    // Sanitizers name the line of what a fence only shows.
    if (request_.mode != judge_mode::screening)
      if (auto ok = replay_sanitised(); !ok)
        return ok;
    return screen_between_fences();
  }

  attempt<void> replay_sanitised() {
    auto all_inputs = test_set_.all();
    all_inputs.insert(all_inputs.end(), planned_.begin(), planned_.end());
    return sanitised_replay{judge_.sandbox, request_, hooks_}.run(all_inputs, out_);
  }

  attempt<void> screen_edges_among_calls(const shape_case& shape) {
    std::chrono::duration<double, std::nano> others =
        std::chrono::milliseconds{request_.mode == judge_mode::screening ? 100 : 300}; // it is confirmed later
    std::string met;
    for (const auto edge : edges_of(request_.task)) {
      if (auto ok = still_wanted(hooks_); !ok)
        return ok;
      const auto start = steady_clock::now();
      auto inputs = test_set_.edge_of(shape, edge);
      gathered_ += steady_clock::now() - start;
      if (!inputs)
        return tl::unexpected<evaluation_error>(inputs.error());
      if (!may_judge_on(**inputs, request_, out_))
        continue;
      auto calls = screen_among_calls(processes_, **inputs, test_set_.usual_of(shape), others);
      if (!calls)
        return tl::unexpected<evaluation_error>(calls.error());
      met += (met.empty() ? "" : "; ") + calls_text(edge, *calls);
    }
    out_.evidence[edge_calls_key(shape.name)] = met;
    return {};
  }

  // On each shape, at either end of what it may touch.
  attempt<void> screen_between_fences() {
    if (auto ok = processes_.reopen(*test_set_.all().front()); !ok)
      return ok;
    for (const auto& inputs : test_set_.all())
      if (inputs->edge == edge_kind::none || may_judge_on(*inputs, request_, out_))
        for (const auto side : {room_side::back, room_side::front})
          if (auto ok = processes_.screen_between_fences(
                  *inputs, side == room_side::back ? 0 : std::min<size_t>(1, inputs->sets.size() - 1), side);
              !ok)
            return ok;
    if (request_.mode == judge_mode::screening) // these draws are left to the confirmation
      return {};
    for (const auto& inputs : planned_) {
      if (auto ok = processes_.reopen_alone(*inputs); !ok)
        return ok;
      for (size_t set = 0; set < inputs->sets.size(); ++set)
        for (const auto side : {room_side::back, room_side::front})
          if (auto ok = processes_.screen_between_fences(*inputs, set, side); !ok)
            return ok;
    }
    return {};
  }

  attempt<void> obey_physics() {
    for (auto& t : out_.timings) {
      if (t.floor_ns <= 0.0 || median(t.candidate_ns) >= impossible_below * t.floor_ns)
        continue;
      // A roof measured while a neighbour disturbed us would accuse the innocent: look again before saying so.
      if (auto ok = judge_.peaks.measure(); !ok)
        return infrastructure(fault_kind::device_sick, ok.error().detail);
      for (const auto& shape : comparison_.shapes())
        if (shape.inputs->shape.name == t.shape) {
          auto floor = floor_of(judge_, request_, *shape.inputs);
          if (!floor)
            return tl::unexpected<evaluation_error>(floor.error());
          t.floor_ns = *floor;
        }
      const auto ns = median(t.candidate_ns);
      if (ns >= impossible_below * t.floor_ns)
        continue;
      return refusal({verdict::faster_than_physics,
                      rule_name::physics_floor,
                      (t.held_out ? std::string{"a held-out shape"} : "shape '" + t.shape + "'") + " took " + figure(ns)
                          + " ns; the least work there is takes at least " + figure(t.floor_ns) + " ns on this device",
                      {{"floor_ns", figure(t.floor_ns)}, {"candidate_ns", figure(ns)}}});
    }
    return {};
  }

  native_judge_context& judge_;
  const judge_request& request_;
  request_hooks hooks_; // the deadline is extended for the module's baselines
  judge_outcome& out_;
  test_set test_set_;
  std::vector<test_set::input_sets_pointer> planned_; // adversarial draws
  native_process_pair processes_;
  paired_comparison comparison_;
  std::chrono::nanoseconds gathered_{0};
  std::chrono::nanoseconds redrawing_{0};
};

} // namespace

attempt<void> evaluate_candidate(native_judge_context& c, const judge_request& request, const request_hooks& hooks,
                                 judge_outcome& out) {
  return native_evaluation{c, request, hooks, out}.run();
}

} // namespace kevolve
