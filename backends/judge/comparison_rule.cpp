#include "backends/judge/comparison_rule.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/numbers.hpp"

#include <algorithm>

namespace kevolve {

comparison_rule rule_for(const contract& task, const argument& output, double reference_error, double largest,
                         bool cancels) {
  constexpr double times_the_reference = 8.0; // allows another order of summation
  const auto t = tolerance_for(task, output);
  comparison_rule out;
  out.mode = t.mode;
  out.relative = t.relative;
  out.absolute = t.absolute;
  out.limit = t.limit;
  out.reference_error = reference_error;
  out.nonfinite_match = output.nonfinite_match;
  if (largest > 0.0 && is_floating(output.type)) {
    if (t.mode == tolerance_mode::absrel)
      out.absolute = std::max(t.absolute, t.relative * largest);
    else if (t.mode == tolerance_mode::ulp)
      out.absolute = t.limit * ulp_of(output.type, largest);
    else if (t.mode == tolerance_mode::reference_error)
      out.absolute = ulp_of(output.type, largest);
  }
  if (cancels && t.mode != tolerance_mode::exact)
    out.absolute = std::max(out.absolute, times_the_reference * reference_error);
  return out;
}

std::string allowance(const comparison_rule& rule) {
  switch (rule.mode) {
    case tolerance_mode::absrel:
      return figure(rule.absolute, 3) + " + " + figure(rule.relative, 3) + " * |expected|";
    case tolerance_mode::ulp:
      return figure(rule.limit, 3) + " ulp";
    case tolerance_mode::reference_error:
      return figure(rule.limit, 3) + " * the reference's own error of " + figure(rule.reference_error, 3);
    case tolerance_mode::exact:
      break;
  }
  return "0";
}

} // namespace kevolve
