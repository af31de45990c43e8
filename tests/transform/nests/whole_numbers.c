/* whole numbers that hang on floating divisions */
// argument: x input f32 n*m
// argument: a output i32 n
// argument: n size
// argument: m size
// sizes: n=37 m=90
// declines: math: must be exact
#include <stdint.h>
void whole_numbers(const float *x, int32_t *a, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    const float by = (float)(i + 1);
    int32_t t = 0;
    for (int64_t k = 0; k < m; ++k)
      t += x[i * m + k] / by >= 1.0f;
    a[i] = t;
  }
}
