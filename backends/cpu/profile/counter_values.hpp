// The arithmetic of hardware counters: from readings to the counts of one call. Pure.
#pragma once

#include "backends/cpu/performance_unit.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace kevolve {

// The name of a count of slots begins with it.
inline constexpr const char* slot_prefix = "slots of ";

// The counts of a run by name; one that was not counted is left out.
using counter_values = std::map<std::string, double>;

// Returns the count of a reading (value, time enabled, time running); -1 if it never ran. It is scaled for the time in
// which others had the processor's counters.
double scaled_count(const std::array<uint64_t, 3>& reading);

struct call_counters {
  counter_values counts;                  // of one call
  std::map<std::string, double> top_down; // shares of the pipeline's slots; empty: not counted
};

// Returns what one call counts: the difference of a run with `calls` more calls and of one without them. A count that
// either run lacks is left out.
call_counters counters_of_call(const counter_values& without, const counter_values& with, double calls,
                               double slots_a_cycle);

} // namespace kevolve
