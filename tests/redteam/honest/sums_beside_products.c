// task: iterates
// flags: -O3 -march=native -ffp-contract=fast
// Every multiply and add of the reference, in eight chains and six sums: as much as a core does at once.
#include <stdint.h>
#include <string.h>

typedef float lanes __attribute__((vector_size(32)));

void iterates(const float *x, const float *hh, const float *cc, float *y, int64_t n, int64_t steps) {
  const lanes h = (lanes){} + hh[0];
  const lanes c = (lanes){} + cc[0];
  for (int64_t r = 0; r < n; ++r) {
    lanes p[8];
    lanes s[6] = {};
    memcpy(p, x + r * 64, sizeof p);
    int64_t k = 0;
    for (; k + 3 <= steps; k += 3)
#pragma GCC unroll 24
      for (int i = 0; i < 24; ++i) {
        p[i % 8] = p[i % 8] * h + c;
        s[i % 6] += p[i % 8];
      }
    for (; k < steps; ++k)
      for (int i = 0; i < 8; ++i) {
        p[i] = p[i] * h + c;
        s[i % 6] += p[i];
      }
    lanes sum = (s[0] + s[1]) + (s[2] + s[3]) + (s[4] + s[5]);
    float one = 0.0f;
    for (int i = 0; i < 8; ++i)
      one += sum[i];
    y[r] = one;
  }
}
