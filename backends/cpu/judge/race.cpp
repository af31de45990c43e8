// check, race and confirm: a candidate against the expected outputs, and against a rival's time.
#include "backends/cpu/judge/duel.hpp"
#include "backends/cpu/judge/lineup.hpp"
#include "backends/cpu/judge/weather.hpp"
#include "backends/judging/spent_sign_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace kevolve {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr uint32_t held_out_pairs = 8;
constexpr uint32_t screen_out_rounds = 3;
constexpr uint32_t screen_out_rounds_when_short = 5;
constexpr auto short_calls = milliseconds{20};
// One pair is enough to see that a candidate is out of the question.
constexpr double hopeless = 3.0;
constexpr uint32_t least_pairs = 2; // before race_ms may end a race
// A candidate this far ahead gets more time: with a slow rival the test needs its pairs to say so.
constexpr double promising = 1.25;
constexpr uint32_t patience = 8;     // times race_ms
constexpr uint32_t most_repeats = 2; // of a disturbed session

std::string number(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", x);
  return text.data();
}

double median(std::vector<double> values) {
  return interval_of_median(std::move(values)).median;
}

class match {
public:
  match(court& c, const judge_request& request, const request_hooks& hooks, judge_outcome& out)
      : court_(c), request_(request), hooks_(hooks), out_(out), lineup_(c, request, hooks),
        duel_(c.zygote, c.settings, c.race_arena, request, hooks, out.correctness),
        test_(request.delta, request.alpha, request.max_pairs) {
    out_.correctness.bit_equal = true;
  }

  attempt<void> run() {
    const auto start = steady_clock::now();
    auto ended = judge();
    if (!ended && ended.error().trouble.kind == "timed_out" && took_the_time(steady_clock::now() - start))
      ended = refusal({verdict::timeout,
                       "too_slow",
                       "its calls alone took " + number(duel_.candidate_ns() / 1e9) + " s of the "
                           + number(request_.limit_ms / 1e3) + " s that judging may take",
                       {{"calls", std::to_string(duel_.costs().calls)}}});
    account(steady_clock::now() - start);
    return ended;
  }

private:
  // Where the time went; the pools are made once for all candidates of a task.
  void account(std::chrono::nanoseconds spent) {
    const auto& c = duel_.costs();
    out_.evidence["calls"] = std::to_string(c.calls);
    out_.evidence["ms.kernel"] = number(c.kernel_ns / 1e6);
    out_.evidence["ms.set_up"] = number(c.set_up_ns / 1e6);
    out_.evidence["ms.check"] = number(c.check_ns / 1e6);
    out_.evidence["ms.launch"] = number(duel_.launch_ns() / 1e6);
    out_.evidence["ms.pools"] = number(static_cast<double>(gathered_.count()) / 1e6);
    out_.evidence["ms.whole"] = number(static_cast<double>(spent.count()) / 1e6);
  }

  // A limit that passes is the candidate's doing when most of the time was: the pools are not, nor is a busy machine.
  bool took_the_time(std::chrono::nanoseconds spent) const {
    return duel_.candidate_ns() > 0.5 * static_cast<double>((spent - gathered_).count());
  }

  attempt<void> judge() {
    const auto start = steady_clock::now();
    auto gathered = gather();
    gathered_ = steady_clock::now() - start;
    if (!gathered)
      return gathered;
    if (auto ok = screen_all(); !ok)
      return ok;
    // Who is not faster has no use for what it left out on large shapes.
    if (request_.mode != judge_mode::race)
      if (auto ok = screen_larger_edges(); !ok)
        return ok;
    if (request_.mode == judge_mode::check)
      return {};
    auto raced = hold_session();
    summarise();
    if (raced && request_.mode == judge_mode::race && out_.decision == race_decision::faster)
      raced = screen_larger_edges();
    if (raced)
      raced = obey_physics();
    return raced;
  }

  attempt<void> gather() {
    if (auto ok = lineup_.gather(); !ok)
      return ok;
    out_.correctness.reference_max_abs = std::max(out_.correctness.reference_max_abs, lineup_.reference_max_abs());
    if (auto ok = duel_.open(lineup_.all()); !ok)
      return ok;
    for (const auto& pool : lineup_.raced()) {
      auto floor = lineup_.floor_of(*pool);
      if (!floor)
        return tl::unexpected<setback>(floor.error());
      duel_.add_shape(pool, *floor);
    }
    return {};
  }

