// The check of a task's assertions on the data of one call.
#pragma once

#include "backends/judge/call_data.hpp"
#include "backends/judge/evaluation_error.hpp"
#include "backends/protocol.hpp"

#include <optional>
#include <string>

namespace kevolve {

// Returns how the drawn values contradict an assertion of kind range or sorted, with the element: "idx[17] is 1030, and
// every value of 'idx' is at most n - 1, which is 1023 here". Nothing if none does. Arrays without values are not
// checked.
std::optional<std::string> broken_assertion(const contract& task, const call_data& data);

// Returns the sizes of a call for people: "m=3 n=17".
std::string sizes_text(const contract& task, const call_data& data);

// Refuses the task at its admission: an assertion is false on this draw, for that reason. In other modes it is a fault,
// since the candidate that is judged on the draw is not to blame.
tl::unexpected<evaluation_error> false_assertion(const judge_request& request, const shape_case& shape,
                                                 const call_data& data, const std::string& why);

// Returns that refusal if the drawn values contradict an assertion of kind range or sorted.
attempt<void> hold_assertions(const judge_request& request, const shape_case& shape, const call_data& data);

} // namespace kevolve
