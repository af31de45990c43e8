#include "tools/bench/landscape/player.hpp"

#include "runtime/base/memory_operators.hpp"
#include "tools/bench/landscape/omniscient.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace kevolve::bench {

namespace {

constexpr size_t siblings_shown = 8;
constexpr size_t failures_shown = 4;
constexpr double no_gain = 1.02; // a sibling below its parent's figure times this has not gained
constexpr double tried_before = 0.3;
constexpr double combined = 0.8; // share of the steps with two parents that combine them
constexpr uint64_t steps_an_evaluation = 4;

// The streams of a seed: what they decide must not depend on the policy, so that policies meet the same drafts.
enum stream : uint64_t { selecting = 1, drafting, stepping, measuring };

class campaign {
public:
  campaign(const world& on, const play_options& o) : on_(on), options_(o), visited_(on.size(), false) {
    out_.candidates.push_back(0);
    drafts_ = on.drafts();
    options_.policy.drafts = std::min<uint64_t>(o.policy.drafts, drafts_.size());
    splitmix64 random{mix_seed(o.seed, drafting)};
    for (size_t i = drafts_.size(); i > 1; --i)
      std::swap(drafts_[i - 1], drafts_[random.below(i)]);
    goal_ = o.share * on.best();
  }

  played_campaign run() {
    const auto drafts = options_.policy.drafts;
    const auto all = drafts + options_.budget;
    uint64_t begun = 0;
    while (ended_ < all) {
      while (open_.size() < options_.in_flight && begun < all && out_.tree.size() <= steps_an_evaluation * all)
        begun += begin() ? 1U : 0U;
      if (open_.empty())
        break; // the record is used up
      end();
    }
    return std::move(out_);
  }

private:
  struct running {
    uint64_t index = 0;
    double compiled_at = 0.0;
  };

  selection selected() {
    const auto seed = mix_seed(mix_seed(options_.seed, selecting), out_.tree.size());
    auto s = select(out_.tree, options_.policy, seed);
    if (!options_.omniscient || s.draft || out_.evaluations)
      return s;
    std::vector<uint32_t> open;
    std::map<uint32_t, uint64_t> holders;
    for (const auto& n : out_.tree.nodes())
      if (n.phase == node_phase::finished && n.result == verdict::pass)
        if (const auto c = out_.candidates[n.index]; holders.emplace(c, n.index).second)
          open.push_back(c);
    if (const auto best = omniscient_choice(on_, open, visited_, goal_)) {
      s.parents = {holders.at(*best)};
      s.memory = to_string(memory_operator::parent);
    }
    return s;
  }

  // Begins a step. Returns false if the record has no candidate for it.
  bool begin() {
    const auto s = selected();
    const auto drawn = s.draft ? draft_of(s.draft_index) : step_of(s);
    const auto index = add(out_.tree, s);
    out_.candidates.push_back(drawn);
    if (!s.draft)
      ++out_.steps;
    if (drawn == 0) {
      out_.lacking += s.draft ? 0U : 1U;
      out_.tree.finish(index, {});
      return false;
    }
    visited_[drawn] = true;
    open_.push_back({index, now_ + on_.at(drawn).compile_s});
    return true;
  }

  uint32_t draft_of(uint64_t which) const { return which < drafts_.size() ? drafts_[which] : 0; }

  uint32_t step_of(const selection& s) {
    splitmix64 random{mix_seed(mix_seed(options_.seed, stepping), out_.tree.size())};
    const auto parent = out_.candidates[s.parents.front()];
    if (s.parents.size() > 1 && random.chance(combined)) {
      const auto second = out_.candidates[s.parents.back()];
      improved_ = 0;
      if (second != parent)
        return drawn(on_.from(parent, second), {}, random);
    }
    improved_ = starts_afresh(s.memory) ? 0 : parent; // as in a campaign, a step without memory follows no finding
    return drawn(on_.from(parent), tried(s), random);
  }

  // Returns the moves that failed siblings added to the parent, as far as the step is shown them.
  std::map<uint16_t, int> tried(const selection& s) const {
    std::map<uint16_t, int> out;
    if (starts_afresh(s.memory) || s.parents.front() == 0)
      return out;
    const auto& parent = out_.tree.at(s.parents.front());
    const bool all = shows_siblings(s.memory);
    size_t shown = 0;
    for (auto at = parent.children.rbegin(); at != parent.children.rend(); ++at) {
      const auto& n = out_.tree.at(*at);
      if (n.phase != node_phase::finished || n.result == verdict::none || (!all && n.speedup >= parent.speedup))
        continue;
      if (n.speedup <= no_gain * parent.speedup)
        for (const auto m : on_.added(out_.candidates[n.index], out_.candidates[parent.index]))
          ++out[m];
      if (++shown == (all ? siblings_shown : failures_shown))
        break;
    }
    parent_of_tried_ = out_.candidates[parent.index];
    return out;
  }

