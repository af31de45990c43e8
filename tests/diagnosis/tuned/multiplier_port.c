// Four independent wide multiplications a round: they all need the one multiplier.
#include <stdint.h>
#define HIGH(v, c) (uint64_t)(((unsigned __int128)(v) * (c)) >> 64)
void multiplier_port(const int64_t *restrict x, int64_t *restrict y, int64_t n) {
  uint64_t a = 0, b = 0, c = 0, d = 0;
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t v = (uint64_t)x[i];
    a += HIGH(v, 0x9e3779b97f4a7c15u);
    b ^= HIGH(v, 0xc2b2ae3d27d4eb4fu);
    c += HIGH(v, 0x165667b19e3779f9u);
    d ^= HIGH(v, 0x27d4eb2f165667c5u);
  }
  y[0] = (int64_t)a;
  y[1] = (int64_t)b;
  y[2] = (int64_t)c;
  y[3] = (int64_t)d;
}
