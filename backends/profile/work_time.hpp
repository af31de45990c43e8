// Processor time, which a busy machine does not stretch as it does the time on the clock.
#pragma once

#include <cstdint>

namespace kevolve {

struct work_time {
  double passed_s = 0.0; // on the clock
  double worked_s = 0.0; // on processors, in user and system mode
};

// Returns the time now: the work of this process and of its children that have ended.
work_time work_time_now();
// Returns the processor seconds of the children alone.
double worked_by_children_s();

// Returns the seconds that count between two times: those of work, but never more than passed. The threads of a
// candidate may work at the same time.
double counted_s(const work_time& from, const work_time& to);

// Returns the limit of a step in whole processor seconds, at least 1.
uint32_t whole_processor_seconds(double seconds);

} // namespace kevolve
