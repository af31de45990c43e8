// argument: x input f32 n*n
// argument: index input i64 n small
// argument: y inout f32 m*n
// argument: m size
// argument: n size
// sizes: m=4 n=9
// sizes: m=1 n=1
// declines: pack(L0,x,L1): x is read under a condition
// declines: pack(L2,x,L3): x is read under a condition
// declines: pack(L4,x,L5): the subscript of x is not affine
// declines: pack(L6,x,L7): in several places
// declines: pack(L8,x,L10): the bounds of L10 are not known before the nest
// declines: pack(L11,x,L12): the subscript of x depends on what the nest computes
// declines: pack(L13,x,L14): does not run one by one
// declines: pack(L15,index,L16): decides how often a loop runs
// applies: pack(L17,x,L18)
// declines: pack(L19,x,L20): the subscript of x is not affine
// applies: pack(L6,index,L7)
#include <stdint.h>
void panel_declined(const float *x, const int64_t *index, float *y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      if (index[j] > 3)
        y[i * n + j] += x[j];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      y[i * n + j] += index[j] > 5 ? x[j] : 1.0f;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      y[i * n + j] += x[index[j] < n ? index[j] : 0];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      y[i * n + j] += x[j] * x[n - 1 - j] * (float)index[j];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < j; ++k)
        y[i * n + j] += x[j * n + k];
  for (int64_t i = 0; i < m; ++i) {
    int64_t at = 0;
    for (int64_t j = 0; j < n; ++j) {
      y[i * n + j] += x[at + j];
      at += index[j] > 1000 ? 1 : 0;
    }
  }
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; j += 2)
      y[i * n + j] += x[j];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < index[0]; ++j)
      y[i * n] += 1.0f;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      static float last = 0.5f;
      y[i * n + j] += x[j] * last;
    }
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      y[i * n + j] += x[j * j / 81];
}