  attempt<void> screen_all() {
    hooks_.progress("screen");
    bool first = true;
    for (const auto& pool : lineup_.screens()) {
      if (auto ok = still_wanted(); !ok)
        return ok;
      if (auto ok = duel_.screen(*pool, 0, first ? 3 : 1); !ok)
        return ok;
      if (auto ok = duel_.screen(*pool, 1, 1); !ok)
        return ok;
      first = false;
    }
    for (const auto& pool : lineup_.edges())
      if (can_judge(*pool))
        if (auto ok = screen_whole(*pool); !ok)
          return ok;
    return {};
  }

  attempt<void> screen_whole(const shape_pool& pool) {
    for (size_t set = 0; set < pool.sets.size(); ++set)
      if (auto ok = duel_.screen(pool, set, 1); !ok)
        return ok;
    return {};
  }

  attempt<void> screen_larger_edges() {
    for (const auto* shape : lineup_.larger())
      for (const auto edge : edges_of(request_.task)) {
        if (auto ok = still_wanted(); !ok)
          return ok;
        const auto start = steady_clock::now();
        auto pool = lineup_.edge_of(*shape, edge);
        gathered_ += steady_clock::now() - start;
        if (!pool)
          return tl::unexpected<setback>(pool.error());
        if (!can_judge(**pool))
          continue;
        if (auto ok = duel_.reopen(**pool); !ok)
          return ok;
        if (auto ok = screen_whole(**pool); !ok)
          return ok;
      }
    return {};
  }

  bool can_judge(const shape_pool& pool) {
    const bool matched = std::all_of(request_.task.arguments.begin(), request_.task.arguments.end(),
                                     [](const auto& a) { return !is_array(a) || !is_written(a) || a.nonfinite_match; });
    if (pool.not_finite.empty() || matched)
      return true;
    out_.evidence["edge." + to_string(pool.edge)] = "skipped: the expected output is not finite";
    return false;
  }

  attempt<void> still_wanted() const {
    if (hooks_.cancelled())
      return infrastructure("cancelled", "the request was cancelled");
    if (steady_clock::now() >= hooks_.deadline)
      return infrastructure("timed_out", "the request's limit passed");
    return {};
  }

  // Until a session is calm, so often at most. What never calms down decides nothing: a race stays undecided, its
  // figure an estimate; a verdict is never bought by noise, and an honest candidate never pays with its verdict.
  attempt<void> hold_session() {
    auto cores = request_.task.threads ? court_.settings.thread_cores : std::vector<int>{court_.settings.core};
    for (uint32_t repeated = 0;; ++repeated) {
      const weather_watch watch{cores};
      auto raced = request_.mode == judge_mode::confirm ? confirm() : race();
      const auto weather = watch.end(duel_.pairs(), duel_.waiting());
      out_.evidence["drift"] = number(drift_of(weather));
      out_.evidence["stolen_ms"] = number(weather.stolen_ns / 1e6);
      out_.evidence["repeated_sessions"] = std::to_string(repeated);
      if (!raced)
        return raced;
      const auto why = why_disturbed(weather, court_.settings.calm);
      if (why.empty())
        return {};
      if (repeated == most_repeats || steady_clock::now() >= hooks_.deadline) {
        out_.evidence["disturbed"] = why;
        if (out_.decision != race_decision::screened)
          out_.decision = race_decision::undecided;
        out_.estimate = true;
        return {};
      }
      hooks_.progress("again: " + why);
      forget_session();
    }
  }

  void forget_session() {
    duel_.forget_pairs();
    rounds_.clear();
    overall_ = sign_test{request_.delta};
    test_ = spent_sign_test{request_.delta, request_.alpha, request_.max_pairs};
    out_.decision = race_decision::undecided;
    out_.estimate = false;
    out_.evidence.erase("stopped");
  }

