// Measures how far a reference is from its oracle, over more draws than one refusal needs.
#pragma once

#include "backends/judge/input_set_maker.hpp"
#include "backends/judge/tolerance_need.hpp"

#include <chrono>
#include <vector>

namespace kevolve {

// Draws of each shape on which the reference must keep the tolerance; a slow one gets fewer.
inline constexpr size_t own_draws = 50;

// Adds the reference's errors on draws of each shape, at most own_draws and as many as `patience` of work allows, and
// on its edges. `needs` has an entry for each argument; those of floating outputs grow. Draws that are not finite count
// for nothing. Fails as calls of the reference do.
attempt<void> add_own_errors(input_set_maker& maker, const judge_request& request, std::chrono::milliseconds patience,
                             std::vector<tolerance_need>& needs);

// Adds the reference's errors on one set, for which `task` is without_absolute().
void add_own_errors(const contract& task, const input_sets& inputs, const input_set& set,
                    std::vector<tolerance_need>& needs);

} // namespace kevolve
