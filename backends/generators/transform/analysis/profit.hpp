// Measures of how promising a move looks, from the shape of the loop alone: where a search tries first, not what it may
// do.
#pragma once

#include "backends/generators/transform/analysis/environment.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace kevolve::transform {

// Elements from one iteration of the loop with that index to the next, if that is a number.
std::optional<int64_t> stride(const expr& subscript, const std::string& index);

// Returns the share of the loop's array accesses that fill vectors without gathering, between 0 and 1. Their places
// stand side by side, or still, from one iteration to the next.
double contiguity(const stmt& loop);

// Returns true if jamming the loop would reuse loads (an access in an inner loop does not depend on it) or overlap
// independent whiles.
bool promises_reuse(const stmt& loop);

// Returns true if a loop inside, or a while, hands what it computes from one iteration to the next, otherwise than as a
// sum.
bool holds_recurrence(const stmt& loop, const environment& env);

// Returns the number of vector registers of `register_bits` that the values declared in the loop's body fill.
double register_demand(const stmt& loop, int64_t register_bits);

} // namespace kevolve::transform
