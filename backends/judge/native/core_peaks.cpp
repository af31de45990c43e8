#include "backends/judge/native/core_peaks.hpp"

#include "backends/judge/byte_buffer.hpp"
#include "backends/judge/figure.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace kevolve {

namespace {

using std::chrono::steady_clock;

// A mixture of independent chains that hides the latency of two multiply-adds per cycle and fits into sixteen
// registers. Some cores can add in parallel and peak with as many sums as multiply-adds. The peak depends on the
// instruction order that the compiler chooses, so several mixtures are tried.
struct mixture {
  size_t multiply_adds; // multiply-adds per round
  size_t products;      // chains of multiply-adds
  size_t sums;          // chains with as many sums; 0: none
  size_t turn;          // number of consecutive operations of one kind before the other
  constexpr size_t adds() const { return sums > 0 ? multiply_adds : 0; }
};
constexpr std::array<mixture, 4> mixtures{{{12, 12, 0, 12}, {24, 8, 6, 2}, {48, 8, 6, 2}, {56, 8, 7, 1}}};
constexpr size_t most_chains = 15;
using starts = std::array<float, most_chains>;
constexpr size_t streams = 8; // parallel sums of words

using floats_16 = float __attribute__((vector_size(16)));
using floats_32 = float __attribute__((vector_size(32)));
using floats_64 = float __attribute__((vector_size(64)));
using words_16 = uint64_t __attribute__((vector_size(16)));
using words_32 = uint64_t __attribute__((vector_size(32)));
using words_64 = uint64_t __attribute__((vector_size(64)));

// Each chain x ← x/2 + 1/2 starts at 1 and stays exactly 1; x ← x + 1/2 is exact below 2^24. So the result is known and
// the compiler cannot drop the work. The starts come from memory, since the compiler would compute equal chains only
// once.
template <class Floats, mixture m>
[[gnu::always_inline]] inline float compute_in(uint64_t rounds, float half, const starts& start) {
  constexpr auto all = m.products + m.sums;
  Floats x[all];
  for (size_t k = 0; k < all; ++k)
    x[k] = Floats{} + start[k];
  const auto h = Floats{} + half;
  for (uint64_t i = 0; i < rounds; ++i)
#pragma GCC unroll 56
    for (size_t k = 0; k < m.multiply_adds; k += m.turn) {
#pragma GCC unroll 56
      for (auto j = k; j < k + m.turn; ++j)
        x[j % m.products] = x[j % m.products] * h + h;
      if constexpr (m.sums > 0)
#pragma GCC unroll 56
        for (auto j = k; j < k + m.turn; ++j)
          x[m.products + j % m.sums] += h;
    }
  for (size_t k = 1; k < all; ++k)
    x[0] += x[k];
  float out = 0.0F;
  for (size_t i = 0; i < sizeof(Floats) / sizeof(float); ++i)
    out += x[0][i];
  return out;
}

// Returns the sum of all words, read at full speed. `count` must be a multiple of 64.
template <class Words>
[[gnu::always_inline]] inline uint64_t add_up_in(const uint64_t* words, size_t count) {
  constexpr auto lanes = sizeof(Words) / sizeof(uint64_t);
  Words sum[streams]{};
  for (size_t i = 0; i < count; i += streams * lanes)
    for (size_t k = 0; k < streams; ++k) {
      Words more;
      std::memcpy(&more, words + i + k * lanes, sizeof more);
      sum[k] += more;
    }
  for (size_t k = 1; k < streams; ++k)
    sum[0] += sum[k];
  uint64_t out = 0;
  for (size_t i = 0; i < lanes; ++i)
    out += sum[0][i];
  return out;
}

template <size_t i>
float compute_16(uint64_t rounds, float half, const starts& start) {
  return compute_in<floats_16, mixtures[i]>(rounds, half, start);
}
uint64_t add_up_16(const uint64_t* words, size_t count) {
  return add_up_in<words_16>(words, count);
}
#ifdef __x86_64__
template <size_t i>
[[gnu::target("avx2,fma")]] float compute_32(uint64_t rounds, float half, const starts& start) {
  return compute_in<floats_32, mixtures[i]>(rounds, half, start);
}
[[gnu::target("avx2")]] uint64_t add_up_32(const uint64_t* words, size_t count) {
  return add_up_in<words_32>(words, count);
}
template <size_t i>
[[gnu::target("avx512f")]] float compute_64(uint64_t rounds, float half, const starts& start) {
  return compute_in<floats_64, mixtures[i]>(rounds, half, start);
}
[[gnu::target("avx512f")]] uint64_t add_up_64(const uint64_t* words, size_t count) {
  return add_up_in<words_64>(words, count);
}
#endif

// The probes for one vector width. A vector wider than the machine's is split and spilled by the compiler. It reaches a
// tenth of the peak, and a low peak would reject every good kernel.
struct probe {
  size_t lanes; // in floats
  std::array<float (*)(uint64_t rounds, float half, const starts& start), mixtures.size()> compute;
  uint64_t (*add_up)(const uint64_t* words, size_t count);
};

// Returns the probes for every width that this core supports, since the widest is not always the fastest.
std::vector<probe> probes() {
  std::vector<probe> out{{4, {compute_16<0>, compute_16<1>, compute_16<2>, compute_16<3>}, add_up_16}};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0)
    out.push_back({8, {compute_32<0>, compute_32<1>, compute_32<2>, compute_32<3>}, add_up_32});
  if (__builtin_cpu_supports("avx512f") != 0)
    out.push_back({16, {compute_64<0>, compute_64<1>, compute_64<2>, compute_64<3>}, add_up_64});
#endif
  return out;
}

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

