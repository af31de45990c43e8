#include "tools/bench/landscape/omniscient.hpp"

#include <cmath>
#include <limits>
#include <queue>

namespace kevolve::bench {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// Returns the chance that a step brings a candidate of each list, by its number of changes. Empty lists leave their
// part to the others.
std::array<double, most_changes> shares_of(const std::array<size_t, most_changes>& left) {
  std::array<double, most_changes> out{};
  auto total = 0.0;
  for (size_t d = 0; d < most_changes; ++d) {
    out[d] = left[d] == 0 ? 0.0 : std::pow(further_change, static_cast<double>(d));
    total += out[d];
  }
  for (auto& x : out)
    x = total > 0.0 ? x / total : 0.0;
  return out;
}

struct way {
  uint32_t from = 0;
  double chance = 0.0;
};

} // namespace

// The expected steps V from a parent n obey V(n) = (1 + sum p V(c)) / sum p over the children c that are better. Other
// children leave the choice as it was. Nodes are settled in the order of V, as by Dijkstra.
std::optional<uint32_t> omniscient_choice(const world& on, const std::vector<uint32_t>& open,
                                          const std::vector<bool>& visited, double goal) {
  const auto count = static_cast<uint32_t>(on.size());
  std::vector<std::vector<way>> into(count);
  for (uint32_t n = 0; n < count; ++n) {
    if (!on.passes(n))
      continue;
    std::array<size_t, most_changes> left{};
    for (size_t d = 0; d < most_changes; ++d)
      for (const auto c : on.from(n)[d])
        left[d] += visited[c] ? 0U : 1U;
    const auto shares = shares_of(left);
    for (size_t d = 0; d < most_changes; ++d)
      for (const auto c : on.from(n)[d])
        if (!visited[c])
          into[c].push_back({n, shares[d] / static_cast<double>(left[d])});
  }
  std::vector<double> steps(count, never);
  std::vector<double> chance(count, 0.0);
  std::vector<double> sum(count, 0.0);
  std::vector<bool> settled(count, false);
  using entry = std::pair<double, uint32_t>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> queue;
  for (uint32_t n = 0; n < count; ++n)
    if (on.truth(n) >= goal)
      queue.push({steps[n] = 0.0, n});
  while (!queue.empty()) {
    const auto [value, node] = queue.top();
    queue.pop();
    if (settled[node] || value > steps[node])
      continue;
    settled[node] = true;
    for (const auto& w : into[node]) {
      if (settled[w.from])
        continue;
      chance[w.from] += w.chance;
      sum[w.from] += w.chance * value;
      const auto now = (1.0 + sum[w.from]) / chance[w.from];
      if (now < steps[w.from])
        queue.push({steps[w.from] = now, w.from});
    }
  }
  std::optional<uint32_t> best;
  for (const auto n : open)
    if (steps[n] < (best ? steps[*best] : never))
      best = n;
  return best;
}

} // namespace kevolve::bench
