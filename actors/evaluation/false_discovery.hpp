// False discoveries over a whole campaign. Each promotion is a test of "the candidate is not faster than the champion".
// Over hundreds of candidates a fixed level per test promotes some by luck. e-LOND bounds the expected share of false
// ones among all promotions, after every test. Tests may depend on each other and on earlier promotions. Source: Xu and
// Ramdas, "Online multiple testing with e-values", AISTATS 2024, arXiv:2311.06412.
//   level_t = alpha * gamma_t * (discoveries before t + 1), promoted if e_t >= 1 / level_t.
// Proof: let alpha be the bound, and T any number of tests. If test t <= T is promoted, the discoveries after T are at
// least those before t plus one. So the share of false ones is at most the sum over true nulls of
// level_t * e_t / (discoveries before t + 1) = alpha * gamma_t * e_t. The mean of an e-value under its null is at
// most 1. The sign e-process stopped at any time is such an e-value.
#pragma once

#include <cstdint>

namespace kevolve {

// The earlier tests: a fold of the recorded sequence, nothing else.
struct promotion_ledger {
  uint64_t tests = 0;
  uint64_t discoveries = 0;
};

// Returns gamma_t, t = 1, 2, …: positive, with the sum 1. It falls slowly (t^-1.2), so that a long campaign can still
// promote.
double share_of_level(uint64_t test);

// Returns the level of the next test. `alpha` bounds the expected share of false promotions.
double next_level(double alpha, const promotion_ledger& ledger);

// Returns true if an e-value, given as its natural log, is a discovery at this level.
bool is_discovery(double log_e, double level);

// Adds a test to the ledger, and a discovery if it was one.
void count_test(promotion_ledger& ledger, bool discovery);

} // namespace kevolve
