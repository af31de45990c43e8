// ChaCha20 as a counter-based generator: block `counter` of a stream needs no earlier block. Compiled for the host and,
// without any library, for the device. Source: RFC 8439, with the counter of 64 bits of Bernstein's original.
#pragma once

#include <stdint.h>

namespace kevolve::cuda {

inline constexpr uint32_t words_per_block = 8;

// Numbers of 64 bits, the first half of each in the low bits.
struct random_block {
  uint64_t words[words_per_block];
};

inline uint32_t rotated(uint32_t x, unsigned by) {
  return (x << by) | (x >> (32U - by));
}

[[gnu::always_inline]] inline void quarter_round(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d) {
  a += b;
  d = rotated(d ^ a, 16);
  c += d;
  b = rotated(b ^ c, 12);
  a += b;
  d = rotated(d ^ a, 8);
  c += d;
  b = rotated(b ^ c, 7);
}

// Returns one block of the key's stream with that nonce.
[[gnu::always_inline]] inline random_block chacha20(const uint32_t (&key)[8], uint64_t counter, uint64_t nonce) {
  const uint32_t start[16]{0x61707865U,
                           0x3320646eU,
                           0x79622d32U,
                           0x6b206574U,
                           key[0],
                           key[1],
                           key[2],
                           key[3],
                           key[4],
                           key[5],
                           key[6],
                           key[7],
                           static_cast<uint32_t>(counter),
                           static_cast<uint32_t>(counter >> 32U),
                           static_cast<uint32_t>(nonce),
                           static_cast<uint32_t>(nonce >> 32U)};
  uint32_t x[16];
  for (uint32_t i = 0; i < 16; ++i)
    x[i] = start[i];
  for (int round = 0; round < 10; ++round) {
    quarter_round(x[0], x[4], x[8], x[12]);
    quarter_round(x[1], x[5], x[9], x[13]);
    quarter_round(x[2], x[6], x[10], x[14]);
    quarter_round(x[3], x[7], x[11], x[15]);
    quarter_round(x[0], x[5], x[10], x[15]);
    quarter_round(x[1], x[6], x[11], x[12]);
    quarter_round(x[2], x[7], x[8], x[13]);
    quarter_round(x[3], x[4], x[9], x[14]);
  }
  random_block out;
  for (uint64_t i = 0; i < 8; ++i)
    out.words[i] = (x[2 * i] + start[2 * i]) | (static_cast<uint64_t>(x[2 * i + 1] + start[2 * i + 1]) << 32U);
  return out;
}

} // namespace kevolve::cuda
