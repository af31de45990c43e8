// argument: a input f32 n*k
// argument: b input f32 k*m
// argument: c input f32 m*l
// argument: o output f32 n*l
// argument: p output f32 l*n
// argument: z output f64 5*n
// argument: e input f64 n*6
// argument: n size
// argument: k size
// argument: m size
// argument: l size
// sizes: n=3 k=2 m=40 l=7
// sizes: n=1 k=1 m=1 l=1
// sizes: n=9 k=5 m=4 l=13
// sizes: n=20 k=3 m=17 l=2
// applies: reassociate(t)
// applies: reassociate(u)
// applies: reassociate(w)
// applies: reassociate(t); reassociate(u); reassociate(w)
// applies: reassociate(t); vectorise(L7,4); mask(L7)
// applies: reassociate(u); vectorise(L14,8); jam(L13,2)
// applies: reassociate(w); vectorise(L20,4); mask(L20); split_accumulators(L18,2)
#include <stdint.h>
void reassociated_forms(const float *a, const float *b, const float *c, float *o, float *p, double *z, const double *e,
                        int64_t n, int64_t k, int64_t m, int64_t l) {
  float t[n * m];
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < m; ++j)
      t[i * m + j] = 0.0f;
    for (int64_t q = 0; q < k; ++q) {
      const float v = a[i * k + q];
      for (int64_t j = 0; j < m; ++j)
        t[i * m + j] += v * b[q * m + j];
    }
  }
  for (int64_t i = 0; i < n * l; ++i)
    o[i] = 1.0f;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t q = 0; q < m; ++q) {
      const float v = t[i * m + q];
      for (int64_t j = 0; j < l; ++j)
        o[i * l + j] += v * c[q * l + j];
    }
  float u[m][n];
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i)
      u[i][j] = 0;
  for (int64_t q = 0; q < k; ++q)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        u[i][j] += b[q * m + i] * a[j * k + q];
  for (int64_t i = 0; i < l; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = c[i];
      for (int64_t q = 0; q < m; ++q)
        sum += u[q][j] * c[q * l + i];
      p[i * n + j] = 2.0f * sum;
    }
  static double w[6 * 5];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 5; ++j) {
      double sum = 0.0;
      for (int64_t q = 0; q < n; ++q)
        sum += e[q * 6 + i] * (double)(q + j);
      w[i * 5 + j] = sum;
    }
  for (int j = 0; j < 5; ++j)
    for (int64_t q = 0; q < n; ++q) {
      double sum = 0.0;
      for (int i = 0; i < 6; ++i)
        sum += w[i * 5 + j] * e[q * 6 + i];
      z[j * n + q] = sum;
    }
}
