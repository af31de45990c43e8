// argument: x input f32 m*k
// argument: w input f32 n*k
// argument: v input f32 k*n
// argument: y output f32 m*k
// argument: m size
// argument: n size
// argument: k size
// sizes: m=7 n=37 k=5
// sizes: m=1 n=1 k=1
// independent: L0 L1 L2 L3 L4 L5 L6 L7 L8
// applies: tile(L1,32); interchange(L0,L1t); pack(L0,w,L1); vectorise(L1,16); mask(L1); jam(L1,2); tile(L4,32); interchange(L3,L4t); pack(L3,v,L4); vectorise(L4,16)
#include <math.h>
#include <stdint.h>
void layers(const float *x, const float *w, const float *v, float *y, int64_t m, int64_t n, int64_t k) {
  float hidden[m * n];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (int64_t p = 0; p < k; ++p)
        sum += x[i * k + p] * w[j * k + p];
      hidden[i * n + j] = fmaxf(sum, 0.0f);
    }
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < k; ++j) {
      float sum = 0.0f;
      for (int64_t p = 0; p < n; ++p)
        sum += hidden[i * n + p] * v[j * n + p];
      y[i * k + j] = sum;
    }
  for (int64_t i = 0; i < m; ++i) {
    float squares = 0.0f;
    for (int64_t j = 0; j < k; ++j)
      squares += y[i * k + j] * y[i * k + j];
    for (int64_t j = 0; j < k; ++j)
      y[i * k + j] = y[i * k + j] / sqrtf(squares + 1.0f);
  }
}
