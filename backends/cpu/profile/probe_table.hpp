// The words that a loop has in the table of the loop probes. The pass plugin writes them, the driver's reader reads
// them.
#pragma once

#include <cstddef>

namespace kevolve {

// Entries, rounds, ticks, ticks that no other timed loop was around, and timed loops entered within.
inline constexpr std::size_t probe_words = 5;

} // namespace kevolve
