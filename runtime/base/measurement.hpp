// The figures of one result. Every record and message that carries them derives from the part that it needs, so that
// they travel by one assignment. Each record lists the members in its own inspect(): their places there are stored.
#pragma once

#include "runtime/base/verdict.hpp"

#include <string>

namespace kevolve {

// A speed-up with its 95 % confidence interval.
struct speedup_interval {
  double speedup = 0.0;
  double ci_low = 0.0;
  double ci_high = 0.0;

  // Replaces the figures and leaves the rest of the record that they belong to.
  void set_speedup(const speedup_interval& from) { *this = from; }
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

} // namespace kevolve
