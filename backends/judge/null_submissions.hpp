// Answers that take no work: zeros, a constant, a copy of an input, the previous output.
#pragma once

#include "backends/judge/evaluation_error.hpp"
#include "backends/judge/input_set_maker.hpp"
#include "backends/protocol.hpp"

#include <memory>
#include <vector>

namespace kevolve {

// Refuses a task whose tolerance accepts one of them as an output, in every draw on every shape that is timed.
attempt<void> refuse_null_submissions(const judge_request& request, input_set_maker& maker,
                                      const std::vector<std::shared_ptr<const input_sets>>& pools);

} // namespace kevolve
