#include "backends/judge/timing_session.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/pair_limits.hpp"
#include "backends/judge/spent_sign_test.hpp"
#include "backends/judge/timing_summary.hpp"
#include "runtime/base/fault_kinds.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

namespace kevolve {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto courtesy = milliseconds{500};
constexpr uint32_t screen_out_rounds = 3;
constexpr uint32_t screen_out_rounds_when_short = 5;
constexpr double beyond_doubt = 3.0; // times faster or slower

class timing_session {
public:
  timing_session(const timing_rules& rules, const noise_limits& calm, const judge_request& request,
                 const request_hooks& hooks, process_pair& processes, paired_comparison& comparison, judge_outcome& out)
      : rules_(rules), calm_(calm), request_(request), hooks_(hooks), processes_(processes), comparison_(comparison),
        out_(out), test_(request.delta, request.alpha, request.max_pairs, request.parent_lead) {}

  // Until a session is calm, so often at most. What never calms down decides nothing: a screening stays undecided, its
  // figure an estimate; a verdict is never bought by noise, and an honest candidate never pays with its verdict.
  attempt<void> hold() {
    for (uint32_t repeated = 0;; ++repeated) {
      processes_.begin_session();
      auto compared = request_.mode == judge_mode::confirm ? confirm() : screening();
      const auto noise = processes_.end_session({comparison_.pairs(), comparison_.waiting(), repeated}, out_.evidence);
      if (!compared)
        return compared;
      auto why = why_disturbed(noise, calm_);
      const bool counts = why.empty() || stands(noise);
      lost_in_sum_ = counts && seems_faster() ? lead_in_sum(noise, sums_of(comparison_.shapes(), true)) : 1.0;
      const bool heavy_tail = lost_in_sum_ < taken_back;
      if (counts && !heavy_tail) {
        if (!why.empty()) {
          out_.evidence["weathered"] = why;
          out_.estimate = true;
        }
        return {};
      }
      if (heavy_tail)
        why =
            "its slow calls took back what its others gained: " + figure(lost_in_sum_, 3) + "x by the sum of all calls";
      if (repeated >= request_.most_repeats || steady_clock::now() >= hooks_.deadline) {
        out_.evidence[heavy_tail ? "heavy_tail" : "disturbed"] = why;
        if (out_.decision != comparison_decision::screened)
          out_.decision = comparison_decision::undecided;
        out_.estimate = true;
        return {};
      }
      hooks_.progress("again: " + why);
      const auto lost = interval_of_median(rounds_.calls);
      const auto discarded = "discarded." + std::to_string(repeated + 1);
      out_.evidence[discarded] =
          why + ": " + std::to_string(rounds_.calls.size()) + " pairs, ratio " + figure(std::exp(lost.median));
      for (const auto& shape : comparison_.shapes())
        if (rules_.keeps_discarded_samples && !shape.inputs->shape.held_out)
          out_.evidence[discarded + ".samples." + shape.inputs->shape.name] = samples_of(shape);
      forget_session();
    }
  }

  void summarise() {
    report_session(request_, comparison_.shapes(), rounds_, overall_, rules_.digits, out_);
    if (out_.evidence.contains("heavy_tail")) { // what a user of it would see
      out_.speedup = lost_in_sum_;
      out_.ci_low = std::min(out_.ci_low, lost_in_sum_);
    }
  }

private:
  // By its typical call. A confirmation's interval is told whether or not its pairs were enough to decide.
  bool seems_faster() const {
    return out_.decision == comparison_decision::faster
           || (request_.mode == judge_mode::confirm && interval_of_median(rounds_.calls).median > 0.0);
  }

  // A decision that the disturbance could not have turned counts; its figure is an estimate. The figure that people are
  // told is measured again all the same.
  bool stands(const session_noise& noise) const {
    const bool last_figures = request_.mode == judge_mode::confirm && request_.min_interval_pairs >= figures_for_people;
    if (last_figures || out_.decision == comparison_decision::undecided)
      return false;
    return stands_anyway(noise, calm_, sums_of(comparison_.shapes(), out_.decision == comparison_decision::faster));
  }

  void forget_session() {
    comparison_.forget_pairs();
    comparison_.use_fresh_values(false);
    rounds_ = {};
    overall_ = sign_test{request_.delta};
    test_ = spent_sign_test{request_.delta, request_.alpha, request_.max_pairs, request_.parent_lead};
    out_.decision = comparison_decision::undecided;
    out_.estimate = false;
    out_.evidence.erase("stopped");
  }