  // One pair on every declared shape; the weighted mean of their log ratios.
  attempt<double> round() {
    double sum = 0.0;
    double total = 0.0;
    for (size_t i = 0; i < duel_.shapes().size(); ++i) {
      const auto& shape = duel_.shapes()[i].pool->shape;
      if (shape.held_out)
        continue;
      auto log_ratio = duel_.pair(i);
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
    for (const auto& shape : duel_.shapes()) {
      if (shape.rival_ns.empty() || shape.pool->shape.held_out)
        continue;
      ratios.push_back(*std::min_element(shape.rival_ns.begin(), shape.rival_ns.end())
                       / *std::min_element(shape.candidate_ns.begin(), shape.candidate_ns.end()));
      weights.push_back(shape.pool->shape.weight);
    }
    return weighted_geometric_mean(ratios, weights);
  }

  std::chrono::nanoseconds longest_best_call() {
    double out = 0.0;
    for (const auto& shape : duel_.shapes())
      if (!shape.candidate_ns.empty())
        out = std::max(out, *std::min_element(shape.candidate_ns.begin(), shape.candidate_ns.end()));
    return std::chrono::nanoseconds{static_cast<int64_t>(out)};
  }

  // Early pairs tell a slow candidate from a slow moment when calls are long; short ones can afford a few more.
  bool out_of_the_race(std::chrono::nanoseconds spent) {
    const auto behind = 1.0 / best_against_best();
    if (rounds_.size() == screen_out_rounds_when_short)
      return behind > request_.screen_out;
    // Only a call that outlasts every scheduler's slice is judged by one pair.
    if (rounds_.size() == 1)
      return behind > std::max(hopeless, request_.screen_out) && longest_best_call() > short_calls;
    return rounds_.size() == screen_out_rounds && spent > short_calls && behind > request_.screen_out;
  }

  milliseconds time_for_the_race() {
    return milliseconds{request_.race_ms} * (best_against_best() > promising ? patience : 1U);
  }

  attempt<void> race() {
    const auto start = steady_clock::now();
    while (rounds_.size() < request_.max_pairs) {
      if (rounds_.size() >= least_pairs && steady_clock::now() - start > time_for_the_race()) {
        out_.evidence["stopped"] = "undecided after " + std::to_string(rounds_.size()) + " pairs";
        return {};
      }
      if (hooks_.cancelled())
        return still_wanted();
      if (steady_clock::now() >= hooks_.deadline) {
        out_.evidence["stopped"] = "limit";
        return {};
      }
      if (auto r = round(); !r)
        return stopped_short(r.error());
      out_.decision = test_.decision();
      if (out_.decision != race_decision::undecided)
        return {};
      if (out_of_the_race(steady_clock::now() - start)) {
        out_.decision = race_decision::screened;
        out_.estimate = true;
        return {};
      }
    }
    return {};
  }

  // The request's end during a round: what was seen before it counts.
  attempt<void> stopped_short(const setback& s) {
    if (s.trouble.kind != "timed_out" || rounds_.size() < least_pairs)
      return tl::unexpected<setback>(s);
    out_.evidence["stopped"] = "limit";
    return {};
  }

  // Nobody wants to know by how much, to a percent, a candidate is this far behind.
  bool out_of_the_question(std::chrono::nanoseconds spent) {
    return rounds_.size() >= screen_out_rounds && spent > milliseconds{request_.race_ms}
           && best_against_best() * hopeless < 1.0;
  }

  // A promotion late in a campaign needs more evidence than its interval's pairs hold: while they lean its way, it gets
  // more. The e-process may be stopped at any time.
  bool worth_more_pairs(std::chrono::nanoseconds spent) const {
    return rounds_.size() < request_.max_pairs && spent < patience * milliseconds{request_.race_ms}
           && overall_.log_e_faster() > 0.0 && overall_.decide(request_.alpha) == race_decision::undecided;
  }

  attempt<void> confirm() {
    const auto start = steady_clock::now();
    for (uint32_t k = 0; k < held_out_pairs; ++k)
      for (size_t i = 0; i < duel_.shapes().size(); ++i) {
        if (!duel_.shapes()[i].pool->shape.held_out)
          continue;
        // Right answers on held-out shapes are a must; their timing is a courtesy that has an eighth of the time.
        if (k >= 2 && steady_clock::now() - start > (hooks_.deadline - start) / 8)
          continue;
        if (auto pair = duel_.pair(i); !pair)
          return tl::unexpected<setback>(pair.error());
      }
    const auto wanted = std::max(request_.min_interval_pairs, 1U);
    while (rounds_.size() < wanted || worth_more_pairs(steady_clock::now() - start)) {
      if (hooks_.cancelled())
        return still_wanted();
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
        out_.decision = race_decision::screened;
        out_.estimate = true;
        return {};
      }
    }
    out_.decision = overall_.decide(request_.alpha);
    return {};
  }

