#include "runtime/base/measurement.hpp"

#include <fmt/format.h>

namespace kevolve {

std::string interval_name(const interval_basis& basis) {
  if (basis.coverage <= 0.0 && basis.pairs == 1)
    return "a single pair, without an interval:";
  if (basis.coverage <= 0.0)
    return "interval of unknown coverage";
  auto out =
      fmt::format("{:.3g} % interval of {} pair{}", 100.0 * basis.coverage, basis.pairs, basis.pairs == 1 ? "" : "s");
  return out
         + (basis.sessions > 1 ? fmt::format(" in {} sessions, the spread between them included", basis.sessions)
                               : std::string{", within one session"});
}

} // namespace kevolve
