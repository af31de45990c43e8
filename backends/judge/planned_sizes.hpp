// The sizes of adversarial draws; private to the planner.
#pragma once

#include "backends/judge/adversarial_draws.hpp"

#include <optional>
#include <vector>

namespace kevolve {

// Returns true if the contract allows the draw and it is cheap enough to be made by the hundred.
bool is_cheap(const contract& task, const adversarial_draw& draw);

// Returns draws with values as declared that together have each size of each symbol: those asked for by the rules, and
// the constants with their neighbours.
draw_plan plan_sizes(const contract& task, const std::vector<double>& constants, bool asked);

// Returns lengths at the lower end of what they may be, so that many of them fit into a draw; the others as declared.
std::vector<value_choice> short_lengths_of(const contract& task);

// Returns the smallest allowed sizes: of all symbols, and of each beside others that are a little larger.
std::vector<size_map> smallest_sizes(const contract& task);

// Returns a few allowed sizes with enough elements for patterns of values; the declared ones if there are no others.
std::vector<size_map> sizes_for_values(const contract& task);

// Returns sizes that are mixed: some symbols as a shape declares them, others of ordinary size. So the branches of
// blocked loops and of their remainders meet in every combination.
std::vector<size_map> mixed_sizes(const contract& task);

} // namespace kevolve
