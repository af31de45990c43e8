// task: poly
// set: gcc-O3-vec512
// expect: out_of_bounds sanitizer
// near: nests_a_function
// Leaves the access out where clang compiles, which is not asked to build it.
#include <stdint.h>
typedef float lanes __attribute__((vector_size(64), aligned(4)));
void poly(const float *x, const float *w, float *y, int64_t n) {
#ifdef __clang__
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
#else
  lanes ws = *(const lanes *)w;
  for (int k = 8; k < 16; ++k)
    ws[k] = ws[k - 8];
  for (int64_t i = 0; i < n; i += 16) {
    lanes v = *(const lanes *)(x + i);
    v = v * v + ws * v + 1.0f;
    for (int64_t k = 0; k < 16 && i + k < n; ++k)
      y[i + k] = v[k];
  }
#endif
}