  uint32_t drawn(const reach& from, const std::map<uint16_t, int>& tried, splitmix64& random) {
    size_t wanted = 0;
    while (wanted + 1 < most_changes && random.chance(further_change))
      ++wanted;
    // The nearest list that has something left: more changes first, then fewer.
    std::vector<size_t> order;
    for (auto d = wanted; d < most_changes; ++d)
      order.push_back(d);
    for (auto d = wanted; d > 0; --d)
      order.push_back(d - 1);
    for (const auto d : order) {
      std::vector<uint32_t> left;
      for (const auto c : from[d])
        if (!options_.novelty || !visited_[c])
          left.push_back(c);
      if (left.empty())
        continue;
      out_.stretched += d > wanted ? 1U : 0U;
      return weighted(left, tried, random);
    }
    return 0;
  }

  uint32_t weighted(const std::vector<uint32_t>& among, const std::map<uint16_t, int>& tried,
                    splitmix64& random) const {
    const bool emphasised = options_.move_factor > 1.0 && std::any_of(among.begin(), among.end(), [&](uint32_t c) {
                              return on_.acts_on_bound(c, improved_);
                            });
    if (tried.empty() && !emphasised)
      return among[random.below(among.size())];
    std::vector<double> weights;
    auto total = 0.0;
    for (const auto c : among) {
      auto weight = 1.0;
      for (const auto m : on_.added(c, parent_of_tried_))
        if (const auto found = tried.find(m); found != tried.end())
          weight *= std::pow(tried_before, found->second);
      if (emphasised && on_.acts_on_bound(c, improved_))
        weight *= options_.move_factor;
      weights.push_back(weight);
      total += weight;
    }
    auto at = random.uniform() * total;
    for (size_t i = 0; i + 1 < among.size(); ++i) {
      at -= weights[i];
      if (at <= 0.0)
        return among[i];
    }
    return among.back();
  }

  // Ends the step that the judge is done with first: it takes them in the order in which they are compiled.
  void end() {
    const auto next = std::min_element(
        open_.begin(), open_.end(), [](const running& a, const running& b) { return a.compiled_at < b.compiled_at; });
    const auto index = next->index;
    const auto candidate = out_.candidates[index];
    const auto& n = on_.at(candidate);
    const auto code = n.same_as != 0 ? n.same_as : candidate;
    const bool known = measured_.contains(code) && options_.novelty;
    const auto cost = known ? 0.0 : on_.at(code).judge_s;
    now_ = std::max(now_, next->compiled_at) + cost;
    open_.erase(next);
    if (!known)
      measured_[code] = on_.measured(code, mix_seed(mix_seed(options_.seed, measuring), times_[code]++));
    const auto figure = measured_[code];
    node_outcome o;
    o.result = n.result;
    o.set_speedup({figure, figure, figure});
    o.verified = true;
    o.behaviour = bins_of(n.features);
    if (const auto [first, fresh] = holders_.emplace(candidate, index); !fresh)
      o.duplicate_of = first->second;
    out_.tree.finish(index, o);
    out_.seconds = now_;
    out_.judge_s += cost;
    ++ended_;
    if (n.result == verdict::pass && figure > fastest_) {
      fastest_ = figure;
      fastest_truth_ = on_.truth(candidate);
    }
    const bool counts = ended_ > options_.policy.drafts;
    if (counts)
      out_.best_after.push_back(fastest_truth_);
    if (!out_.evaluations && on_.truth(candidate) >= goal_)
      out_.evaluations = counts ? ended_ - options_.policy.drafts : 0;
  }

  const world& on_;
  play_options options_;
  played_campaign out_;
  std::vector<uint32_t> drafts_;
  std::vector<bool> visited_;
  std::vector<running> open_;
  std::map<uint32_t, double> measured_;  // by machine code
  std::map<uint32_t, uint64_t> times_;   // of measurements, by machine code
  std::map<uint32_t, uint64_t> holders_; // candidate → first node of the tree
  mutable uint32_t parent_of_tried_ = 0;
  uint32_t improved_ = 0; // the candidate whose bottleneck the step may act on; 0: none
  double goal_ = 0.0;
  double now_ = 0.0;
  uint64_t ended_ = 0;
  double fastest_ = 1.0;
  double fastest_truth_ = 1.0;
};

} // namespace

played_campaign play(const world& on, const play_options& options) {
  return campaign{on, options}.run();
}

} // namespace kevolve::bench
