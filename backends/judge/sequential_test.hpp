// The sign e-process: a sequential test of interleaved pairs that may be stopped at any time. Each pair bets on the
// sign of log(t_baseline / t_candidate) - delta. By chance, the wealth of a mixture of stakes reaches 2/alpha with
// probability at most alpha/2 on either side.
#pragma once

#include "backends/protocol.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace kevolve {

class sign_test {
public:
  // delta is the smallest relative gain that counts.
  explicit sign_test(double delta);

  // Adds one pair. A ratio that is not finite bets nothing.
  void add(double log_ratio);

  uint32_t pairs() const { return pairs_; }
  double log_e_faster() const { return wealth(faster_); }
  double log_e_slower() const { return wealth(slower_); }
  // Returns faster, slower or undecided.
  comparison_decision decide(double alpha) const;

private:
  static constexpr size_t stakes = 19; // stakes lambda = 0.05, 0.10, … 0.95
  using log_wealth = std::array<double, stakes>;

  static void bet(log_wealth& w, double excess);
  static double wealth(const log_wealth& w);

  double margin_;
  uint32_t pairs_ = 0;
  log_wealth faster_{};
  log_wealth slower_{};
};

// A distribution-free interval of a median from order statistics, with exact binomial coverage.
struct median_interval {
  double median = 0.0;
  double low = 0.0;
  double high = 0.0;
  double coverage = 0.0; // actual coverage of [low, high]; below the requested one only if there are too few values
};
median_interval interval_of_median(std::vector<double> values, double wish = 0.95);
// Returns the coverage of interval_of_median() for so many values: 0.875 for 4, at least `wish` from 6 on.
double coverage_of_median(size_t count, double wish = 0.95);

// Returns exp of the weighted mean of the logs; 0 if there are no values or one is not positive.
double weighted_geometric_mean(const std::vector<double>& values, const std::vector<double>& weights);

} // namespace kevolve
