#include <stdint.h>

/* "Several side by side": sixteen sequences go on together until all have ended, and those that have stand still. */
void steps(const int32_t *x, int32_t *count, int64_t n) {
  for (int64_t i = 0; i < n; i += 16) {
    const int64_t lanes = n - i < 16 ? n - i : 16;
    uint32_t v[16];
    int32_t c[16];
    for (int64_t l = 0; l < 16; ++l) {
      v[l] = l < lanes ? (uint32_t)x[i + l] : 1u;
      c[l] = 0;
    }
    for (int32_t k = 0; k < 1000; ++k) {
      uint32_t on = 0;
      for (int64_t l = 0; l < 16; ++l) {
        const uint32_t goes = v[l] > 1u;
        const uint32_t next = (v[l] & 1u) ? 3u * v[l] + 1u : v[l] / 2u;
        v[l] = goes ? next : v[l];
        c[l] += (int32_t)goes;
        on |= goes;
      }
      if (!on)
        break;
    }
    for (int64_t l = 0; l < lanes; ++l)
      count[i + l] = c[l];
  }
}
