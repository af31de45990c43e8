// check, race and confirm on a device: a candidate against the expected outputs, and against a rival's time.
#include "backends/cuda/runner/duel.hpp"
#include "backends/judging/spent_sign_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace kevolve::cuda {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;
using pool_pointer = std::shared_ptr<const shape_pool>;

constexpr pool_size screen_size{2, 2, milliseconds{0}};
constexpr pool_size edge_size{1, 1, milliseconds{0}};
constexpr pool_size race_size{4, 32, milliseconds{1500}};
constexpr pool_size held_out_size{3, 6, milliseconds{500}};
constexpr uint32_t held_out_pairs = 2;
constexpr uint32_t screen_out_rounds = 3;
constexpr uint32_t least_pairs = 2;
constexpr double promising = 1.25;
constexpr uint32_t patience = 8; // times race_ms, for a promising candidate
// Below this many times what an empty kernel takes between events, a ratio says more of the launch than of the kernel.
constexpr double above_floor = 3.0;
// What the runner's clock may see beyond the device's: the sweep, the launch and two messages. More than this share of
// the call above the rival's own, and the reported time is not what passed.
constexpr double witness_share = 0.5;
constexpr double witness_slack_ns = 200'000.0;

std::string number(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.5g", x);
  return text.data();
}

double median(std::vector<double> values) {
  return interval_of_median(std::move(values)).median;
}

class match {
public:
  match(bench& b, const judge_request& request, const request_hooks& hooks, judge_outcome& out)
      : bench_(b), request_(request), hooks_(hooks), out_(out),
        maker_(b.host.zygote, b.settings.host, b.host.pool_arena, b.host.pools, request, hooks),
        duel_(b, request, out.correctness), test_(request.delta, request.alpha, request.max_pairs) {
    out_.correctness.bit_equal = true;
  }

  attempt<void> run() {
    auto ended = judge();
    out_.evidence.merge(duel_.costs());
    // A device that is sick must not be taken for a bad candidate.
    if (!ended && doubts_device(ended.error()))
      if (auto healthy = check_health(bench_); !healthy)
        return healthy;
    return ended;
  }

private:
  attempt<void> judge() {
    // Whatever can be said without the device or the inputs is said first.
    if (auto code = read_program(request_.candidate, request_.task); !code)
      return tl::unexpected(code.error());
    const auto start = steady_clock::now();
    if (auto ok = gather(); !ok)
      return ok;
    out_.evidence["ms.pools"] = number(static_cast<double>(nanoseconds{steady_clock::now() - start}.count()) / 1e6);
    if (auto ok = screen_all(); !ok)
      return ok;
    if (request_.mode == judge_mode::check)
      return {};
    note_weather("before");
    const auto company = processes();
    auto raced = request_.mode == judge_mode::confirm ? confirm() : race();
    note_weather("after");
    summarise();
    if (!raced)
      return raced;
    if (company > 2 || processes() > 2) {
      // Ours are two at most. What a stranger's work does to either time is unknown.
      out_.evidence["disturbed"] = "other processes use the device";
      doubt();
    }
    if (auto ok = obey_witness(); !ok)
      return ok;
    return obey_physics();
  }

  void doubt() {
    if (out_.decision != race_decision::screened)
      out_.decision = race_decision::undecided;
    out_.estimate = true;
  }

  size_t processes() const { return bench_.watch ? bench_.watch->read().processes.size() : 0; }

  void note_weather(const std::string& when) {
    if (!bench_.watch)
      return;
    const auto w = bench_.watch->read();
    out_.evidence["sm_mhz." + when] = std::to_string(w.sm_mhz);
    out_.evidence["memory_mhz." + when] = std::to_string(w.memory_mhz);
    out_.evidence["milliwatts." + when] = std::to_string(w.milliwatts);
    out_.evidence["celsius." + when] = std::to_string(w.celsius);
    out_.evidence["throttle_reasons." + when] = std::to_string(w.throttle_reasons);
    out_.evidence["processes." + when] = std::to_string(w.processes.size());
  }

