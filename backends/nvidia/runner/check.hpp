// What came back from a call beside what was expected: guards, inputs, every output in full. The same rules as for
// native candidates, on the same image of the arguments.
#pragma once

#include "backends/judge/input_sets.hpp"
#include "backends/judge/rejection.hpp"
#include "backends/judge/shared_arena.hpp"
#include "backends/protocol.hpp"

#include <optional>

namespace kevolve::cuda {

// `full`: find every number for the report, which may be null.
std::optional<rejection> check_call(const contract& task, const call_memory& memory, const input_sets& pool,
                                    const input_set& set, bool full, correctness_report* report);

// The outputs' counted elements, by argument, compact.
std::vector<byte_buffer> collect_outputs(const contract& task, const call_memory& memory, const input_set& set);

} // namespace kevolve::cuda
