// The allowed difference between an output and its expected value.
#pragma once

#include "runtime/base/contract.hpp"

#include <string>

namespace kevolve {

struct comparison_rule {
  tolerance_mode mode = tolerance_mode::exact;
  double relative = 0.0;
  double absolute = 0.0;
  double limit = 0.0;           // limit of the modes ulp and reference_error
  double reference_error = 0.0; // mode reference_error: the reference's own largest error
  bool nonfinite_match = false;
};

// Returns the rule for an output. `largest` > 0 is for edge cases: tolerances are then relative to the largest expected
// value, since cancellation of large terms causes errors of that size. `cancels`: the inputs were drawn to cancel, so a
// multiple of the reference's own error is allowed.
comparison_rule rule_for(const contract& task, const argument& output, double reference_error, double largest = 0.0,
                         bool cancels = false);

// Returns the rule as text: "1e-05 + 0.0001 * |expected|".
std::string allowance(const comparison_rule& rule);

} // namespace kevolve
