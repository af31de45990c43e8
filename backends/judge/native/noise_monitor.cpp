#include "backends/judge/native/noise_monitor.hpp"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

core_times times_of(const std::string& text, const std::vector<int>& cores, double tick) {
  core_times out;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) {
    std::istringstream words{line};
    std::string name;
    words >> name;
    if (std::none_of(cores.begin(), cores.end(), [&](int c) { return name == "cpu" + std::to_string(c); }))
      continue;
    // user nice system idle iowait irq softirq steal
    std::array<uint64_t, 8> ticks{};
    size_t columns = 0;
    while (columns < ticks.size() && words >> ticks[columns])
      ++columns;
    if (columns < ticks.size())
      continue;
    out.idle_ns += static_cast<double>(ticks[3] + ticks[4]) * tick;
    out.stolen_ns += static_cast<double>(ticks[7]) * tick;
  }
  return out;
}

double processor_ns() {
  double out = 0.0;
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    if (::getrusage(whose, &used) == 0)
      for (const auto& part : {used.ru_utime, used.ru_stime})
        out += static_cast<double>(part.tv_sec) * 1e9 + static_cast<double>(part.tv_usec) * 1e3;
  }
  return out;
}

double processor_ns(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (pid <= 0 || ::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
    return 0.0;
  return static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec);
}

noise_monitor::noise_monitor(std::vector<int> cores, std::function<double()> own_ns)
    : cores_(std::move(cores)), own_(std::move(own_ns)), begun_(steady_clock::now()),
      times_(times_of(proc_stat(), cores_, tick_ns())), own_ns_(own_ ? own_() : 0.0), probe_ns_(probe()) {}

session_noise noise_monitor::end(uint32_t pairs, uint32_t waiting) const {
  session_noise out;
  out.probe_before_ns = probe_ns_;
  out.probe_after_ns = probe();
  out.tick_ns = tick_ns();
  const auto times = times_of(proc_stat(), cores_, out.tick_ns);
  out.stolen_ns = times.stolen_ns - times_.stolen_ns;
  out.wall_ns = static_cast<double>(std::chrono::nanoseconds{steady_clock::now() - begun_}.count());
  out.cores = static_cast<uint32_t>(cores_.size());
  if (own_) {
    const auto busy = out.cores * out.wall_ns - (times.idle_ns - times_.idle_ns) - out.stolen_ns;
    out.foreign_ns = std::max(0.0, busy - (own_() - own_ns_));
  }
  out.pairs = pairs;
  out.waiting_pairs = waiting;
  return out;
}

} // namespace kevolve
