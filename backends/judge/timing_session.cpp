#include "backends/judge/timing_session.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/noise_monitor.hpp"
#include "backends/judge/spent_sign_test.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace kevolve {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr uint32_t held_out_pairs = 8;
constexpr auto courtesy = milliseconds{500};
constexpr uint32_t screen_out_rounds = 3;
constexpr uint32_t screen_out_rounds_when_short = 5;
constexpr auto short_calls = milliseconds{20};
// One pair is enough to see that a candidate is out of the question.
constexpr double hopeless = 3.0;
constexpr uint32_t least_pairs = 2; // before screening_ms may end a screening
// A candidate this far ahead gets more time: with a slow baseline the test needs its pairs to say so.
constexpr double promising = 1.25;
constexpr uint32_t patience = 8;            // times screening_ms
constexpr uint32_t figures_for_people = 30; // pairs at least that the last confirmation's interval comes from
constexpr auto time_for_people = milliseconds{2000};
constexpr double most_for_people = 6.0; // times as many as at least

// "baseline/candidate" of each pair, ns.
std::string samples_of(const compared_shape& shape) {
  std::string out;
  for (size_t i = 0; i < shape.baseline_ns.size(); ++i)
    out += (i == 0 ? "" : " ") + std::to_string(std::llround(shape.baseline_ns[i])) + "/"
           + std::to_string(std::llround(shape.candidate_ns[i]));
  return out;
}

std::string share_of(uint32_t part, uint32_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole);
}

class timing_session {
public:
  timing_session(const judge_settings& settings, const judge_request& request, const request_hooks& hooks,
                 paired_comparison& d, judge_outcome& out)
      : settings_(settings), request_(request), hooks_(hooks), comparison_(d), out_(out),
        test_(request.delta, request.alpha, request.max_pairs) {}

  // Until a session is calm, so often at most. What never calms down decides nothing: a screening stays undecided, its
  // figure an estimate; a verdict is never bought by noise, and an honest candidate never pays with its verdict.
  attempt<void> hold() {
    auto cores = request_.task.threads ? settings_.thread_cores : std::vector<int>{settings_.core};
    std::function<double()> own;
    if (request_.task.threads) // it has the cores alone
      own = [this] { return processor_ns() + comparison_.living_ns(); };
    for (uint32_t repeated = 0;; ++repeated) {
      const noise_monitor watch{cores, own};
      auto compared = request_.mode == judge_mode::confirm ? confirm() : screening();
      const auto noise = watch.end(comparison_.pairs(), comparison_.waiting());
      out_.evidence["drift"] = figure(drift_of(noise));
      out_.evidence["stolen_ms"] = figure(noise.stolen_ns / 1e6);
      if (own)
        out_.evidence["foreign_ms"] = figure(noise.foreign_ns / 1e6);
      out_.evidence["repeated_sessions"] = std::to_string(repeated);
      if (!compared)
        return compared;
      auto why = why_disturbed(noise, settings_.calm);
      const bool counts = why.empty() || stands(noise);
      lost_in_sum_ = counts && seems_faster() ? lead_in_sum(noise, sums(true)) : 1.0;
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
      const auto lost = interval_of_median(rounds_);
      const auto discarded = "discarded." + std::to_string(repeated + 1);
      out_.evidence[discarded] =
          why + ": " + std::to_string(rounds_.size()) + " pairs, ratio " + figure(std::exp(lost.median));
      for (const auto& shape : comparison_.shapes())
        if (!shape.pool->shape.held_out)
          out_.evidence[discarded + ".samples." + shape.pool->shape.name] = samples_of(shape);
      forget_session();
    }
  }

