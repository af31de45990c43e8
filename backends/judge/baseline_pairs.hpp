// A candidate beside a baseline of PyTorch: the figure of their pairs, and what counts as one. Pure.
#pragma once

#include "runtime/base/baseline_figure.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve {

// Returns the median of the pairs' ratios t_baseline / t_candidate with its interval, and both medians. Times stand in
// the order of the pairs; too few for an interval leave the figure untimed, with a note.
baseline_figure figure_of_pairs(const std::string& name, const std::vector<double>& baseline_ns,
                                const std::vector<double>& candidate_ns);

// Returns the times of calls without what an empty call takes in the same process; at least a tenth of each time stays.
std::vector<double> without_overhead(std::vector<double> call_ns, double overhead_ns);

// Returns the figure of a baseline that was not timed.
baseline_figure untimed(const std::string& name, const std::string& why);

// Notes a figure on one shape, so that it stays readable where other shapes were not timed. Nothing if it was not
// timed.
void note_on_shape(std::map<std::string, std::string>& evidence, const baseline_figure& x, const std::string& shape);

} // namespace kevolve
