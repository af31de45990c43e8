// Compares what a candidate wrote with what was expected, in double, without trusting NaN to behave. accepts() only
// says yes; compare() finds every number a report needs, and runs after every timed call. Both at memory speed where
// nothing is wrong; neither ever tells an expected value.
#pragma once

#include "backends/judge/byte_buffer.hpp"
#include "backends/judge/comparison_rule.hpp"
#include "backends/judge/geometry.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/verdict.hpp"

#include <cstdint>

namespace kevolve {

// Expected values, compact, in logical order; f64 from an oracle, else the reference's own type.
struct expected_output {
  dtype type = dtype::f64;
  byte_buffer values;
};

struct comparison {
  verdict result = verdict::pass; // or wrong_result, nonfinite
  int64_t bad = 0;
  int64_t bad_nonfinite = 0; // of them: infinite or NaN where something else was expected
  int64_t not_met = 0;       // of them: something else where infinity or NaN was expected
  int64_t first_bad = -1;    // logical index
  double max_abs = 0.0;
  double max_rel = 0.0; // where the expected value is not zero
  double max_ulp = 0.0; // of the output's type; differing integers: their distance
};

// The first `elements` logical elements of storage laid out as `g`.
bool accepts(const array_geometry& g, const void* actual, const expected_output& expected, int64_t elements,
             const comparison_rule& rule);
// `by_reference`: what the reference gave, compact and of the output's type, if known: a finite element with its bits
// is right whatever an oracle says, which decides a near tie otherwise than the reference now and then.
comparison compare(const array_geometry& g, const void* actual, const expected_output& expected, int64_t elements,
                   const comparison_rule& rule, const byte_buffer* by_reference = nullptr);

// "3 of 10 elements are outside the tolerance, 2 of them infinite or NaN, the first at index 4"; never what was
// expected.
std::string wrong_elements(const comparison& c, int64_t elements);

// What accepts() compares floating types with: |c - o| <= absolute + relative * |o|, neither ever infinite. Accepts
// nothing that compare() would not.
struct acceptance {
  double absolute = 0.0;
  double relative = 0.0;
};
acceptance acceptance_bounds(dtype t, const comparison_rule& rule);

// Largest finite magnitude among the first `elements`.
double largest_magnitude(const expected_output& expected, int64_t elements);

// Same bits as `other`, which is compact and of the same type.
bool bit_equal(const array_geometry& g, const void* actual, const byte_buffer& other, int64_t elements);

// Copies the first `elements` into compact order; the second uses the buffer that is there if it is large as needed.
byte_buffer collect(const array_geometry& g, const void* storage, int64_t elements);
void collect(const array_geometry& g, const void* storage, int64_t elements, byte_buffer& out);

} // namespace kevolve