  void summarise() {
    for (auto& shape : comparison_.shapes()) {
      if (shape.baseline_ns.empty())
        continue;
      shape_timing t;
      t.shape = shape.pool->shape.name;
      t.held_out = shape.pool->shape.held_out;
      t.weight = shape.pool->shape.weight;
      t.decision = shape.test.decide(request_.alpha);
      std::vector<double> ratios(shape.baseline_ns.size());
      for (size_t i = 0; i < ratios.size(); ++i)
        ratios[i] = shape.baseline_ns[i] / shape.candidate_ns[i];
      const auto interval = interval_of_median(ratios);
      t.speedup = interval.median;
      t.ci_low = interval.low;
      t.ci_high = interval.high;
      t.log_e_faster = shape.test.log_e_faster();
      t.log_e_slower = shape.test.log_e_slower();
      t.floor_ns = shape.floor_ns;
      t.baseline_ns = shape.baseline_ns;
      t.candidate_ns = shape.candidate_ns;
      out_.timings.push_back(std::move(t));
    }
    const auto overall = interval_of_median(rounds_);
    if (out_.decision == comparison_decision::screened || rounds_.empty())
      out_.speedup = best_against_best(); // of another statistic than the pairs' interval: it has none
    else {
      out_.speedup = std::exp(overall.median);
      out_.ci_low = std::exp(overall.low);
      out_.ci_high = std::exp(overall.high);
    }
    if (out_.evidence.contains("heavy_tail")) { // what a user of it would see
      out_.speedup = lost_in_sum_;
      out_.ci_low = std::min(out_.ci_low, lost_in_sum_);
    }
    out_.evidence["pairs"] = std::to_string(rounds_.size());
    out_.evidence["interval"] = "order statistics of the pairs' ratios, coverage " + figure(overall.coverage);
    out_.evidence["log_e_faster"] = figure(overall_.log_e_faster());
    out_.evidence["alpha"] = figure(request_.alpha); // what the decision was made at
    out_.evidence["log_e_slower"] = figure(overall_.log_e_slower());
    out_.evidence["launches"] = std::to_string(comparison_.launches());
    const auto& drawn = comparison_.drawn();
    out_.evidence["called_first"] = share_of(drawn.called_first, drawn.pairs);
    out_.evidence["launched_first"] = share_of(drawn.launched_first, drawn.launches);
    out_.evidence["in_second_slot"] = share_of(drawn.in_second_slot, drawn.launches);
    out_.evidence["disturbed_pairs"] = std::to_string(comparison_.disturbed());
  }

private:
  // By its typical call. A confirmation's interval is told whether or not its pairs were enough to decide.
  bool seems_faster() const {
    return out_.decision == comparison_decision::faster
           || (request_.mode == judge_mode::confirm && interval_of_median(rounds_).median > 0.0);
  }

  // A decision that the disturbance could not have turned counts; its figure is an estimate. The figure that people are
  // told is measured again all the same.
  bool stands(const session_noise& noise) const {
    const bool last_figures = request_.mode == judge_mode::confirm && request_.min_interval_pairs >= figures_for_people;
    if (last_figures || out_.decision == comparison_decision::undecided)
      return false;
    return stands_anyway(noise, settings_.calm, sums(out_.decision == comparison_decision::faster));
  }

  // Of the calls on each declared shape.
  std::vector<side_by_side> sums(bool candidate_wins) const {
    std::vector<side_by_side> out;
    for (const auto& shape : comparison_.shapes()) {
      if (shape.pool->shape.held_out)
        continue;
      const auto baseline = std::accumulate(shape.baseline_ns.begin(), shape.baseline_ns.end(), 0.0);
      const auto candidate = std::accumulate(shape.candidate_ns.begin(), shape.candidate_ns.end(), 0.0);
      out.push_back(
          {shape.pool->shape.weight, candidate_wins ? candidate : baseline, candidate_wins ? baseline : candidate});
    }
    return out;
  }

  void forget_session() {
    comparison_.forget_pairs();
    rounds_.clear();
    overall_ = sign_test{request_.delta};
    test_ = spent_sign_test{request_.delta, request_.alpha, request_.max_pairs};
    out_.decision = comparison_decision::undecided;
    out_.estimate = false;
    out_.evidence.erase("stopped");
  }

