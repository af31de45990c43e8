// The check of a task's assertions on the data of one call.
#pragma once

#include "backends/judge/call_data.hpp"

#include <optional>
#include <string>

namespace kevolve {

// Returns how the drawn values contradict an assertion of kind range or sorted, with the element: "idx[17] is 1030, and
// every value of 'idx' is at most n - 1, which is 1023 here". Nothing if none does. Arrays without values are not
// checked.
std::optional<std::string> broken_assertion(const contract& task, const call_data& data);

// Returns the sizes of a call for people: "m=3 n=17".
std::string sizes_text(const contract& task, const call_data& data);

} // namespace kevolve
