// A sign test over interleaved pairs with a fixed maximal number of pairs. It may be evaluated after every pair; its
// error is spent pair by pair (Lan and DeMets, Biometrika 70, 1983; exact binomial boundaries: Jennison and Turnbull,
// Group Sequential Methods, 2000, ch. 12).
//
// The test may be stopped at any time. Assume that the median log ratio is at most the margin. Then each sign is
// positive with probability at most 1/2, whatever came before. The number of positive signs is at most that of a fair
// walk. The boundary at pair n is the lowest that a fair walk has crossed by then with probability at most error * (n /
// horizon)^0.7, counted exactly. So the probability of ever crossing it is at most error, and stopping early cannot
// raise it. Unlike an e-process, the test knows its horizon and wastes no error beyond it: it finds a gain of 3 percent
// in 97 of 100 screenings instead of 88.
//
// The two errors have different costs. A candidate wrongly called faster is promoted; one wrongly called slower was
// within delta of its baseline. So a fifth of alpha is spent on the first error and the rest on the second.
#pragma once

#include "backends/protocol.hpp"

#include <cstdint>
#include <vector>

namespace kevolve {

class spent_sign_test {
public:
  // delta is the smallest relative gain that counts, alpha the error of both sides together. Pairs beyond the horizon
  // are ignored.
  // With a `lead` over the baseline above 1, "slower" means slower than a candidate with that lead. It is the same
  // error, spent on the same side: a candidate slower than the baseline is slower than that candidate, too.
  spent_sign_test(double delta, double alpha, uint32_t horizon, double lead = 1.0);

  // Adds one pair. A ratio that is not finite counts for neither side.
  void add(double log_ratio);
  // Returns faster, slower or undecided. A decision is final.
  comparison_decision decision() const { return decision_; }

  // Return, for each number of pairs, the number of signs that decides for that side.
  const std::vector<uint32_t>& boundary_of_faster() const { return faster_.boundary; }
  const std::vector<uint32_t>& boundary_of_slower() const { return slower_.boundary; }

private:
  // The signs of one side. A ratio equal to the margin has no sign.
  struct side {
    std::vector<uint32_t> boundary;
    uint32_t signs = 0;
    uint32_t positive = 0;
    bool add(double excess);
  };

  double margin_;
  double log_lead_;
  side faster_;
  side slower_;
  comparison_decision decision_ = comparison_decision::undecided;
};

} // namespace kevolve