  // One pair on every declared shape; the weighted mean of their log ratios.
  attempt<double> round() {
    double sum = 0.0;
    double total = 0.0;
    for (size_t i = 0; i < comparison_.shapes().size(); ++i) {
      const auto& shape = comparison_.shapes()[i].pool->shape;
      if (shape.held_out)
        continue;
      auto log_ratio = comparison_.pair(i);
      if (!log_ratio)
        return log_ratio;
      sum += shape.weight * *log_ratio;
      total += shape.weight;
    }
    const auto mean = total > 0.0 ? sum / total : 0.0;
    rounds_.push_back(mean);
    overall_.add(mean);
    test_.add(mean);
    if (rounds_.size() % 8 == 0)
      hooks_.progress("race " + std::to_string(rounds_.size()) + " pairs");
    return mean;
  }

  // The ratio of the fastest calls, over the declared shapes. Disturbances only ever add time, so after a few
  // pairs this says more than a median does.
  double best_against_best() {
    std::vector<double> ratios;
    std::vector<double> weights;
    for (const auto& shape : comparison_.shapes()) {
      if (shape.baseline_ns.empty() || shape.pool->shape.held_out)
        continue;
      ratios.push_back(*std::min_element(shape.baseline_ns.begin(), shape.baseline_ns.end())
                       / *std::min_element(shape.candidate_ns.begin(), shape.candidate_ns.end()));
      weights.push_back(shape.pool->shape.weight);
    }
    return weighted_geometric_mean(ratios, weights);
  }

  std::chrono::nanoseconds longest_best_call() {
    double out = 0.0;
    for (const auto& shape : comparison_.shapes())
      if (!shape.candidate_ns.empty())
        out = std::max(out, *std::min_element(shape.candidate_ns.begin(), shape.candidate_ns.end()));
    return std::chrono::nanoseconds{static_cast<int64_t>(out)};
  }

  // Early pairs tell a slow candidate from a slow moment when calls are long; short ones can afford a few more.
  bool out_of_the_screening(std::chrono::nanoseconds spent) {
    const auto behind = 1.0 / best_against_best();
    if (rounds_.size() == screen_out_rounds_when_short)
      return behind > request_.screen_out;
    // Only a call that outlasts every scheduler's slice is judged by one pair.
    if (rounds_.size() == 1)
      return behind > std::max(hopeless, request_.screen_out) && longest_best_call() > short_calls;
    return rounds_.size() == screen_out_rounds && spent > short_calls && behind > request_.screen_out;
  }

  milliseconds time_for_the_screening() {
    return milliseconds{request_.screening_ms} * (best_against_best() > promising ? patience : 1U);
  }

  attempt<void> screening() {
    const auto start = steady_clock::now();
    while (rounds_.size() < request_.max_pairs) {
      if (rounds_.size() >= least_pairs && steady_clock::now() - start > time_for_the_screening()) {
        out_.evidence["stopped"] = "undecided after " + std::to_string(rounds_.size()) + " pairs";
        return {};
      }
      if (hooks_.cancelled())
        return still_wanted(hooks_);
      if (steady_clock::now() >= hooks_.deadline) {
        out_.evidence["stopped"] = "limit";
        return {};
      }
      if (auto r = round(); !r)
        return stopped_short(r.error());
      out_.decision = test_.decision();
      if (out_.decision != comparison_decision::undecided)
        return {};
      if (out_of_the_screening(steady_clock::now() - start)) {
        out_.decision = comparison_decision::screened;
        out_.estimate = true;
        return {};
      }
    }
    return {};
  }

  // The request's end during a round: what was seen before it counts.
  attempt<void> stopped_short(const evaluation_error& s) {
    if (s.trouble.kind != "timed_out" || rounds_.size() < least_pairs)
      return tl::unexpected<evaluation_error>(s);
    out_.evidence["stopped"] = "limit";
    return {};
  }

  // Nobody wants to know by how much, to a percent, a candidate is this far behind.
  bool out_of_the_question(std::chrono::nanoseconds spent) {
    return rounds_.size() >= screen_out_rounds && spent > milliseconds{request_.screening_ms}
           && best_against_best() * hopeless < 1.0;
  }

