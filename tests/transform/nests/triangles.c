/* Inner loops whose bounds move with the outer index: iterations side by side share what all of them run over. */
// argument: l input f32 n*n
// argument: b input f32 n*m
// argument: c output f32 n*m
// argument: u output f32 n*m
// argument: w output f32 n*m
// argument: s output f64 n
// argument: n size
// argument: m size
// argument: band size
// sizes: n=37 m=19 band=5
// sizes: n=1 m=1 band=0
// sizes: n=18 m=33 band=40
// sizes: n=7 m=3 band=1
// independent: L0 L3 L6 L9
// applies: jam(L0,4)
// applies: pack(L0,b,L1); vectorise(L1,16); mask(L1); jam(L0,4)
// applies: vectorise(L2,8); jam(L0,3)
// applies: jam(L3,4)
// applies: pack(L3,b,L4); vectorise(L4,8); mask(L4); jam(L3,3)
// applies: vectorise(L5,8); jam(L3,2)
// applies: jam(L6,4)
// applies: jam(L6,4); vectorise(L7,8)
// applies: jam(L9,4)
// applies: jam(L9,2); jam(L9,2)
// declines: pack(L6,b,L7): the bounds of L8 are not known before the nest
// declines: interchange(L0,L2): not alone
#include <stdint.h>
void triangles(const float *l, const float *b, float *c, float *u, float *w, double *s, int64_t n, int64_t m, int64_t band) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) {
      float sum = 0.0f;
      for (int64_t k = 0; k <= i; ++k) sum += l[i * n + k] * b[k * m + j];
      c[i * m + j] = sum;
    }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) {
      float sum = 0.0f;
      for (int64_t k = i; k < n; ++k) sum += l[i * n + k] * b[k * m + j];
      u[i * m + j] = sum;
    }
  for (int64_t i = 0; i < n; ++i) {
    int64_t lo = i - band < 0 ? 0 : i - band;
    int64_t hi = i + band + 1 > n ? n : i + band + 1;
    for (int64_t j = 0; j < m; ++j) {
      float sum = 0.0f;
      for (int64_t k = lo; k < hi; ++k) sum += l[i * n + k] * b[k * m + j];
      w[i * m + j] = sum;
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int64_t k = i - 3; k < 2 * i - 5; ++k) /* begins below zero, ends before it begins */
      sum += (double)(k * 3 + 1);
    s[i] = sum;
  }
}
