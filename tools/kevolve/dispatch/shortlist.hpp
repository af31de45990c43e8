// Which of a campaign's kernels are worth the judge's time: an estimate from screenings that were run for another end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kevolve::dispatch {

// A kernel as it was compared: its ratio to the baseline of the time, at each declared shape. 0: not timed there.
struct compared_kernel {
  uint64_t node = 0;
  uint64_t baseline = 0; // a node; 0: the reference
  std::vector<double> ratios;
};

// Speedups against the reference, by shape, through the chain of baselines; 0 where a link is missing.
std::vector<std::vector<double>> chained_speedups(const std::vector<compared_kernel>& kernels);

// At most so many, as indices: the one that is `first` whatever its figures, then each shape's fastest, each shape's
// second, … Estimates at or below 1 are not worth judging.
std::vector<size_t> shortlist(const std::vector<std::vector<double>>& speedups, size_t first, size_t most);

} // namespace kevolve::dispatch