  // A promotion late in a campaign needs more evidence than its interval's pairs hold: while they lean its way, it gets
  // more. The e-process may be stopped at any time.
  bool worth_more_pairs(std::chrono::nanoseconds spent) const {
    return rounds_.size() < request_.max_pairs && spent < patience * milliseconds{request_.screening_ms}
           && overall_.log_e_faster() > 0.0 && overall_.decide(request_.alpha) == comparison_decision::undecided;
  }

  // What people are told comes from as many rounds as fit into a few seconds of calls, by what the reference was seen
  // to take before the first of them: their number depends on no pair.
  uint32_t rounds_wanted() {
    const auto least = std::max(request_.min_interval_pairs, 1U);
    if (least < figures_for_people)
      return least;
    double round_ns = 0.0;
    for (const auto& shape : comparison_.shapes())
      if (!shape.pool->shape.held_out)
        round_ns += 2.0 * shape.pool->typical_reference_ns();
    const auto fit = std::chrono::duration<double, std::nano>{time_for_people}
                     / std::chrono::duration<double, std::nano>{std::max(round_ns, 1.0)};
    return static_cast<uint32_t>(std::clamp(fit, 1.0 * least, most_for_people * least));
  }

  attempt<void> confirm() {
    const auto start = steady_clock::now();
    for (uint32_t k = 0; k < held_out_pairs; ++k)
      for (size_t i = 0; i < comparison_.shapes().size(); ++i) {
        if (!comparison_.shapes()[i].pool->shape.held_out)
          continue;
        // Right answers on held-out shapes are a must; their timing is a courtesy, and short but for the last figures.
        const bool last_figures = request_.min_interval_pairs >= figures_for_people;
        const auto patient = last_figures ? (hooks_.deadline - start) / 8 : steady_clock::duration{courtesy};
        if (k >= 2 && steady_clock::now() - start > patient)
          continue;
        if (auto pair = comparison_.pair(i); !pair)
          return tl::unexpected<evaluation_error>(pair.error());
      }
    const auto wanted = rounds_wanted();
    while (rounds_.size() < wanted || worth_more_pairs(steady_clock::now() - start)) {
      if (hooks_.cancelled())
        return still_wanted(hooks_);
      if (steady_clock::now() >= hooks_.deadline) {
        out_.evidence["stopped"] =
            "limit: " + std::to_string(rounds_.size()) + " of " + std::to_string(wanted) + " pairs";
        break;
      }
      if (auto r = round(); !r) {
        if (auto ok = stopped_short(r.error()); !ok)
          return ok;
        break;
      }
      if (out_of_the_question(steady_clock::now() - start)) {
        out_.evidence["stopped"] = "far behind its rival";
        out_.decision = comparison_decision::screened;
        out_.estimate = true;
        return {};
      }
    }
    out_.decision = overall_.decide(request_.alpha);
    return {};
  }

  const judge_settings& settings_;
  const judge_request& request_;
  const request_hooks& hooks_;
  paired_comparison& comparison_;
  judge_outcome& out_;
  std::vector<double> rounds_;
  double lost_in_sum_ = 1.0;          // the candidate's lead by the sum of its calls, where it leads by the median
  sign_test overall_{request_.delta}; // what a promotion's confirmation is decided by, and told of every session
  spent_sign_test test_;              // what a screening is decided by: its pairs are counted beforehand
};

} // namespace

attempt<void> still_wanted(const request_hooks& hooks) {
  if (hooks.cancelled())
    return infrastructure("cancelled", "the request was cancelled");
  if (steady_clock::now() >= hooks.deadline)
    return infrastructure("timed_out", "the request's limit passed");
  return {};
}

attempt<void> run_timing_session(const judge_settings& settings, const judge_request& request,
                                 const request_hooks& hooks, paired_comparison& d, judge_outcome& out) {
  timing_session session{settings, request, hooks, d, out};
  auto held = session.hold();
  session.summarise();
  return held;
}

} // namespace kevolve
