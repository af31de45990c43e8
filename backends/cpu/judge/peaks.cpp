#include "backends/cpu/judge/peaks.hpp"

#include "backends/judging/byte_buffer.hpp"
#include "backends/judging/figure.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define KEVOLVE_WIDEST [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define KEVOLVE_WIDEST
#endif

namespace kevolve {

namespace {

using std::chrono::steady_clock;

// Enough independent chains to hide the latency of a fused multiply-add at two a cycle.
constexpr size_t chains = 16;
constexpr size_t lanes = 16;
using wide = float __attribute__((vector_size(lanes * sizeof(float))));

// x ← x/2 + 1/2 a chain, starting at 1: stays 1 exactly, so the answer is known and the work cannot be
// dropped. The starts come from memory: chains that a compiler knows to be equal, it computes once.
KEVOLVE_WIDEST float multiply_add(uint64_t rounds, float half, const float* start) {
  wide a0 = wide{} + start[0], a1 = wide{} + start[1], a2 = wide{} + start[2], a3 = wide{} + start[3];
  wide a4 = wide{} + start[4], a5 = wide{} + start[5], a6 = wide{} + start[6], a7 = wide{} + start[7];
  wide b0 = wide{} + start[8], b1 = wide{} + start[9], b2 = wide{} + start[10], b3 = wide{} + start[11];
  wide b4 = wide{} + start[12], b5 = wide{} + start[13], b6 = wide{} + start[14], b7 = wide{} + start[15];
  const wide h = wide{} + half;
  for (uint64_t i = 0; i < rounds; ++i) {
    a0 = a0 * h + h;
    a1 = a1 * h + h;
    a2 = a2 * h + h;
    a3 = a3 * h + h;
    a4 = a4 * h + h;
    a5 = a5 * h + h;
    a6 = a6 * h + h;
    a7 = a7 * h + h;
    b0 = b0 * h + h;
    b1 = b1 * h + h;
    b2 = b2 * h + h;
    b3 = b3 * h + h;
    b4 = b4 * h + h;
    b5 = b5 * h + h;
    b6 = b6 * h + h;
    b7 = b7 * h + h;
  }
  const wide sum =
      ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7)) + (((b0 + b1) + (b2 + b3)) + ((b4 + b5) + (b6 + b7)));
  float out = 0.0F;
  for (size_t i = 0; i < lanes; ++i)
    out += sum[i];
  return out;
}

// The sum of all words, read as fast as loads go.
KEVOLVE_WIDEST uint64_t add_up(const uint64_t* words, size_t count) {
  std::array<uint64_t, 64> sums{};
  for (size_t i = 0; i + 64 <= count; i += 64)
    for (size_t k = 0; k < 64; ++k)
      sums[k] += words[i + k];
  uint64_t out = 0;
  for (auto s : sums)
    out += s;
  return out;
}

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

result<double> flops_per_second() {
  constexpr uint64_t rounds = 200'000;
  volatile float half = 0.5F;
  volatile float one = 1.0F;
  std::array<float, chains> start{};
  for (auto& x : start)
    x = one;
  double best = 0.0;
  for (int i = 0; i < 12; ++i) {
    const auto begin = steady_clock::now();
    const auto answer = multiply_add(rounds, half, start.data());
    const auto took = seconds_since(begin);
    if (answer != static_cast<float>(chains * lanes))
      return fail(errc::internal, "the arithmetic probe's answer is wrong: this core miscalculates");
    best = std::max(best, 2.0 * static_cast<double>(rounds * chains * lanes) / took);
  }
  return best;
}

result<double> bytes_per_second(const byte_buffer& memory, size_t bytes, int repeats) {
  const auto words = bytes / sizeof(uint64_t);
  // 1, 2, 3 …: Gauss knew the answer.
  const auto expected = static_cast<uint64_t>(words) * (words + 1) / 2;
  // Long enough a turn that the clock's own cost is nothing.
  const auto sweeps = std::max<size_t>(1, (size_t{4} << 20U) / bytes);
  double best = 0.0;
  for (int i = 0; i < repeats; ++i) {
    const auto start = steady_clock::now();
    for (size_t k = 0; k < sweeps; ++k)
      if (add_up(memory.as<uint64_t>(), words) != expected)
        return fail(errc::internal, "the memory probe's answer is wrong: this core or its memory is sick");
    best = std::max(best, static_cast<double>(sweeps * bytes) / seconds_since(start));
  }
  return best;
}

int64_t cache_bytes(int name, int64_t otherwise) {
  const auto n = sysconf(name);
  return n > 0 ? n : otherwise;
}

} // namespace

result<void> peak_meter::measure() {
  auto flops = flops_per_second();
  if (!flops)
    return tl::unexpected<failure>(flops.error());
  single_.flops_per_second = std::max(single_.flops_per_second, *flops);

  if (single_.levels.empty())
    single_.levels = {{"l1", cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10), 0.0},
                      {"l2", cache_bytes(_SC_LEVEL2_CACHE_SIZE, 512 << 10), 0.0},
                      {"l3", cache_bytes(_SC_LEVEL3_CACHE_SIZE, 8 << 20), 0.0},
                      {"dram", 0, 0.0}};
  const auto last = static_cast<size_t>(single_.levels[2].capacity_bytes);
  const auto beyond = std::clamp(2 * last, size_t{64} << 20U, size_t{256} << 20U);
  byte_buffer memory(beyond);
  for (size_t i = 0; i < beyond / sizeof(uint64_t); ++i)
    memory.as<uint64_t>()[i] = i + 1;
  double above = 0.0;
  for (size_t i = single_.levels.size(); i-- > 0;) {
    auto& level = single_.levels[i];
    // Where the level is at its best: just too much for the level above it. A shared last level is rarely all
    // ours, and its far end is no faster than memory.
    auto bytes = i == 0 ? static_cast<size_t>(level.capacity_bytes) / 2
                        : 2 * static_cast<size_t>(single_.levels[i - 1].capacity_bytes);
    if (level.capacity_bytes == 0)
      bytes = beyond;
    bytes = bytes / 512 * 512; // the loop's step
    auto rate = bytes_per_second(memory, bytes, level.capacity_bytes == 0 ? 3 : 8);
    if (!rate)
      return tl::unexpected<failure>(rate.error());
    // A nearer level is never slower than a farther one.
    above = std::max(above, *rate);
    level.bytes_per_second = std::max(level.bytes_per_second, above);
  }
  return {};
}

device_peaks peak_meter::of_all_cores() const {
  auto out = single_;
  const auto n = static_cast<double>(thread_cores_);
  out.flops_per_second *= n;
  for (auto& level : out.levels) {
    level.bytes_per_second *= n;
    // Private caches add up, too.
    level.capacity_bytes *= static_cast<int64_t>(thread_cores_);
  }
  return out;
}

std::map<std::string, std::string> peak_meter::facts() const {
  std::map<std::string, std::string> out;
  if (!measured())
    return out;
  out["peak.flops_per_s"] = figure(single_.flops_per_second);
  for (const auto& level : single_.levels)
    out["peak." + level.name + "_bytes_per_s"] = figure(level.bytes_per_second);
  return out;
}

} // namespace kevolve
