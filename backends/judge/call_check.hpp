// Checks what a call left in memory: guards, inputs, and every output against what is expected, in full. The rules are
// the same for every target, on the same image of the arguments.
#pragma once

#include "backends/judge/byte_buffer.hpp"
#include "backends/judge/input_sets.hpp"
#include "backends/judge/rejection.hpp"
#include "backends/judge/shared_arena.hpp"
#include "backends/protocol.hpp"

#include <optional>
#include <vector>

namespace kevolve {

struct check_options {
  bool full = false;          // finds every number for the report, of right outputs too
  bool near_ties = false;     // where the oracle decides a near tie otherwise, the reference's answer counts as right
  bool bits_on_edges = false; // edge values count for the report's bit-equality
  bool same_outputs = false;  // the outputs are known to be those of a call that was right; only their tails are not
};

// Returns why the call is refused; nothing if all is right. The report may be null.
std::optional<rejection> check_call(const contract& task, const call_memory& memory, const input_sets& inputs,
                                    const input_set& set, const check_options& options, correctness_report* report);

// Returns the outputs' counted elements, by argument, compact.
std::vector<byte_buffer> collect_outputs(const contract& task, const call_memory& memory, const input_set& set);

// Adds the shape and the edge of the set, or its draw, to a rejection.
void tell_where(const input_sets& inputs, const input_set& set, rejection& c);

} // namespace kevolve
