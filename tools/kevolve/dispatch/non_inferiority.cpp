#include "tools/kevolve/dispatch/non_inferiority.hpp"

#include <cmath>

namespace kevolve::dispatch {

namespace {

// Returns P(Binomial(n, 1/2) >= k).
double upper_tail(size_t n, size_t k) {
  const auto count = static_cast<double>(n);
  double out = 0.0;
  for (size_t i = n + 1; i-- > k;) { // the smallest terms first
    const auto x = static_cast<double>(i);
    out += std::exp(std::lgamma(count + 1) - std::lgamma(x + 1) - std::lgamma(count - x + 1) - count * std::log(2.0));
  }
  return out;
}

} // namespace

std::string to_string(regression r) {
  switch (r) {
    case regression::not_inferior:
      return "not inferior";
    case regression::inferior:
      return "inferior";
    case regression::not_shown:
      break;
  }
  return "not shown";
}

regression_test test_regression(const std::vector<double>& log_ratios, const regression_rule& rule) {
  const auto bound = -std::log1p(rule.margin);
  size_t above = 0;
  size_t below = 0;
  for (auto x : log_ratios)
    if (std::isfinite(x)) {
      above += x > bound ? 1U : 0U;
      below += x < bound ? 1U : 0U;
    }
  const auto n = log_ratios.size();
  const auto error = 1.0 - rule.confidence;
  regression_test out{regression::not_shown, n};
  if (upper_tail(n, above) <= error)
    out.result = regression::not_inferior;
  else if (upper_tail(n, below) <= error)
    out.result = regression::inferior;
  return out;
}

} // namespace kevolve::dispatch
