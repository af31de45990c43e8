// How far an output may be from what was expected.
#pragma once

#include "runtime/base/contract.hpp"

#include <string>

namespace kevolve {

struct comparison_rule {
  tolerance_mode mode = tolerance_mode::exact;
  double relative = 0.0;
  double absolute = 0.0;
  double limit = 0.0;           // ulp, reference_error
  double reference_error = 0.0; // the reference's own largest error: reference_error mode
  bool nonfinite_match = false;
};

// The rule for an output. `largest` > 0 (edge cases): tolerances hold relative to the largest expected value,
// since cancellation of large terms leaves honest errors of that size. `cancels`: the inputs were drawn to cancel, so
// the reference's own error is what can be asked for, a few times over.
comparison_rule rule_for(const contract& task, const argument& output, double reference_error, double largest = 0.0,
                         bool cancels = false);

// "1e-05 + 0.0001 * |expected|"
std::string allowance(const comparison_rule& rule);

} // namespace kevolve
