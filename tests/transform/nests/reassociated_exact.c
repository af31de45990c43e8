// argument: a input f32 n*k
// argument: b input f32 k*n
// argument: o output f32 n*n exact
// argument: n size
// argument: k size
// sizes: n=5 k=3
// declines: reassociate(t): the result must be exact
// declines: hoist_products(L0): the result must be exact
// declines: factor_sum(L2): the result must be exact
// declines: factor_terms(L0): the result must be exact
#include <stdint.h>
void reassociated_exact(const float *a, const float *b, float *o, int64_t n, int64_t k) {
  float t[n * n];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (int64_t q = 0; q < k; ++q)
        sum += a[i * k + q] * b[q * n + j];
      t[i * n + j] = sum;
    }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < k; ++j) {
      float sum = 0.0f;
      for (int64_t q = 0; q < n; ++q)
        sum += t[i * n + q] * a[q * k + j];
      o[i * k + j] = sum;
    }
  for (int64_t i = k * n; i < n * n; ++i)
    o[i] = 0.0f;
}
