// Compares a candidate's outputs with the expected values, in double and with care about NaN. accepts() only returns
// yes or no; it runs after every timed call. compare() computes every figure of a report. Both run at memory speed if
// all elements are right. Neither reveals an expected value.
#pragma once

#include "backends/judge/byte_buffer.hpp"
#include "backends/judge/comparison_rule.hpp"
#include "backends/judge/geometry.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/verdict.hpp"

#include <cstdint>

namespace kevolve {

// Expected values, compact, in logical order. The type is f64 from an oracle, else the reference's own type.
struct expected_output {
  dtype type = dtype::f64;
  byte_buffer values;
};

struct comparison {
  verdict result = verdict::pass; // pass, wrong_result or nonfinite
  int64_t bad = 0;
  int64_t bad_nonfinite = 0; // bad elements that are infinite or NaN where something else was expected
  int64_t not_met = 0;       // bad elements where infinity or NaN was expected and something else was found
  int64_t first_bad = -1;    // logical index; -1: none
  double max_abs = 0.0;
  double max_rel = 0.0; // over elements whose expected value is not zero
  double max_ulp = 0.0; // in units of the output's type; for integers, the largest difference
};

// Returns whether the first `elements` logical elements, stored with layout `g`, satisfy the rule.
bool accepts(const array_geometry& g, const void* actual, const expected_output& expected, int64_t elements,
             const comparison_rule& rule);
// Compares the first `elements` elements. `by_reference` holds the reference's output if known, compact and in the
// output's type. A finite element that equals the reference's bits is right even if the oracle disagrees; this happens
// at near ties.
comparison compare(const array_geometry& g, const void* actual, const expected_output& expected, int64_t elements,
                   const comparison_rule& rule, const byte_buffer* by_reference = nullptr);

// Describes the bad elements without expected values: "3 of 10 elements are outside the tolerance, 2 of them infinite
// or NaN, the first at index 4".
std::string wrong_elements(const comparison& c, int64_t elements);

// The bound that accepts() uses for floating types: |c - o| <= absolute + relative * |o|, both finite. It accepts
// nothing that compare() would reject.
struct acceptance {
  double absolute = 0.0;
  double relative = 0.0;
};
acceptance acceptance_bounds(dtype t, const comparison_rule& rule);

// Returns the largest finite magnitude among the first `elements`.
double largest_magnitude(const expected_output& expected, int64_t elements);

// Returns whether the output has the same bits as `other`, which is compact and of the same type.
bool bit_equal(const array_geometry& g, const void* actual, const byte_buffer& other, int64_t elements);

// Copies the first `elements` into compact order. The second form reuses `out` if it is large enough.
byte_buffer collect(const array_geometry& g, const void* storage, int64_t elements);
void collect(const array_geometry& g, const void* storage, int64_t elements, byte_buffer& out);

} // namespace kevolve
