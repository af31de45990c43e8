#include "tools/kevolve/output/interval_text.hpp"

#include "tools/kevolve/output/terminal.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kevolve {

std::string interval_sentence(const speedup_interval& x, const interval_basis& basis) {
  return fmt::format("{}: {:.3f} to {:.3f}", interval_name(basis), x.ci_low, x.ci_high);
}

std::string coverage_text(const interval_basis& basis) {
  return basis.coverage > 0.0 ? fmt::format("{:.3g} %", 100.0 * basis.coverage) : "-";
}

std::string outputs_sentence(const outputs_figures& x, double headline) {
  if (x.read.speedup <= 0.0 || x.not_read.speedup <= 0.0)
    return {};
  const bool read = std::abs(headline - x.read.speedup) < std::abs(headline - x.not_read.speedup);
  const auto figure = [](const speedup_interval& f) {
    return fmt::format("{} ({:.3f} to {:.3f})", human_speedup(f.speedup), f.ci_low, f.ci_high);
  };
  return fmt::format("The calls alone: {}; with their outputs read right after them: {}. The headline is the {}.",
                     figure(x.not_read), figure(x.read), read ? "latter" : "former");
}

} // namespace kevolve
