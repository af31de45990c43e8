// A judge's place among the processes that share its core.
#pragma once

namespace kevolve {

// Where it is allowed, ahead of whatever else shares the core: a preempted call is a wasted pair. The kernel weighs
// whole sessions against each other (autogroups), so this happens in a session of our own, never in the caller's.
void go_ahead_of_others();

} // namespace kevolve