  void summarise() {
    std::vector<double> speedups;
    std::vector<double> weights;
    for (auto& shape : duel_.shapes()) {
      if (shape.rival_ns.empty())
        continue;
      shape_timing t;
      t.shape = shape.pool->shape.name;
      t.held_out = shape.pool->shape.held_out;
      t.weight = shape.pool->shape.weight;
      t.decision = shape.test.decide(request_.alpha);
      std::vector<double> ratios(shape.rival_ns.size());
      for (size_t i = 0; i < ratios.size(); ++i)
        ratios[i] = shape.rival_ns[i] / shape.candidate_ns[i];
      const auto interval = interval_of_median(ratios);
      t.speedup = interval.median;
      t.ci_low = interval.low;
      t.ci_high = interval.high;
      t.log_e_faster = shape.test.log_e_faster();
      t.log_e_slower = shape.test.log_e_slower();
      t.floor_ns = shape.floor_ns;
      t.rival_ns = shape.rival_ns;
      t.candidate_ns = shape.candidate_ns;
      if (!t.held_out) {
        speedups.push_back(t.speedup);
        weights.push_back(t.weight);
      }
      out_.timings.push_back(std::move(t));
    }
    const auto overall = interval_of_median(rounds_);
    out_.speedup = out_.estimate ? best_against_best() : weighted_geometric_mean(speedups, weights);
    if (!rounds_.empty()) {
      out_.ci_low = std::exp(overall.low);
      out_.ci_high = std::exp(overall.high);
    }
    out_.evidence["pairs"] = std::to_string(rounds_.size());
    out_.evidence["interval"] = "order statistics of the pairs' ratios, coverage " + number(overall.coverage);
    out_.evidence["log_e_faster"] = number(overall_.log_e_faster());
    out_.evidence["alpha"] = number(request_.alpha); // what the decision was made at
    out_.evidence["log_e_slower"] = number(overall_.log_e_slower());
    out_.evidence["launches"] = std::to_string(duel_.launches());
    out_.evidence["disturbed_pairs"] = std::to_string(duel_.disturbed());
  }

  attempt<void> obey_physics() {
    for (auto& t : out_.timings) {
      if (t.floor_ns <= 0.0 || median(t.candidate_ns) >= impossible_below * t.floor_ns)
        continue;
      // A roof measured while a neighbour disturbed us would accuse the innocent: look again before saying so.
      if (auto ok = court_.peaks.measure(); !ok)
        return infrastructure("device_sick", ok.error().detail);
      for (const auto& shape : duel_.shapes())
        if (shape.pool->shape.name == t.shape) {
          auto floor = lineup_.floor_of(*shape.pool);
          if (!floor)
            return tl::unexpected<setback>(floor.error());
          t.floor_ns = *floor;
        }
      const auto ns = median(t.candidate_ns);
      if (ns >= impossible_below * t.floor_ns)
        continue;
      return refusal({verdict::faster_than_physics,
                      "physics_floor",
                      (t.held_out ? std::string{"a held-out shape"} : "shape '" + t.shape + "'") + " took " + number(ns)
                          + " ns; the declared work takes at least " + number(t.floor_ns) + " ns on this device",
                      {{"floor_ns", number(t.floor_ns)}, {"candidate_ns", number(ns)}}});
    }
    return {};
  }

  court& court_;
  const judge_request& request_;
  const request_hooks& hooks_;
  judge_outcome& out_;
  lineup lineup_;
  duel duel_;
  std::vector<double> rounds_;
  std::chrono::nanoseconds gathered_{0};
  sign_test overall_{request_.delta}; // what a promotion's confirmation is decided by, and told of every session
  spent_sign_test test_;              // what a race is decided by: its pairs are counted beforehand
};

} // namespace

attempt<void> check(court& c, const judge_request& request, const request_hooks& hooks, judge_outcome& out) {
  return match{c, request, hooks, out}.run();
}

attempt<void> race(court& c, const judge_request& request, const request_hooks& hooks, judge_outcome& out) {
  return match{c, request, hooks, out}.run();
}

} // namespace kevolve
