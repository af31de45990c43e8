// argument: x input f32 m*k
// argument: w input f32 n*k
// argument: b input f32 n
// argument: y output f32 m*n
// argument: m size
// argument: n size
// argument: k size
// sizes: m=7 n=37 k=5
// sizes: m=1 n=1 k=1
// sizes: m=16 n=64 k=3
// independent: L0 L1 L2
// applies: tile(L1,32); interchange(L0,L1t); pack(L0,w,L1); vectorise(L1,16); mask(L1); jam(L1,2); jam(L0,4)
// applies: vectorise(L2,16)
#include <math.h>
#include <stdint.h>
void linear(const float *x, const float *w, const float *b, float *y, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = b[j];
      for (int64_t p = 0; p < k; ++p)
        sum += x[i * k + p] * w[j * k + p];
      y[i * n + j] = fmaxf(sum, 0.0f);
    }
}
