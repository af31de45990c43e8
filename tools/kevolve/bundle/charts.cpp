// Draws the bundle's two charts.
#include "tools/kevolve/bundle/bundle.hpp"
#include "tools/kevolve/bundle/svg.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace kevolve {

namespace {

double peak(const bundle_input& b, const std::string& name) {
  const auto i = b.peaks.find(name);
  return i == b.peaks.end() ? 0.0 : i->second;
}

} // namespace

std::string progress_svg(const bundle_input& b) {
  auto most = 1.0;
  auto last = b.candidates;
  for (const auto& s : b.progress) {
    most = std::max(most, s.speedup);
    last = std::max(last, s.candidates);
  }
  svg_chart chart{b.task.name + ": the best so far",
                  {"candidates judged", 0, static_cast<double>(std::max<uint64_t>(last, 1)), false},
                  {"times as fast as the reference", 0, round_up_nicely(most * 1.05), false}};
  std::vector<std::pair<double, double>> points{{0, 1}};
  for (const auto& s : b.progress) {
    points.emplace_back(s.candidates, points.back().second);
    points.emplace_back(s.candidates, s.speedup);
  }
  points.emplace_back(last, points.back().second);
  chart.line(points, "#1f6feb");
  for (const auto& s : b.progress)
    chart.dot(static_cast<double>(s.candidates), s.speedup, "#1f6feb",
              fmt::format("candidate {}: {:.2f}x after {} candidates", s.node, s.speedup, s.candidates));
  if (b.progress.empty())
    chart.text(0, 1, "no step was recorded", "#666");
  return chart.done();
}

std::string roofline_svg(const bundle_input& b) {
  struct point {
    double intensity = 0.0;
    double reference = 0.0; // flops per ns, that is 10^9 flops per second
    double kernel = 0.0;
    std::string name;
  };
  std::vector<point> points;
  for (const auto& s : b.shapes)
    if (s.flops > 0 && s.bytes > 0 && s.kernel_ns > 0 && s.reference_ns > 0)
      points.push_back({s.flops / s.bytes, s.flops / s.reference_ns, s.flops / s.kernel_ns, s.name});
  const auto compute = peak(b, "flops_per_s") / 1e9;
  const auto memory = peak(b, "dram_bytes_per_s") / 1e9;
  const auto title = b.task.name + ": roofline";
  const svg_axis blank_x{"operations for each byte (log)", 0.1, 100, true};
  const svg_axis blank_y{"10^9 operations a second (log)", 0.1, 1000, true};
  if (points.empty() || compute <= 0 || memory <= 0) {
    svg_chart chart{title, blank_x, blank_y};
    chart.text(0.1, 10,
               points.empty() ? (b.task.work_flops.empty() || b.task.work_bytes.empty()
                                     ? "the task declares no work: no point can be placed"
                                     : "the declared work hangs on the data: no point can be placed")
                              : "the device's peaks were not measured",
               "#666");
    return chart.done();
  }
  auto low_x = compute / memory;
  auto high_x = low_x;
  auto low_y = compute;
  auto high_y = compute;
  for (const auto& p : points) {
    low_x = std::min(low_x, p.intensity);
    high_x = std::max(high_x, p.intensity);
    low_y = std::min({low_y, p.reference, p.kernel});
    high_y = std::max({high_y, p.reference, p.kernel});
  }
  const svg_axis x{blank_x.label, low_x / 4, high_x * 4, true};
  const svg_axis y{blank_y.label, low_y / 2, high_y * 2, true};
  svg_chart chart{title, x, y};
  const auto roof = [&](double i) { return std::min(compute, memory * i); };
  chart.line({{x.low, std::max(roof(x.low), y.low)}, {compute / memory, compute}, {x.high, compute}}, "#444");
  chart.text(x.high, compute, fmt::format("one core's peak, {:.0f}", compute), "#444");
  // The label is above its roof, where no point can be.
  chart.text(x.low, std::min(std::max(roof(x.low), y.low) * 4, compute), fmt::format("memory, {:.1f} GB/s", memory),
             "#444");
  for (const auto& p : points) {
    chart.line({{p.intensity, p.reference}, {p.intensity, p.kernel}}, "#ccc");
    chart.dot(p.intensity, p.reference, "#999", p.name + ": the reference");
    chart.dot(p.intensity, p.kernel, "#1f6feb", p.name + ": the kernel");
  }
  chart.text(points.front().intensity, points.front().kernel, "kernel", "#1f6feb");
  chart.text(points.front().intensity, points.front().reference, "reference", "#777");
  return chart.done();
}

} // namespace kevolve