  // Times one pair on every declared shape; returns the weighted mean of their log ratios.
  attempt<double> round() {
    double sum = 0.0;
    double total = 0.0;
    for (size_t i = 0; i < comparison_.shapes().size(); ++i) {
      const auto& shape = comparison_.shapes()[i].inputs->shape;
      if (shape.held_out)
        continue;
      auto log_ratio = comparison_.pair(i);
      if (!log_ratio)
        return log_ratio;
      sum += shape.weight * *log_ratio;
      total += shape.weight;
    }
    const auto mean = total > 0.0 ? sum / total : 0.0;
    rounds_.calls.push_back(mean);
    if (const auto with_read = last_round_with_read(comparison_.shapes()))
      rounds_.with_read.push_back(*with_read);
    overall_.add(mean);
    test_.add(mean);
    if (rounds_.calls.size() % 8 == 0)
      hooks_.progress("comparison " + std::to_string(rounds_.calls.size()) + " pairs");
    return mean;
  }

  // Early pairs tell a slow candidate from a slow moment when calls are long; short ones can afford a few more.
  bool out_of_the_screening(std::chrono::nanoseconds spent) {
    const auto behind = lead_to_keep() / best_against_best(comparison_.shapes());
    const auto long_calls = rules_.short_calls;
    if (rounds_.calls.size() == screen_out_rounds_when_short && long_calls.count() > 0)
      return behind > request_.screen_out;
    // Only a call that outlasts every scheduler's slice is judged by one pair.
    if (rounds_.calls.size() == 1 && rules_.hopeless > 0.0)
      return behind > std::max(rules_.hopeless, request_.screen_out)
             && longest_best_call(comparison_.shapes()) > long_calls;
    return rounds_.calls.size() == screen_out_rounds && spent > long_calls && behind > request_.screen_out;
  }

  // Returns the lead over the baseline that a candidate must keep to be worth more pairs: its parent's, or none.
  double lead_to_keep() const { return std::max(request_.parent_lead, 1.0); }

  // A candidate far ahead of slow calls in each of its first pairs is confirmed at once: more pairs say no more, and
  // the confirmation has its own.
  bool far_ahead() const {
    return rounds_.calls.size() == screen_out_rounds
           && is_far_ahead(rounds_.calls, longest_baseline_call(comparison_.shapes()));
  }

  // Says so if a candidate was screened out because it is surely slower than its parent.
  void screened_out() {
    out_.decision = comparison_decision::screened;
    out_.estimate = true;
    if (lead_to_keep() > 1.0)
      out_.evidence["stopped"] = behind_the_parent(lead_to_keep(), rounds_.calls.size());
  }

  pair_limits limits_of(steady_clock::time_point start) const {
    return {.pairs = static_cast<uint32_t>(rounds_.calls.size()),
            .most_pairs = request_.max_pairs,
            .spent = steady_clock::now() - start,
            .usual = milliseconds{request_.screening_ms},
            .most = (hooks_.deadline - start) / 2,
            .leads = overall_.log_e_faster() > 0.0 || best_against_best(comparison_.shapes()) > leading};
  }

  attempt<void> screening() {
    const auto start = steady_clock::now();
    rounds_.starts = {0};
    comparison_.take_disturbed_beyond(beyond_doubt); // a confirmation, whose figures people see, repeats them
    for (;;) {
      if (auto limit = limit_of_screening(limits_of(start)); !limit.empty()) {
        if (comparison_.has_baseline())
          out_.evidence["stopped"] = std::move(limit);
        return {};
      }
      comparison_.use_fresh_values(goes_on(limits_of(start)));
      if (hooks_.cancelled())
        return still_wanted(hooks_);
      if (steady_clock::now() >= hooks_.deadline) {
        out_.evidence["stopped"] = "limit";
        return {};
      }
      if (auto r = round(); !r)
        return stopped_short(r.error());
      if (!comparison_.has_baseline())
        continue;
      out_.decision = far_ahead() ? comparison_decision::faster : test_.decision();
      const bool below = out_.decision == comparison_decision::slower && lead_to_keep() > 1.0;
      if (below
          || (out_.decision == comparison_decision::undecided && out_of_the_screening(steady_clock::now() - start)))
        screened_out();
      if (out_.decision != comparison_decision::undecided)
        return {};
    }
  }

  // The request's end during a round: what was seen before it counts.
  attempt<void> stopped_short(const evaluation_error& s) {
    if (s.trouble.kind != fault_kind::timed_out || rounds_.calls.size() < least_pairs)
      return tl::unexpected<evaluation_error>(s);
    out_.evidence["stopped"] = "limit";
    return {};
  }

  // A promotion of a candidate far ahead of slow calls ends once its test has decided, at six pairs at the earliest:
  // fewer give no interval of 95 %. The last confirmation, whose figures people see, takes all of its pairs.
  bool surely_far_ahead() const {
    constexpr uint32_t least_for_an_interval = 6;
    return request_.min_interval_pairs < figures_for_people && rounds_.calls.size() >= least_for_an_interval
           && is_far_ahead(rounds_.calls, longest_baseline_call(comparison_.shapes()))
           && overall_.decide(request_.alpha) == comparison_decision::faster;
  }

