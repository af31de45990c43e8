// The random numbers of every draw that a seed decides. The standard's distributions differ between libraries, and what
// a seed decided must be decided again on every machine. The formulae below are therefore part of what is stored.
#pragma once

#include <array>
#include <cstdint>

namespace kevolve {

// Returns one step of splitmix64 from the state `x`, as a mixing function. Source: Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014; constants of Vigna's splitmix64.c.
constexpr uint64_t splitmix64_of(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

// Mixes two numbers into a seed for an independent stream.
constexpr uint64_t mix_seed(uint64_t seed, uint64_t salt) {
  return splitmix64_of((seed ^ (salt * 0xd6e8feb86659fd93ULL)) + 0x9e3779b97f4a7c15ULL);
}

// Returns the 53 high bits of `bits` as a number in [0, 1).
constexpr double unit_interval(uint64_t bits) {
  return static_cast<double>(bits >> 11U) * 0x1.0p-53;
}

// splitmix64: for a few choices from one seed, such as a selection's.
class splitmix64 {
public:
  explicit constexpr splitmix64(uint64_t seed) : state_(seed) {}

  constexpr uint64_t next() {
    const auto out = splitmix64_of(state_);
    state_ += 0x9e3779b97f4a7c15ULL;
    return out;
  }
  // Returns a number in [0, 1).
  constexpr double uniform() { return unit_interval(next()); }
  // Returns a number in [0, n), by the remainder; the bias is below n / 2^64. Returns 0 without a draw if n is 0.
  constexpr uint64_t below(uint64_t n) { return n == 0 ? 0 : next() % n; }
  // Returns true with probability p.
  constexpr bool chance(double p) { return uniform() < p; }

private:
  uint64_t state_;
};

// xoshiro256++ seeded through splitmix64: for long streams, such as the data of a task. Source: Blackman and Vigna,
// "Scrambled linear pseudorandom number generators", ACM TOMS 2021. Independent streams come from (seed, stream).
class random_stream {
public:
  explicit random_stream(uint64_t seed, uint64_t stream = 0);
  // Takes the state itself, which must not be all zero.
  explicit random_stream(const std::array<uint64_t, 4>& state) : state_(state) {}

  uint64_t next() {
    const auto out = rotate(state_[0] + state_[3], 23) + state_[0];
    const auto t = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return out;
  }
  // Returns a number in [0, 1).
  double uniform() { return unit_interval(next()); }
  // Returns a number in [0, n), by the high half of a product, unbiased to 2^-64.
  uint64_t below(uint64_t n) {
    __extension__ using wide = unsigned __int128;
    return static_cast<uint64_t>((static_cast<wide>(next()) * n) >> 64U);
  }
  // Returns a number from `low` to `high`, both included.
  int64_t between(int64_t low, int64_t high);
  // Returns a standard normal number, by a ziggurat of 256 layers.
  double normal();

private:
  static uint64_t rotate(uint64_t x, unsigned k) { return (x << k) | (x >> (64U - k)); }

  std::array<uint64_t, 4> state_{};
};

} // namespace kevolve
