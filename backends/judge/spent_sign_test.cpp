#include "backends/judge/spent_sign_test.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

// Below 1, more error is spent early: ten equal signs win a screening of a hundred pairs at alpha = 0.05.
constexpr double haste = 0.7;

constexpr double share_of_faster = 0.2; // share of alpha

// Counting the walks takes time proportional to the square of the horizon.
constexpr uint32_t farthest_horizon = 2000;

// boundary[n] is the number of positive signs among n that ends the walk; n + 1: it cannot end there.
std::vector<uint32_t> boundary_of(double error, uint32_t horizon) {
  std::vector<uint32_t> out(horizon + 1, 1);
  std::vector<double> alive{1.0}; // by positive signs: the probability of a fair walk that has not crossed
  double spent = 0.0;
  for (uint32_t n = 1; n <= horizon; ++n) {
    std::vector<double> next(n + 1, 0.0);
    for (uint32_t k = 0; k < alive.size(); ++k) {
      next[k] += 0.5 * alive[k];
      next[k + 1] += 0.5 * alive[k];
    }
    const auto allowed = error * std::pow(static_cast<double>(n) / horizon, haste);
    auto b = n + 1;
    for (; b > 0 && spent + next[b - 1] <= allowed; --b) // above the highest surviving walk, no error is spent
      spent += next[b - 1];
    for (auto k = b; k <= n; ++k)
      next[k] = 0.0;
    out[n] = b;
    alive = std::move(next);
  }
  return out;
}

} // namespace

spent_sign_test::spent_sign_test(double delta, double alpha, uint32_t horizon, double lead)
    : margin_(std::log1p(delta)), log_lead_(std::log(std::max(lead, 1.0))),
      faster_{boundary_of(alpha * share_of_faster, std::min(horizon, farthest_horizon))},
      slower_{boundary_of(alpha * (1.0 - share_of_faster), std::min(horizon, farthest_horizon))} {}

bool spent_sign_test::side::add(double excess) {
  if (excess == 0.0 || signs + 1 >= boundary.size())
    return false;
  ++signs;
  positive += excess > 0.0 ? 1U : 0U;
  return positive >= boundary[signs];
}

void spent_sign_test::add(double log_ratio) {
  if (!std::isfinite(log_ratio) || decision_ != comparison_decision::undecided)
    return;
  if (faster_.add(log_ratio - margin_))
    decision_ = comparison_decision::faster;
  else if (slower_.add(log_lead_ - log_ratio - margin_))
    decision_ = comparison_decision::slower;
}

} // namespace kevolve
