#include "backends/cpu/prelude.hpp"
#include "runtime/base/kinds.hpp"

#include <array>

namespace kevolve {

namespace {

constexpr std::array functions{
    "acos",       "acosh",  "asin",      "asinh",  "atan",   "atan2",  "atanh",     "cbrt",      "ceil",
    "copysign",   "cos",    "cosh",      "erf",    "erfc",   "exp",    "exp10",     "exp2",      "expm1",
    "fabs",       "fdim",   "floor",     "fma",    "fmax",   "fmin",   "fmod",      "frexp",     "hypot",
    "ilogb",      "j0",     "j1",        "ldexp",  "lgamma", "llrint", "llround",   "log",       "log10",
    "log1p",      "log2",   "logb",      "lrint",  "lround", "modf",   "nan",       "nearbyint", "nextafter",
    "nexttoward", "pow",    "remainder", "remquo", "rint",   "round",  "roundeven", "scalbln",   "scalbn",
    "sin",        "sincos", "sinh",      "sqrt",   "tan",    "tanh",   "tgamma",    "trunc",     "y0",
    "y1",         "strto",
};
constexpr std::array builtin_only{"huge_val", "inf"};

void define(std::string& out, const std::string& name, const std::string& value) {
  out += "#undef " + name + "\n#define " + name + " " + value + "\n";
}

} // namespace

std::string prelude_text(std::string_view language) {
  std::string out = "#include <float.h>\n"
                    "#include <math.h>\n"
                    "#include <stddef.h>\n"
                    "#include <stdint.h>\n"
                    "#include <stdlib.h>\n"
                    "#include <string.h>\n";
  if (is_cpp(language)) // without the first, clang 19 holds va_list for ambiguous in whatever includes it later
    out += "#include <stdarg.h>\n"
           "#include <algorithm>\n"
           "#include <array>\n"
           "#include <cmath>\n"
           "#include <cstdint>\n"
           "#include <cstring>\n"
           "#include <limits>\n"
           "#include <numeric>\n"
           "#include <utility>\n"
           "#include <vector>\n";
  out += "#if defined(__x86_64__) || defined(__i386__)\n"
         "#include <immintrin.h>\n"
         "#endif\n";
  return out;
}

std::string promotion_text() {
  std::string out;
  for (std::string name : functions) {
    // strtof is the only function whose double variant is not its name without the f.
    auto promoted = name == "strto" ? std::string{"strtod"} : name;
    define(out, name + "f", promoted);
    if (name != "strto")
      define(out, "__builtin_" + name + "f", "__builtin_" + promoted);
  }
  for (std::string name : builtin_only)
    define(out, "__builtin_" + name + "f", "__builtin_" + name);
  // FLT_MAX, FLT_EPSILON and similar constants stay, since they are part of the reference's computation.
  define(out, "HUGE_VALF", "HUGE_VAL");
  define(out, "float", "double");
  define(out, "_Float16", "double");
  return out + "#line 1 \"candidate.c\"\n";
}

} // namespace kevolve
