// The test behind "no regression": a one-sided sign test of non-inferiority on interleaved pairs. Pure.
//
// Each pair gives the log of t_baseline / t_candidate. The candidate is inferior if the median of these logs is at or
// below -log(1 + margin): it takes longer than the baseline by the margin or more. If it is inferior, each log lies
// above that bound with probability at most 1/2. So the number of logs above it is at most binomial (n, 1/2), whatever
// their distribution. Sources: Dixon and Mood, JASA 41, 1946, for the sign test; Wellek, "Testing Statistical
// Hypotheses of Equivalence and Noninferiority", 2010, ch. 5, for the margin. "Not inferior" is said if so many lie
// above it that this has probability at most 1 - confidence. "Inferior" is said by the same test in the other
// direction. Otherwise nothing is shown. The number of pairs must not depend on their values.
//
// A file that is shown to be not inferior on each of its shapes is so on all of them at the same confidence. No
// correction for their number is needed: the claim is wrong only if one of the tests errs for a shape that is inferior.
// Source: Berger, Technometrics 24, 1982 (intersection-union test).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::dispatch {

// The claim that is tested: at most `margin` slower, as a share of the baseline's time.
struct regression_rule {
  double margin = 0.03;
  double confidence = 0.95;
};

enum class regression : uint8_t { not_shown = 0, not_inferior, inferior };
// Returns the words for people: "not shown", "not inferior", "inferior".
std::string to_string(regression r);

struct regression_test {
  regression result = regression::not_shown;
  size_t pairs = 0;
};

// Tests the pairs. A log that is not finite lies on neither side.
regression_test test_regression(const std::vector<double>& log_ratios, const regression_rule& rule);

} // namespace kevolve::dispatch