  // Nobody wants to know by how much, to a percent, a candidate is this far behind.
  bool out_of_the_question(std::chrono::nanoseconds spent) {
    return rules_.hopeless > 0.0 && rounds_.calls.size() >= screen_out_rounds
           && spent > milliseconds{request_.screening_ms}
           && best_against_best(comparison_.shapes()) * rules_.hopeless < 1.0;
  }

  // A promotion late in a campaign needs more evidence than its interval's pairs hold: while they lean its way, it gets
  // more. The e-process may be stopped at any time.
  bool worth_more_pairs(steady_clock::time_point start) {
    if (request_.max_pairs == 0 || overall_.decide(request_.alpha) != comparison_decision::undecided)
      return false;
    auto limit = limit_of_promotion(limits_of(start));
    if (!limit.empty())
      out_.evidence["stopped"] = limit;
    comparison_.use_fresh_values(limit.empty());
    return limit.empty();
  }

  // The last confirmation is cut into sessions of about equally many rounds.
  attempt<void> session_round(uint32_t wanted) {
    const bool last_figures = request_.min_interval_pairs >= figures_for_people;
    const auto sessions = last_figures ? std::max(rules_.final_sessions, 1U) : 1U;
    const auto each = std::max((wanted + sessions - 1) / sessions, 1U);
    if (rounds_.calls.size() == rounds_.starts.size() * each && rounds_.starts.size() < sessions) {
      comparison_.begin_session();
      rounds_.starts.push_back(rounds_.calls.size());
    }
    if (auto r = round(); !r)
      return tl::unexpected<evaluation_error>(r.error());
    return {};
  }

  attempt<void> confirm() {
    const auto start = steady_clock::now();
    for (uint32_t k = 0; k < rules_.held_out_pairs; ++k)
      for (size_t i = 0; i < comparison_.shapes().size(); ++i) {
        if (!comparison_.shapes()[i].inputs->shape.held_out)
          continue;
        // Right answers on held-out shapes are a must; their timing is a courtesy, and short but for the last figures.
        const bool last_figures = request_.min_interval_pairs >= figures_for_people;
        const auto patient = last_figures ? (hooks_.deadline - start) / 8 : steady_clock::duration{courtesy};
        if (k >= 2 && steady_clock::now() - start > patient)
          continue;
        if (auto pair = comparison_.pair(i); !pair)
          return tl::unexpected<evaluation_error>(pair.error());
      }
    const auto wanted =
        rounds_wanted(request_.min_interval_pairs, round_ns(comparison_.shapes()), rules_.time_for_people);
    rounds_.starts = {0};
    while ((rounds_.calls.size() < wanted && !surely_far_ahead()) || worth_more_pairs(start)) {
      if (hooks_.cancelled())
        return still_wanted(hooks_);
      if (steady_clock::now() >= hooks_.deadline) {
        out_.evidence["stopped"] =
            "limit: " + std::to_string(rounds_.calls.size()) + " of " + std::to_string(wanted) + " pairs";
        break;
      }
      if (auto r = session_round(wanted); !r) {
        if (auto ok = stopped_short(r.error()); !ok)
          return ok;
        break;
      }
      if (out_of_the_question(steady_clock::now() - start)) {
        out_.evidence["stopped"] = "far behind its baseline";
        out_.decision = comparison_decision::screened;
        out_.estimate = true;
        return {};
      }
    }
    out_.decision = overall_.decide(request_.alpha);
    return {};
  }

  const timing_rules& rules_;
  const noise_limits& calm_;
  const judge_request& request_;
  const request_hooks& hooks_;
  process_pair& processes_;
  paired_comparison& comparison_;
  judge_outcome& out_;
  timed_rounds rounds_;
  double lost_in_sum_ = 1.0;          // the candidate's lead by the sum of its calls, where it leads by the median
  sign_test overall_{request_.delta}; // what a promotion's confirmation is decided by, and told of every session
  spent_sign_test test_;              // what a screening is decided by: its pairs are counted beforehand
};

} // namespace

attempt<void> still_wanted(const request_hooks& hooks) {
  if (hooks.cancelled())
    return infrastructure(fault_kind::cancelled, "the request was cancelled");
  if (steady_clock::now() >= hooks.deadline)
    return infrastructure(fault_kind::timed_out, "the request's limit passed");
  return {};
}

attempt<void> run_timing_session(const timing_rules& rules, const noise_limits& calm, const judge_request& request,
                                 const request_hooks& hooks, process_pair& processes, paired_comparison& comparison,
                                 judge_outcome& out) {
  timing_session session{rules, calm, request, hooks, processes, comparison, out};
  auto held = session.hold();
  session.summarise();
  return held;
}

} // namespace kevolve
