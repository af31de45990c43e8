// The figures of one result. Every record and message that carries them derives from the part that it needs, so that
// they travel by one assignment. Each record lists the members in its own inspect(): their places there are stored.
#pragma once

#include "runtime/base/verdict.hpp"

#include <cstdint>
#include <string>

namespace kevolve {

// A speed-up with its confidence interval. interval_basis says how often such an interval holds the true figure.
struct speedup_interval {
  double speedup = 0.0;
  double ci_low = 0.0;
  double ci_high = 0.0;

  // Replaces the figures and leaves the rest of the record that they belong to.
  void set_speedup(const speedup_interval& from) { *this = from; }
};

// The values that an interval was made of, and its coverage.
struct interval_basis {
  double coverage = 0.0; // how often such an interval holds the true figure; 0: unknown, as in older records
  uint32_t pairs = 0;
  uint32_t sessions = 0; // 1: within one session; more: the interval includes the spread between them
};

// Returns the name of an interval: "87.5 % interval of 4 pairs, within one session".
std::string interval_name(const interval_basis& basis);

// Both figures of a confirmation; a speed-up of 0 was not measured. The headline is one of them.
struct outputs_figures {
  speedup_interval not_read; // the calls alone
  speedup_interval read;     // the calls and a read of their outputs after them
};

// The verdict on a candidate with its figures: what the search tree keeps.
struct score : speedup_interval {
  verdict result = verdict::none;
  bool estimate = false; // screened out early: a rough figure

  void set_score(const score& from) { *this = from; }
};

// The same with the words for a person.
struct measurement : score {
  std::string rule;   // the rule that refused it: "early_done", "guard_band", …
  std::string detail; // never an expected value, never a seed

  void set_measurement(const measurement& from) { *this = from; }
  // Replaces the verdict and its words, and leaves the figures.
  void set_verdict(const measurement& from) {
    result = from.result;
    rule = from.rule;
    detail = from.detail;
  }
};

template <class I>
typename I::result_type inspect(I& f, interval_basis& x) {
  return f(x.coverage, x.pairs, x.sessions);
}
template <class I>
typename I::result_type inspect(I& f, outputs_figures& x) {
  return f(x.not_read.speedup, x.not_read.ci_low, x.not_read.ci_high, x.read.speedup, x.read.ci_low, x.read.ci_high);
}

} // namespace kevolve