result<double> flops_per_second(const probe& p, size_t which, int repeats) {
  const auto& m = mixtures[which];
  const auto lanes = p.lanes;
  const auto rounds = 1'344'000 / m.multiply_adds; // even, and its sums over all lanes stay below 2^24
  volatile float half = 0.5F;
  volatile float one = 1.0F;
  starts start{};
  for (auto& x : start)
    x = one;
  const auto grown = rounds * m.adds() / 2; // each sum adds 1/2
  const auto expected = static_cast<float>(lanes * (m.products + m.sums + grown));
  const auto flops = static_cast<double>(rounds * lanes * (2 * m.multiply_adds + m.adds()));
  double best = 0.0;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = steady_clock::now();
    const auto answer = p.compute[which](rounds, half, start);
    const auto took = seconds_since(begin);
    if (answer != expected)
      return fail(errc::internal, "the arithmetic probe's answer is wrong: this core miscalculates");
    best = std::max(best, flops / took);
  }
  return best;
}

result<double> bytes_per_second(const probe& p, const byte_buffer& memory, size_t bytes, int repeats) {
  const auto words = bytes / sizeof(uint64_t);
  // The words are 1, 2, 3, …, so the sum is known.
  const auto expected = static_cast<uint64_t>(words) * (words + 1) / 2;
  // Sweeps often enough that the clock's own cost does not matter.
  const auto sweeps = std::max<size_t>(1, (size_t{4} << 20U) / bytes);
  double best = 0.0;
  for (int i = 0; i < repeats; ++i) {
    const auto start = steady_clock::now();
    for (size_t k = 0; k < sweeps; ++k)
      if (p.add_up(memory.as<uint64_t>(), words) != expected)
        return fail(errc::internal, "the memory probe's answer is wrong: this core or its memory is sick");
    best = std::max(best, static_cast<double>(sweeps * bytes) / seconds_since(start));
  }
  return best;
}

// Returns the best result of `measure` over all widths.
template <class Measure>
result<double> best_of_all(const Measure& measure) {
  double best = 0.0;
  for (const auto& p : probes()) {
    auto rate = measure(p);
    if (!rate)
      return rate;
    best = std::max(best, *rate);
  }
  return best;
}

int64_t cache_bytes(int name, int64_t otherwise) {
  const auto n = sysconf(name);
  return n > 0 ? n : otherwise;
}

} // namespace

result<void> peak_meter::measure() {
  auto flops = best_of_all([](const probe& p) -> result<double> {
    double best = 0.0;
    for (size_t which = 0; which < mixtures.size(); ++which) {
      auto rate = flops_per_second(p, which, 24);
      if (!rate)
        return rate;
      best = std::max(best, *rate);
    }
    return best;
  });
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
    // Uses a size just too large for the level above, where this level is fastest. A shared last level is rarely all
    // ours, and with its full size it is no faster than memory.
    auto bytes = i == 0 ? static_cast<size_t>(level.capacity_bytes) / 2
                        : 2 * static_cast<size_t>(single_.levels[i - 1].capacity_bytes);
    if (level.capacity_bytes == 0)
      bytes = beyond;
    bytes = bytes / 512 * 512; // rounds down to the widest probe's step
    const auto repeats = level.capacity_bytes == 0 ? 3 : 8;
    auto rate = best_of_all([&](const probe& p) { return bytes_per_second(p, memory, bytes, repeats); });
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
    // The capacities of private caches add up as well.
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
