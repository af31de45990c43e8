#include "backends/judge/baseline_pairs.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/sequential_test.hpp"

#include <algorithm>

namespace kevolve {

namespace {

constexpr size_t least_pairs = 4; // an interval of fewer says little

} // namespace

baseline_figure figure_of_pairs(const std::string& name, const std::vector<double>& baseline_ns,
                                const std::vector<double>& candidate_ns) {
  const auto pairs = std::min(baseline_ns.size(), candidate_ns.size());
  if (pairs < least_pairs)
    return untimed(name, "no time left after " + std::to_string(pairs) + " pairs");
  std::vector<double> ratios;
  for (size_t i = 0; i < pairs; ++i)
    ratios.push_back(baseline_ns[i] / candidate_ns[i]);
  const auto middle = interval_of_median(std::move(ratios));
  baseline_figure out;
  out.name = name;
  out.set_speedup({middle.median, middle.low, middle.high});
  out.coverage = middle.coverage;
  out.time_ns = interval_of_median(baseline_ns).median;
  out.candidate_ns = interval_of_median(candidate_ns).median;
  return out;
}

std::vector<double> without_overhead(std::vector<double> call_ns, double overhead_ns) {
  constexpr double least_share = 0.1; // a call shorter than this beside its overhead cannot be told from none
  for (auto& ns : call_ns)
    ns = std::max(ns - overhead_ns, least_share * ns);
  return call_ns;
}

baseline_figure untimed(const std::string& name, const std::string& why) {
  baseline_figure out;
  out.name = name;
  out.note = why;
  return out;
}

void note_on_shape(std::map<std::string, std::string>& evidence, const baseline_figure& x, const std::string& shape) {
  if (x.speedup > 0.0)
    evidence["baselines." + x.name + "." + shape] = figure(x.time_ns / 1e3, 5) + " us beside "
                                                    + figure(x.candidate_ns / 1e3, 5) + " us: " + figure(x.speedup, 4)
                                                    + "x";
}

} // namespace kevolve
