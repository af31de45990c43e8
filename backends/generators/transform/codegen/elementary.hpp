// Elementary functions over vectors of floats, as the C text of helpers without a branch.
#pragma once

#include <optional>
#include <string>

namespace kevolve::transform {

struct float_vector {
  std::string floats; // the vectors' type, and that of as many int32_t
  std::string ints;
  unsigned lanes;
};

// Returns the helper `<function>_<floats>`: within 3 ulp of the function (sin and cos beside their own zeros: within
// 6e-8), denormal results aside, and as the C library has it at 0, infinities and NaN. It calls splat_, blend_ and exp_
// of its type. Nothing if there is none of that name. Sources: Muller, "Elementary functions", 3rd ed. 2016: §11 (Cody
// and Waite's range reduction), §3 (minimax polynomials; those here by Remez' exchange with 40 digits).
std::optional<std::string> elementary_function(const std::string& function, const float_vector& v);

} // namespace kevolve::transform
