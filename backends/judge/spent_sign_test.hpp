// Who is faster within a number of pairs fixed beforehand: the sign test watched after every pair, its error spent
// pair by pair (Lan and DeMets, Biometrika 70, 1983; exact binomial boundaries: Jennison and Turnbull, Group
// Sequential Methods, 2000, ch. 12).
//
// Why it may be watched and stopped at any time: let the process's median log ratio be at most the margin. Then
// each sign is positive with probability 1/2 at most, whatever came before, and the number of positive signs stays
// below a fair walk's. The boundary at pair n is the lowest that a fair walk has crossed by then with probability at
// most error * (n / horizon)^0.7, counted exactly; so crossing it ever has probability error at most, and a screening
// that ends before, for whatever reason, crosses it no more often. Unlike an e-process it knows its horizon, and loses
// nothing to pairs that never come: 3 % found in 88 of 100 screenings become 97.
//
// The two mistakes do not cost the same: who is wrongly called faster is promoted, who is wrongly called slower was
// within delta of its baseline. So a fifth of alpha is spent on the first and the rest on the second.
#pragma once

#include "backends/protocol.hpp"

#include <cstdint>
#include <vector>

namespace kevolve {

class spent_sign_test {
public:
  // delta: smallest relative gain that counts. alpha: of both sides together. No pair beyond the horizon counts.
  spent_sign_test(double delta, double alpha, uint32_t horizon);

  // One pair. Anything but a finite ratio counts for nobody.
  void add(double log_ratio);
  // faster, slower or undecided; once decided, for good.
  comparison_decision decision() const { return decision_; }

  // At each number of pairs, how many signs of its own decide for a side.
  const std::vector<uint32_t>& boundary_of_faster() const { return faster_.boundary; }
  const std::vector<uint32_t>& boundary_of_slower() const { return slower_.boundary; }

private:
  // The signs of one side; a ratio that equals the margin has none.
  struct side {
    std::vector<uint32_t> boundary;
    uint32_t signs = 0;
    uint32_t positive = 0;
    bool add(double excess);
  };

  double margin_;
  side faster_;
  side slower_;
  comparison_decision decision_ = comparison_decision::undecided;
};

} // namespace kevolve
