// Null submissions: answers that need no work, such as zeros, a constant, a copy of an input, or the previous output.
#pragma once

#include "backends/judge/evaluation_error.hpp"
#include "backends/judge/input_set_maker.hpp"
#include "backends/protocol.hpp"

#include <memory>
#include <vector>

namespace kevolve {

// Rejects a task whose tolerance accepts a null submission for an output, in every draw on every timed shape.
attempt<void> refuse_null_submissions(const judge_request& request, input_set_maker& maker,
                                      const std::vector<std::shared_ptr<const input_sets>>& all_inputs);

} // namespace kevolve
