#include "actors/search/bandit.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

constexpr double fading = 0.98;
constexpr double exploration = 1.0;
constexpr double pseudo_steps = 4.0; // of the average kind, so that no generator is judged by its first few

bandit_yield sum_of(const std::vector<bandit_arm>& arms) {
  bandit_yield out;
  for (const auto& a : arms) {
    out.steps += a.ended.steps;
    out.gain += a.ended.gain;
    out.seconds += a.ended.seconds;
    out.money += a.ended.money;
  }
  return out;
}

// Returns each arm's gain for its cost. Cost is the mean of its shares of all time and of all money.
std::vector<double> rates_of(const std::vector<bandit_arm>& arms) {
  const auto all = sum_of(arms);
  std::vector<double> out(arms.size(), 0.0);
  if (all.steps <= 0.0 || all.gain <= 0.0)
    return out;
  const auto share = [](double part, double whole) { return whole > 0.0 ? part / whole : 0.0; };
  for (size_t i = 0; i < arms.size(); ++i) {
    const auto& y = arms[i].ended;
    const auto time = all.seconds > 0.0 ? share(y.seconds, all.seconds) : share(y.steps, all.steps);
    const auto cost = all.money > 0.0 ? (time + share(y.money, all.money)) / 2.0 : time;
    const auto pseudo = pseudo_steps / all.steps;
    out[i] = (share(y.gain, all.gain) + pseudo) / (cost + pseudo);
  }
  return out;
}

} // namespace

void add_step(std::map<uint32_t, bandit_yield>& yields, uint32_t generator, const bandit_yield& step) {
  for (auto& [place, y] : yields) {
    y.steps *= fading;
    y.gain *= fading;
    y.seconds *= fading;
    y.money *= fading;
  }
  auto& y = yields[generator];
  y.steps += step.steps;
  y.gain += step.gain;
  y.seconds += step.seconds;
  y.money += step.money;
}

std::vector<double> bandit_scores(const std::vector<bandit_arm>& arms) {
  auto out = rates_of(arms);
  const auto best = out.empty() ? 0.0 : *std::max_element(out.begin(), out.end());
  double weights = 0.0;
  double steps = 0.0;
  for (const auto& a : arms) {
    weights += std::max(a.weight, 0.0);
    steps += a.ended.steps + static_cast<double>(a.in_flight);
  }
  for (size_t i = 0; i < arms.size(); ++i) {
    const auto& a = arms[i];
    if (a.weight <= 0.0) {
      out[i] = 0.0;
      continue;
    }
    const auto own = a.ended.steps + static_cast<double>(a.in_flight);
    out[i] =
        (best > 0.0 ? out[i] / best : 0.0) + exploration * a.weight / weights * std::sqrt(steps + 1.0) / (1.0 + own);
  }
  return out;
}

std::optional<size_t> pick_arm(const std::vector<bandit_arm>& arms, const std::vector<bool>& may) {
  const auto scores = bandit_scores(arms);
  std::optional<size_t> out;
  for (size_t i = 0; i < arms.size(); ++i)
    if (arms[i].weight > 0.0 && may[i] && (!out || scores[i] > scores[*out]))
      out = i;
  return out;
}

} // namespace kevolve
