// Figures of a bundle's kernel: by shape, by region, and along the campaign.
#pragma once

#include "runtime/base/measurement.hpp"

#include <cstdint>
#include <string>

namespace kevolve {

// A declared shape as it was measured; 0 where nothing is known.
struct bundle_shape : speedup_interval {
  std::string name;
  bool held_out = false;
  double weight = 1.0;
  double reference_ns = 0.0; // medians
  double kernel_ns = 0.0;
  uint64_t pairs = 0;
  double flops = 0.0; // minimal work of any implementation
  double bytes = 0.0;
};

// A row of a dispatching kernel: a condition on the sizes, and the kernel that runs there.
struct bundle_region {
  std::string when, runs;
};

// A new champion of the campaign.
struct bundle_step {
  uint64_t candidates = 0; // finished by then
  uint64_t node = 0;
  double speedup = 0.0;
};

} // namespace kevolve
