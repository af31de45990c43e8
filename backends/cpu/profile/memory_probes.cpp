#include "backends/cpu/profile/memory_probes.hpp"

#include "backends/judge/byte_buffer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

namespace kevolve {

namespace {

using std::chrono::steady_clock;

constexpr size_t line = 64;
constexpr int repeats = 5;
constexpr size_t loads = 40'000;

double ns_since(steady_clock::time_point start) {
  return std::chrono::duration<double, std::nano>(steady_clock::now() - start).count();
}

} // namespace

double load_latency_ns(size_t bytes) {
  const auto count = std::max<size_t>(bytes / line, 2);
  byte_buffer memory{count * line};
  auto* words = memory.as<uint64_t>();
  constexpr size_t step = line / sizeof(uint64_t);
  // Sattolo's algorithm: one cycle through all lines.
  std::vector<uint32_t> order(count);
  for (size_t i = 0; i < count; ++i)
    order[i] = static_cast<uint32_t>(i);
  uint64_t random = 88172645463325252ULL;
  for (size_t i = count - 1; i > 0; --i) {
    random ^= random << 13U;
    random ^= random >> 7U;
    random ^= random << 17U;
    std::swap(order[i], order[random % i]);
  }
  for (size_t i = 0; i < count; ++i)
    words[i * step] = order[i] * step;
  double best = 1e9;
  uint64_t at = 0;
  for (int k = 0; k < repeats; ++k) {
    const auto start = steady_clock::now();
    for (size_t i = 0; i < loads; ++i)
      at = words[at];
    best = std::min(best, ns_since(start) / static_cast<double>(loads));
    __asm__ volatile("" : "+r"(at));
  }
  return best;
}

size_t reached_capacity(size_t least, size_t claimed, double level_ns, double behind_ns,
                        const std::function<double(size_t bytes)>& latency_of) {
  constexpr double apart = 1.5; // nearer latencies cannot be told from each other
  if (level_ns <= 0.0 || behind_ns < apart * level_ns)
    return claimed;
  const auto limit = std::sqrt(level_ns * behind_ns);
  auto out = std::min(least, claimed);
  for (auto bytes = least; bytes <= claimed && latency_of(bytes) < limit; bytes *= 2)
    out = 2 * bytes > claimed ? claimed : bytes;
  return out;
}

double store_bytes_per_second(size_t bytes) {
  byte_buffer memory{bytes};
  auto* words = memory.as<uint64_t>();
  const auto count = bytes / sizeof(uint64_t);
  const auto sweeps = std::max<size_t>(1, (size_t{8} << 20U) / bytes);
  double best = 0.0;
  for (int k = 0; k < repeats; ++k) {
    const auto start = steady_clock::now();
    for (size_t s = 0; s < sweeps; ++s) {
      for (size_t i = 0; i < count; ++i)
        words[i] = s + 1;
      __asm__ volatile("" : : "r"(words) : "memory");
    }
    best = std::max(best, static_cast<double>(sweeps * bytes) / ns_since(start) * 1e9);
  }
  return best;
}

double cycle_ns() {
  constexpr int rounds = 100'000;
  constexpr int additions = 16;
  double best = 1e9;
  uint64_t x = 1;
  // Intel's cores since Golden Cove make several additions of a constant in one cycle, but of a register only one.
  const uint64_t step = static_cast<uint64_t>(rounds) | 1U;
  for (int k = 0; k < 2 * repeats; ++k) {
    const auto start = steady_clock::now();
    for (int i = 0; i < rounds; ++i)
#pragma GCC unroll 16
      for (int j = 0; j < additions; ++j)
        __asm__ volatile("addq %1, %0" : "+r"(x) : "r"(step));
    best = std::min(best, ns_since(start) / (double{rounds} * additions));
  }
  return best;
}

} // namespace kevolve
