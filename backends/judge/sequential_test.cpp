#include "backends/judge/sequential_test.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

sign_test::sign_test(double delta) : margin_(std::log1p(delta)) {}

void sign_test::bet(log_wealth& w, double excess) {
  if (excess == 0.0)
    return;
  const auto sign = excess > 0.0 ? 1.0 : -1.0;
  for (size_t i = 0; i < stakes; ++i)
    w[i] += std::log1p(sign * 0.05 * static_cast<double>(i + 1));
}

double sign_test::wealth(const log_wealth& w) {
  const auto top = *std::max_element(w.begin(), w.end());
  double sum = 0.0;
  for (auto x : w)
    sum += std::exp(x - top);
  return top + std::log(sum / static_cast<double>(stakes));
}

void sign_test::add(double log_ratio) {
  ++pairs_;
  if (!std::isfinite(log_ratio))
    return;
  bet(faster_, log_ratio - margin_);
  bet(slower_, -log_ratio - margin_);
}

comparison_decision sign_test::decide(double alpha) const {
  const auto threshold = std::log(2.0 / alpha);
  if (log_e_faster() >= threshold)
    return comparison_decision::faster;
  if (log_e_slower() >= threshold)
    return comparison_decision::slower;
  return comparison_decision::undecided;
}

namespace {

struct order_statistics {
  size_t k = 0; // the interval is [x_(k), x_(n+1-k)]; 0: there is none
  double coverage = 0.0;
};

// [x_(k), x_(n+1-k)] misses the median if fewer than k values lie on one side of it, with probability 2 P(Binomial(n,
// 1/2) <= k-1). This finds the largest k with the requested coverage.
order_statistics ranks_for(size_t n, double wish) {
  const auto count = static_cast<double>(n);
  size_t k = 0;
  double below = 0.0; // P(Binomial <= k-1)
  for (size_t next = 1; 2 * next <= n; ++next) {
    const auto i = static_cast<double>(next - 1);
    const auto term =
        std::exp(std::lgamma(count + 1) - std::lgamma(i + 1) - std::lgamma(count - i + 1) - count * std::log(2.0));
    if (k > 0 && 2.0 * (below + term) > 1.0 - wish)
      break;
    below += term;
    k = next;
  }
  return {k, k == 0 ? 0.0 : 1.0 - 2.0 * below};
}

} // namespace

median_interval interval_of_median(std::vector<double> values, double wish) {
  median_interval out;
  const auto n = values.size();
  if (n == 0)
    return out;
  std::sort(values.begin(), values.end());
  out.median = n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
  const auto ranks = ranks_for(n, wish);
  if (ranks.k == 0) { // there is a single value
    out.low = out.high = out.median;
    return out;
  }
  out.low = values[ranks.k - 1];
  out.high = values[n - ranks.k];
  out.coverage = ranks.coverage;
  return out;
}

double coverage_of_median(size_t count, double wish) {
  return ranks_for(count, wish).coverage;
}

double weighted_geometric_mean(const std::vector<double>& values, const std::vector<double>& weights) {
  double sum = 0.0;
  double total = 0.0;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto w = i < weights.size() ? weights[i] : 1.0;
    if (!(values[i] > 0.0) || !std::isfinite(values[i]))
      return 0.0;
    sum += w * std::log(values[i]);
    total += w;
  }
  return total > 0.0 ? std::exp(sum / total) : 0.0;
}

} // namespace kevolve
