// The figures of a confirmed candidate beside each baseline that people run in practice: eager PyTorch, torch.compile.
// The reference of a task is not one of them. Pure.
#pragma once

#include "runtime/base/measurement.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve {

// The speed-up over one baseline; 0: it was not timed.
struct baseline_figure : speedup_interval {
  std::string name;          // "eager PyTorch", "torch.compile max-autotune", …
  double coverage = 0.0;     // of the interval
  double time_ns = 0.0;      // of a call of the baseline: its median, over several shapes their geometric mean
  double candidate_ns = 0.0; // of the candidate beside it
  std::string note;          // why it was not timed, or a remark on the figure
};
using baseline_figures = std::vector<baseline_figure>;

// Returns the fastest baseline that was timed: the one with the lowest speed-up; null: none was.
const baseline_figure* best_baseline(const baseline_figures& all);

// Returns the words that a result begins with, such as "slower than torch.compile (max-autotune): 0.43x as fast, 0.42
// to 0.44" or "1.31x faster than eager PyTorch, the best of 3 baselines, 1.29 to 1.33". They are "not shown to be
// faster than …" where the interval holds 1. Empty: no baseline was timed.
std::string baseline_headline(const baseline_figures& all);

// Returns a line for each baseline, with its time; one that was not timed gives its reason.
std::vector<std::string> baseline_lines(const baseline_figures& all);

// One shape's figure of one baseline, with the weight of the shape.
struct shape_baseline {
  baseline_figure figure;
  double weight = 1.0;
};
// Returns the baseline's figure over the declared shapes: weighted geometric means. It was timed only if it was timed
// on each of them; otherwise the note of the first that it misses stands.
baseline_figure over_shapes(const std::vector<shape_baseline>& shapes);

// They travel in the evidence of an outcome, as the basis of its interval does.
void note_baselines(std::map<std::string, std::string>& evidence, const baseline_figures& all);
baseline_figures baselines_of(const std::map<std::string, std::string>& evidence);

template <class I>
typename I::result_type inspect(I& f, baseline_figure& x) {
  return f(x.name, x.speedup, x.ci_low, x.ci_high, x.coverage, x.time_ns, x.candidate_ns, x.note);
}

} // namespace kevolve
