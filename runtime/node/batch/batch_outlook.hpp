// The promise and the price of a batch, for the order in which a runner judges several.
#pragma once

#include "runtime/node/batch/batch_file.hpp"

#include <cstddef>
#include <vector>

namespace kevolve {

struct batch_outlook {
  double seconds = 0.0;    // of the device, predicted; 0: unknown
  double first = 0.0;      // of these, until the first verdict
  double gain = 0.0;       // expected, in the logarithm of the speed-up
  uint64_t candidates = 0; // that await judgement
};

// A campaign that has gained much with few candidates is expected to gain more; one without results has the benefit of
// the doubt.
double expected_gain(double best_speedup, uint64_t judged, uint64_t waiting);

batch_outlook outlook_of(const batch_bundle& batch);

// Returns the indexes in the order of expected gain a second, the largest first; equal ones keep their order.
std::vector<size_t> order_by_gain(const std::vector<batch_outlook>& batches);

// Returns true if at least the first verdict can be there in that time. `scale`: how much longer than predicted the
// first verdict of an earlier batch took.
bool fits_in(const batch_outlook& batch, double seconds_left, double scale);

} // namespace kevolve
