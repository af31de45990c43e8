#include "backends/nvidia/bottleneck.hpp"

#include <algorithm>
#include <cstdio>

namespace kevolve {

namespace {

constexpr double near_roof = 0.6;   // share of a roof; the remaining gain is not worth its cost
constexpr double launches = 3.0;    // a call shorter than this many empty launches is mostly launch
constexpr double few_threads = 0.2; // share of a multiprocessor's threads; fewer cannot hide the memory's latency

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100.0 * share);
  return text;
}

std::string tenths(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", x);
  return text;
}

std::string describe(const filled& f) {
  return f.kernel + " has " + std::to_string(f.how.blocks) + (f.how.blocks == 1 ? " block" : " blocks")
         + " a multiprocessor, " + percent(f.how.threads) + " of its threads (limit: " + f.how.limit + "), "
         + tenths(f.how.waves) + " waves";
}

} // namespace

bottleneck bottleneck_of(const call_roofs& roofs, const std::vector<filled>& launched) {
  bottleneck out;
  if (roofs.took_ns <= 0.0)
    return out;
  const auto memory = roofs.memory_ns / roofs.took_ns;
  const auto compute = roofs.compute_ns / roofs.took_ns;
  std::string figures;
  const auto say = [&](const std::string& what) { figures += (figures.empty() ? "" : "; ") + what; };
  if (memory > 0.0)
    say(percent(memory) + " of the memory's rate for the least bytes");
  if (compute > 0.0)
    say(percent(compute) + " of the peak arithmetic for the least operations");
  if (roofs.launch_ns > 0.0)
    say("an empty launch is " + percent(roofs.launch_ns / roofs.took_ns) + " of the call");
  const filled* thinnest = nullptr;
  for (const auto& f : launched)
    if (f.how.blocks != 0
        && (thinnest == nullptr
            || f.how.threads * std::min(f.how.waves, 1.0) < thinnest->how.threads * std::min(thinnest->how.waves, 1.0)))
      thinnest = &f;
  if (thinnest != nullptr)
    say(describe(*thinnest));
  out.why = std::move(figures);
  if (std::max(memory, compute) >= near_roof)
    out.bound = memory >= compute ? "memory" : "compute";
  else if (roofs.launch_ns > 0.0 && roofs.took_ns < launches * roofs.launch_ns)
    out.bound = "launch";
  else if (thinnest != nullptr && thinnest->how.threads * std::min(thinnest->how.waves, 1.0) < few_threads)
    out.bound = "occupancy";
  else if (memory > 0.0 || compute > 0.0)
    out.bound = "latency";
  return out;
}

} // namespace kevolve
