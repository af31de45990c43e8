// Which of a campaign's kernels are worth the judge's time: an estimate from races that were run for another end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kevolve::dispatch {

// A kernel as it was raced: its ratio to the rival of the time, at each declared shape. 0: not timed there.
struct raced_kernel {
  uint64_t node = 0;
  uint64_t rival = 0; // a node; 0: the reference
  std::vector<double> ratios;
};

// Speedups against the reference, by shape, through the chain of rivals; 0 where a link is missing.
std::vector<std::vector<double>> chained_speedups(const std::vector<raced_kernel>& kernels);

// At most so many, as indices: the one that is `first` whatever its figures, then each shape's fastest, each shape's
// second, … Estimates at or below 1 are not worth judging.
std::vector<size_t> shortlist(const std::vector<std::vector<double>>& speedups, size_t first, size_t most);

} // namespace kevolve::dispatch
