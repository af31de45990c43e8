// Finds the tolerance that a reference needs, from its errors against the exact result, and words it for a task file.
#pragma once

#include "backends/judge/comparison.hpp"

#include <string>
#include <vector>

namespace kevolve {

// A tolerance admits this many times the reference's own error: other orders of the same sums err differently.
inline constexpr double error_margin = 8.0;

// The errors of one output over several draws.
struct tolerance_need {
  double error = 0.0;  // the largest difference
  double excess = 0.0; // the largest part of error_margin times a difference that the relative part does not admit
  double ulps = 0.0;   // the largest difference on usual draws, in units of the output's type
  double median = 0.0; // the largest median magnitude of a usual draw
  // The relative tolerance at which error_margin times a difference on an edge is admitted by the scale of its values.
  double edge_relative = 0.0;
  size_t draws = 0;
};

// Returns the relative tolerance that `kevolve new` gives to outputs of a floating type.
double usual_relative(dtype t);

// Returns the contract with absolute = 0 in the tolerance of every floating output. The rules that rule_for() makes of
// it hold what edges are granted, and no more.
contract without_absolute(contract task);

// Adds a draw. `own` is the reference's output, compact. `granted` is the rule by without_absolute(). `usual`: the draw
// is of no edge.
void add_draw(tolerance_need& need, dtype t, const void* own, const expected_output& expected, int64_t elements,
              const comparison_rule& granted, bool usual);

// Returns the larger figures of both, and the draws of both together.
tolerance_need joined(const tolerance_need& a, const tolerance_need& b);

// Returns the number rounded up to one digit: 0.00031 gives 0.0004. Zero and less give 0.
double rounded_up(double x);

// Returns the absolute tolerance that admits error_margin times each error, and at least a tenth of the relative
// tolerance at the median magnitude.
double needed_absolute(const tolerance_need& need, double relative);

// Returns what to write into the task file, such as "write absolute = 4e-05 in [tolerance]: 8 times the reference's
// largest error, 4.6e-06 in 104 draws, beyond what relative = 1e-05 admits". Empty for outputs that are no floats.
std::string tolerance_to_write(const contract& task, const argument& output, const tolerance_need& need);

// Returns the same for the output called `missed` and all others that need a looser tolerance. `needs`: by argument.
std::string tolerances_to_write(const contract& task, const std::vector<tolerance_need>& needs,
                                const std::string& missed);

} // namespace kevolve
