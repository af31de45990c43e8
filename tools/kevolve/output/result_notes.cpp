#include "tools/kevolve/output/result_notes.hpp"

#include "backends/judge/outcome_figures.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace kevolve {

std::string fast_math_note(const std::string& flags, const std::string& build_script) {
  if (build_script.find("-Ofast") == std::string::npos && build_script.find("-ffast-math") == std::string::npos)
    return {};
  return fmt::format(
      "flags '{}' let the compiler take it that no value is NaN or infinite: what becomes of such inputs "
      "is promised only where the task asks for it (an output with nonfinite = \"match\")",
      flags);
}

std::string alignment_note(const std::string& source, const contract& task) {
  if (source.find("__builtin_assume_aligned") == std::string::npos)
    return {};
  uint32_t most = 0;
  for (const auto& a : task.arguments)
    if (!a.shape.empty())
      most = std::max(most, a.align);
  return fmt::format("the kernel counts on arrays that begin at multiples of what the task says, up to {} bytes "
                     "([[argument]] align, 64 where it is silent): with others it may crash",
                     most);
}

std::string slower_note(const shape_timing& t) {
  if (t.ci_high <= 0.0 || t.ci_high >= 1.0)
    return {};
  return fmt::format("on the {}shape '{}' the winner is slower than the reference: {}, {}: {:.3f} to {:.3f}; "
                     "what `kevolve dispatch` makes runs the reference there",
                     t.held_out ? "held-out " : "", t.shape, human_speedup(t.speedup), shape_interval_name(basis_of(t)),
                     t.ci_low, t.ci_high);
}

std::string flattened_note(const shape_timing& t, double own_ns) {
  constexpr double much = 0.1; // of the winner's call
  if (t.held_out || t.candidate_ns.empty() || t.baseline_ns.empty())
    return {};
  const auto fast = spread_json(t.candidate_ns)["median"].get<double>();
  const auto slow = spread_json(t.baseline_ns)["median"].get<double>();
  if (own_ns < much * fast || own_ns >= fast)
    return {};
  return fmt::format("on shape '{}' {} of the winner's {} a call are the judge's own: its speedup is flattened there "
                     "(without them it would be about {:.1f}x); declare larger shapes",
                     t.shape, human_ns(own_ns), human_ns(fast), (slow - own_ns) / (fast - own_ns));
}

} // namespace kevolve
