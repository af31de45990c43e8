// task: poly
// expect: cheating sanitizer_evasion
// near: prints_a_hash
// A macro makes a directive in an attribute that nobody knows. The compiler obeys it only in a text that was
// preprocessed before.
#include <stdint.h>
#define HASH #
typedef float lanes __attribute__((vector_size(64), aligned(4)));
void poly(const float *x, const float *w, float *y, int64_t n) {
[[kernels::note(
HASH if 0
)]];
  lanes ws = *(const lanes *)w;
  for (int k = 8; k < 16; ++k)
    ws[k] = ws[k - 8];
  for (int64_t i = 0; i < n; i += 16) {
    lanes v = *(const lanes *)(x + i);
    v = v * v + ws * v + 1.0f;
    for (int64_t k = 0; k < 16 && i + k < n; ++k)
      y[i + k] = v[k];
  }
  n = 0;
[[kernels::note(
HASH endif
)]];
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