  attempt<void> gather() {
    std::vector<pool_pointer> all;
    const auto get = [&](const shape_case& shape, edge_kind edge, const char* purpose, const pool_size& size,
                         std::vector<pool_pointer>& to) -> attempt<void> {
      auto pool = maker_.get(shape, edge, purpose, size);
      if (!pool) {
        auto s = pool.error();
        // The reference has been admitted: its failing now says nothing about the candidate.
        return s.trouble ? tl::unexpected(s)
                         : infrastructure("internal", "while inputs were prepared: " + s.refused.detail);
      }
      if (edge == edge_kind::none)
        out_.correctness.reference_max_abs = std::max(out_.correctness.reference_max_abs, (*pool)->reference_max_abs);
      to.push_back(*pool);
      all.push_back(std::move(*pool));
      return {};
    };
    const bool confirming = request_.mode == judge_mode::confirm;
    const auto* screen_purpose = confirming ? "confirm screen" : "screen";
    for (const auto& shape : request_.task.shapes) {
      if (request_.mode == judge_mode::check || shape.held_out)
        if (auto ok = get(shape, edge_kind::none, screen_purpose, screen_size, screens_); !ok)
          return ok;
      if (request_.mode == judge_mode::check || (shape.held_out && !confirming))
        continue;
      const auto& size = shape.held_out ? held_out_size : race_size;
      if (auto ok = get(shape, edge_kind::none, confirming ? "confirm" : "race", size, raced_); !ok)
        return ok;
    }
    if (all.empty())
      return infrastructure("internal", "the task has no shape");
    const auto smaller = [](const auto& a, const auto& b) { return a->largest_layout() < b->largest_layout(); };
    const auto smallest = (*std::min_element(all.begin(), all.end(), smaller))->shape;
    if (std::none_of(screens_.begin(), screens_.end(), [&](const auto& p) { return p->shape.name == smallest.name; }))
      if (auto ok = get(smallest, edge_kind::none, screen_purpose, screen_size, screens_); !ok)
        return ok;
    for (const auto edge : edges_of(request_.task))
      if (auto ok = get(smallest, edge, "edge", edge_size, edges_); !ok)
        return ok;
    std::sort(screens_.begin(), screens_.end(), smaller);
    for (const auto& pool : raced_) {
      auto floor = floor_of(bench_, request_, *pool);
      if (!floor)
        return tl::unexpected(floor.error());
      duel_.add_shape(pool, *floor);
    }
    return duel_.open(all);
  }

  attempt<void> still_wanted() const {
    if (hooks_.cancelled())
      return infrastructure("cancelled", "the request was cancelled");
    if (steady_clock::now() >= hooks_.deadline)
      return infrastructure("timed_out", "the request's limit passed");
    return {};
  }

