// The judge's random numbers: xoshiro256++ seeded through splitmix64. They are deterministic given the seed, which
// comes from the kernel unless a test sets it. Pairs (seed, stream) give independent streams.
#pragma once

#include <array>
#include <cstdint>

namespace kevolve {

class random_stream {
public:
  explicit random_stream(uint64_t seed, uint64_t stream = 0);

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
  // Returns a number in [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
  // Returns a number in [0, n) with a bias below 2^-64.
  uint64_t below(uint64_t n) {
    __extension__ using wide = unsigned __int128;
    return static_cast<uint64_t>((static_cast<wide>(next()) * n) >> 64U);
  }
  // Returns a number between `low` and `high`, both included.
  int64_t between(int64_t low, int64_t high);
  // Returns a standard normal number.
  double normal();

private:
  static uint64_t rotate(uint64_t x, unsigned k) { return (x << k) | (x >> (64U - k)); }

  std::array<uint64_t, 4> state_{};
};

// Returns a seed from the kernel, never zero.
uint64_t secret_seed();

// Combines two numbers into the seed of an independent stream.
uint64_t mix_seed(uint64_t seed, uint64_t salt);

} // namespace kevolve
