// Who is faster, decided from interleaved pairs by a test that may be watched while it runs: the sign
// e-process. Each pair bets on the sign of log(t_baseline / t_candidate) - delta; the wealth of a mixture of
// stakes reaches 2/alpha by chance with probability at most alpha/2 on either side, whenever one stops.
#pragma once

#include "backends/protocol.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace kevolve {

class sign_test {
public:
  // delta: smallest relative gain that counts.
  explicit sign_test(double delta);

  // One pair. Anything but a finite ratio bets nothing.
  void add(double log_ratio);

  uint32_t pairs() const { return pairs_; }
  double log_e_faster() const { return wealth(faster_); }
  double log_e_slower() const { return wealth(slower_); }
  // faster, slower or undecided.
  comparison_decision decide(double alpha) const;

private:
  static constexpr size_t stakes = 19; // lambda = 0.05, 0.10, … 0.95
  using log_wealth = std::array<double, stakes>;

  static void bet(log_wealth& w, double excess);
  static double wealth(const log_wealth& w);

  double margin_;
  uint32_t pairs_ = 0;
  log_wealth faster_{};
  log_wealth slower_{};
};

// The distribution-free interval of a median from order statistics: exact binomial coverage.
struct median_interval {
  double median = 0.0;
  double low = 0.0;
  double high = 0.0;
  double coverage = 0.0; // what [low, high] really covers; below the wish only when there are too few values
};
median_interval interval_of_median(std::vector<double> values, double wish = 0.95);

// exp of the weighted mean of logs; 0 if there is nothing or a value is not positive.
double weighted_geometric_mean(const std::vector<double>& values, const std::vector<double>& weights);

} // namespace kevolve