  attempt<void> screen_all() {
    hooks_.progress("screen");
    for (size_t i = 0; i < screens_.size(); ++i) {
      if (auto ok = still_wanted(); !ok)
        return ok;
      if (auto ok = duel_.screen(*screens_[i], 0, i == 0 ? 3 : 1); !ok)
        return ok;
      if (auto ok = duel_.screen(*screens_[i], 1, 1); !ok)
        return ok;
    }
    for (const auto& pool : edges_) {
      const auto& arguments = request_.task.arguments;
      const bool matched = std::all_of(arguments.begin(), arguments.end(), [](const auto& a) {
        return !is_array(a) || !is_written(a) || a.nonfinite_match;
      });
      if (!pool->finite && !matched) {
        out_.evidence["edge." + to_string(pool->edge)] = "skipped: the expected output is not finite";
        continue;
      }
      if (auto ok = duel_.screen(*pool, 0, 1); !ok)
        return ok;
    }
    return {};
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

  bool out_of_time(steady_clock::time_point start) {
    const auto usual = milliseconds{request_.race_ms} * (best_against_best() > promising ? patience : 1U);
    return rounds_.size() >= least_pairs && steady_clock::now() - start > usual;
  }

  attempt<void> race() {
    const auto start = steady_clock::now();
    while (rounds_.size() < request_.max_pairs) {
      if (hooks_.cancelled())
        return still_wanted();
      if (steady_clock::now() >= hooks_.deadline || out_of_time(start)) {
        out_.evidence["stopped"] = "undecided after " + std::to_string(rounds_.size()) + " pairs";
        break;
      }
      if (auto r = round(); !r)
        return tl::unexpected(r.error());
      if (!duel_.has_rival())
        continue;
      out_.decision = test_.decision();
      if (out_.decision != race_decision::undecided)
        break;
      if (rounds_.size() == screen_out_rounds && best_against_best() * request_.screen_out < 1.0) {
        out_.decision = race_decision::screened;
        out_.estimate = true;
        break;
      }
    }
    if (!duel_.has_rival()) {
      out_.evidence["rival"] = "none: timed alone";
      out_.estimate = true;
    }
    return {};
  }

  bool worth_more_pairs(steady_clock::time_point start) const {
    return rounds_.size() < request_.max_pairs
           && steady_clock::now() - start < patience * milliseconds{request_.race_ms} && overall_.log_e_faster() > 0.0
           && overall_.decide(request_.alpha) == race_decision::undecided;
  }

  attempt<void> confirm() {
    const auto start = steady_clock::now();
    for (uint32_t k = 0; k < held_out_pairs; ++k)
      for (size_t i = 0; i < duel_.shapes().size(); ++i)
        if (duel_.shapes()[i].pool->shape.held_out)
          if (auto pair = duel_.pair(i); !pair)
            return tl::unexpected(pair.error());
    const auto wanted = std::max(request_.min_interval_pairs, 1U);
    while (rounds_.size() < wanted || worth_more_pairs(start)) {
      if (hooks_.cancelled())
        return still_wanted();
      if (steady_clock::now() >= hooks_.deadline) {
        out_.evidence["stopped"] =
            "limit: " + std::to_string(rounds_.size()) + " of " + std::to_string(wanted) + " pairs";
        break;
      }
      if (auto r = round(); !r)
        return tl::unexpected(r.error());
    }
    out_.decision = overall_.decide(request_.alpha);
    return {};
  }

  void summarise() {
    std::vector<double> speedups;
    std::vector<double> weights;
    for (auto& shape : duel_.shapes()) {
      if (shape.candidate_ns.empty())
        continue;
      shape_timing t;
      t.shape = shape.pool->shape.name;
      t.held_out = shape.pool->shape.held_out;
      t.weight = shape.pool->shape.weight;
      t.decision = shape.test.decide(request_.alpha);
      std::vector<double> ratios(std::min(shape.rival_ns.size(), shape.candidate_ns.size()));
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
      if (!t.held_out && !ratios.empty()) {
        speedups.push_back(t.speedup);
        weights.push_back(t.weight);
      }
      out_.evidence["clock.event_ns." + t.shape] = number(median(shape.candidate_event_ns));
      out_.evidence["clock.span_ns." + t.shape] = number(median(shape.candidate_span_ns));
      out_.evidence["clock.excess_ns." + t.shape] = number(median(shape.candidate_excess_ns));
      if (bench_.peaks.event_floor_ns > 0.0 && median(t.candidate_ns) < above_floor * bench_.peaks.event_floor_ns)
        out_.evidence["launch_bound." + t.shape] =
            "below " + number(above_floor) + " times an empty kernel's " + number(bench_.peaks.event_floor_ns) + " ns";
      out_.timings.push_back(std::move(t));
    }
    const auto overall = interval_of_median(rounds_);
    out_.speedup = out_.estimate ? best_against_best() : weighted_geometric_mean(speedups, weights);
    if (!rounds_.empty() && duel_.has_rival()) {
      out_.ci_low = std::exp(overall.low);
      out_.ci_high = std::exp(overall.high);
    }
    out_.evidence["pairs"] = std::to_string(rounds_.size());
    out_.evidence["interval"] = "order statistics of the pairs' ratios, coverage " + number(overall.coverage);
    out_.evidence["log_e_faster"] = number(overall_.log_e_faster());
    out_.evidence["log_e_slower"] = number(overall_.log_e_slower());
    out_.evidence["alpha"] = number(request_.alpha);
    out_.evidence["clock"] = "the longer of the events' interval and the activities' span";
  }

  // The candidate's process tells the time. Ours, around the same call, must have passed too: as much beyond what is
  // claimed as beyond what the rival claims.
  attempt<void> obey_witness() {
    for (auto& shape : duel_.shapes()) {
      if (shape.rival_excess_ns.empty())
        continue;
      const auto own = median(shape.candidate_excess_ns);
      const auto rivals = median(shape.rival_excess_ns);
      if (own - rivals <= witness_slack_ns + witness_share * median(shape.candidate_ns))
        continue;
      return refusal({verdict::cheating,
                      "time_witness",
                      "the runner's clock saw " + number(own) + " ns beyond the time reported, and " + number(rivals)
                          + " ns for the rival",
                      {{"excess_ns", number(own)}, {"rival_excess_ns", number(rivals)}}});
    }
    return {};
  }

  attempt<void> obey_physics() {
    for (const auto& t : out_.timings) {
      if (t.floor_ns <= 0.0)
        continue;
      const auto ns = median(t.candidate_ns);
      if (ns >= impossible_below * t.floor_ns)
        continue;
      return refusal({verdict::faster_than_physics,
                      "physics_floor",
                      "shape '" + t.shape + "' took " + number(ns) + " ns; the declared work takes at least "
                          + number(t.floor_ns) + " ns on this device",
                      {{"floor_ns", number(t.floor_ns)}, {"candidate_ns", number(ns)}}});
    }
    return {};
  }

  bench& bench_;
  const judge_request& request_;
  const request_hooks& hooks_;
  judge_outcome& out_;
  pool_maker maker_;
  duel_on_device duel_;
  std::vector<pool_pointer> screens_;
  std::vector<pool_pointer> edges_;
  std::vector<pool_pointer> raced_;
  std::vector<double> rounds_;
  sign_test overall_{request_.delta};
  spent_sign_test test_;
};

} // namespace

attempt<void> race(bench& b, const judge_request& request, const request_hooks& hooks, judge_outcome& out) {
  return match{b, request, hooks, out}.run();
}

} // namespace kevolve::cuda
