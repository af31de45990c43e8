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

// Returns the share of the device's threads that a launch keeps busy.
double filling(const filled& f) {
  return f.how.threads * std::min(f.how.waves, 1.0);
}

double time_of(const std::string& kernel, const std::vector<filled>& launched) {
  double out = 0.0;
  for (const auto& f : launched)
    out += f.kernel == kernel ? f.took_ns : 0.0;
  return out;
}

// Returns ", and takes 83 % of the kernels' time"; empty for a plan of one kernel, or without times.
std::string share_text(const filled& kernel, const std::vector<filled>& launched) {
  double all = 0.0;
  for (const auto& f : launched)
    all += f.took_ns;
  return launched.size() < 2 || all <= 0.0
             ? std::string{}
             : ", and takes " + percent(time_of(kernel.kernel, launched) / all) + " of the kernels' time";
}

} // namespace

const filled* telling_kernel(const std::vector<filled>& launched) {
  const bool timed =
      !launched.empty() && std::all_of(launched.begin(), launched.end(), [](const auto& f) { return f.took_ns > 0.0; });
  const filled* out = nullptr;
  for (const auto& f : launched) {
    if (!timed && f.how.blocks == 0)
      continue;
    const bool more =
        out == nullptr
        || (timed ? time_of(f.kernel, launched) > time_of(out->kernel, launched) : filling(f) < filling(*out));
    const bool longer = out != nullptr && timed && f.kernel == out->kernel && f.took_ns > out->took_ns;
    if (more || longer)
      out = &f;
  }
  return out;
}

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
  const auto* kernel = telling_kernel(launched);
  if (kernel != nullptr)
    say(describe(*kernel) + share_text(*kernel, launched));
  out.why = std::move(figures);
  if (std::max(memory, compute) >= near_roof)
    out.bound = memory >= compute ? "memory" : "compute";
  else if (roofs.launch_ns > 0.0 && roofs.took_ns < launches * roofs.launch_ns)
    out.bound = "launch";
  else if (kernel != nullptr && kernel->how.blocks != 0 && filling(*kernel) < few_threads)
    out.bound = "occupancy";
  else if (memory > 0.0 || compute > 0.0)
    out.bound = "latency";
  return out;
}

} // namespace kevolve
