// The last words of helper programs, which share one log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve {

// Stands in the failure of an owner whose helper ended before it could serve: another start would end like it.
inline constexpr std::string_view ended_at_start = " ended at its start with ";

// Returns the size of a helper's log; 0 if there is none.
uint64_t log_size(const std::string& log_path);
// Returns the last line that was appended to a log after its first `from` bytes; empty if there is none.
std::string last_line(const std::string& log_path, uint64_t from);

} // namespace kevolve
