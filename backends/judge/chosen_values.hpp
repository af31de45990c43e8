// Values chosen for one argument instead of drawn by its fill rule. They keep the rule: each is an input that the
// contract allows.
#pragma once

#include "backends/judge/distributions.hpp"
#include "backends/judge/value_choice.hpp"

namespace kevolve {

// The values that an argument's fill rule gives, or that a scalar's range holds. Values of a normal distribution lie
// within three standard deviations when they are chosen freely, and within six when a source names them.
struct value_range {
  double low = 0.0;
  double high = 0.0;
};
value_range values_of(const argument& a, double deviations);

// Returns `count` compact elements of type a.type by the choice. `row` is the number of elements along the last
// dimension. errc::bad_input as for fill_array().
result<byte_buffer> fill_chosen(const argument& a, const value_choice& choice, int64_t count, int64_t row,
                                const source_array& source, random_stream random);

} // namespace kevolve
