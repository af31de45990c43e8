#include "backends/cpu/judge/weather.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace kevolve {

namespace {

using std::chrono::steady_clock;

// A chain of dependent multiply-adds: bound by latency, so that it shows the core's clock and nothing of memory.
// The best of a few is the core's own speed; interrupts only ever add.
double probe() {
  constexpr int rounds = 5'000;
  constexpr int tries = 5;
  volatile double half = 0.5;
  double best = 0.0;
  for (int i = 0; i < tries; ++i) {
    const double h = half;
    double x = h;
    const auto start = steady_clock::now();
    for (int k = 0; k < rounds; ++k)
      x = x * h + h;
    half = x > 0.0 ? 0.5 : x; // the result is used
    const auto took = static_cast<double>(std::chrono::nanoseconds{steady_clock::now() - start}.count());
    best = best == 0.0 ? took : std::min(best, took);
  }
  return best;
}

double tick_ns() {
  const auto hertz = sysconf(_SC_CLK_TCK);
  return 1e9 / static_cast<double>(hertz > 0 ? hertz : 100);
}

std::string proc_stat() {
  std::ifstream in{"/proc/stat"};
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

} // namespace

double stolen_ns(const std::string& text, const std::vector<int>& cores, double tick) {
  double out = 0.0;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) {
    std::istringstream words{line};
    std::string name;
    words >> name;
    if (std::none_of(cores.begin(), cores.end(), [&](int c) { return name == "cpu" + std::to_string(c); }))
      continue;
    // user nice system idle iowait irq softirq steal
    uint64_t ticks = 0;
    int column = 0;
    while (column < 8 && words >> ticks)
      ++column;
    if (column == 8)
      out += static_cast<double>(ticks) * tick;
  }
  return out;
}

weather_watch::weather_watch(std::vector<int> cores)
    : cores_(std::move(cores)), begun_(steady_clock::now()), stolen_ns_(stolen_ns(proc_stat(), cores_, tick_ns())),
      probe_ns_(probe()) {}

session_weather weather_watch::end(uint32_t pairs, uint32_t waiting) const {
  session_weather out;
  out.probe_before_ns = probe_ns_;
  out.probe_after_ns = probe();
  out.tick_ns = tick_ns();
  out.stolen_ns = stolen_ns(proc_stat(), cores_, out.tick_ns) - stolen_ns_;
  out.wall_ns = static_cast<double>(std::chrono::nanoseconds{steady_clock::now() - begun_}.count());
  out.pairs = pairs;
  out.waiting_pairs = waiting;
  return out;
}

} // namespace kevolve
