// Latency of a load and rate of stores at each level of memory, beside the read rates of the judge's peak meter.
#pragma once

#include "runtime/base/result.hpp"

#include <cstddef>

namespace kevolve {

// Returns the nanoseconds of a load whose address comes from the load before it, in `bytes` of memory: one line after
// another in random order.
double load_latency_ns(size_t bytes);
// Returns the bytes a second of a loop that fills so much memory.
double store_bytes_per_second(size_t bytes);

// Returns the nanoseconds of a clock cycle of this core at work: additions that wait for each other.
double cycle_ns();

} // namespace kevolve
