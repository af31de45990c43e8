// Latency of a load and rate of stores at each level of memory, beside the read rates of the judge's peak meter.
#pragma once

#include "runtime/base/result.hpp"

#include <cstddef>
#include <functional>

namespace kevolve {

// Returns the nanoseconds of a load whose address comes from the load before it, in `bytes` of memory: one line after
// another in random order.
double load_latency_ns(size_t bytes);
// Returns the bytes a second of a loop that fills so much memory.
double store_bytes_per_second(size_t bytes);

// Returns how much of a level this core reaches, the largest size of those doubled from `least`. Up to it a load takes
// less than the geometric mean of the level's latency and of the latency behind it. Machines share their last level,
// and a virtual one sees all of it. `latency_of` measures a size.
size_t reached_capacity(size_t least, size_t claimed, double level_ns, double behind_ns,
                        const std::function<double(size_t bytes)>& latency_of);

// Returns the nanoseconds of a clock cycle of this core at work: additions that wait for each other.
double cycle_ns();

} // namespace kevolve
