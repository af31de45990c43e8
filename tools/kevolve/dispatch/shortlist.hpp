// Selects the kernels of a campaign that are worth judging, by estimates from its screenings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kevolve::dispatch {

// A compared kernel: its ratio to the baseline at that time, by declared shape. 0: not timed.
struct compared_kernel {
  uint64_t node = 0;
  uint64_t baseline = 0; // index of a node; 0: the reference
  std::vector<double> ratios;
};

// Returns the speed-ups over the reference by shape, multiplied along the chain of baselines; 0 if a link is missing.
std::vector<std::vector<double>> chained_speedups(const std::vector<compared_kernel>& kernels);

// Returns at most `most` indices: `first` in any case, then each shape's fastest, each shape's second, and so on.
// Kernels with estimates of at most 1 are skipped.
std::vector<size_t> shortlist(const std::vector<std::vector<double>>& speedups, size_t first, size_t most);

} // namespace kevolve::dispatch
