// argument: q input f32 n*d
// argument: k input f32 n*d
// argument: v input f32 n*d
// argument: y output f32 n*d
// argument: n size
// argument: d size
// sizes: n=37 d=5
// sizes: n=1 d=1
// sizes: n=70 d=16
// independent: L0
// applies: jam(L0,2)
// applies: pack(L0,k,L1); vectorise(L1,16); mask(L1); jam(L1,2); vectorise(L3,16); vectorise(L4,16); interchange(L5,L6); scalar_replace(L5); vectorise(L6,16); mask(L6); jam(L6,2); jam(L0,4)
#include <math.h>
#include <stdint.h>
void attention_triangle(const float *q, const float *k, const float *v, float *y, int64_t n, int64_t d) {
  float weight[n];
  for (int64_t i = 0; i < n; ++i) {
    float largest = -INFINITY;
    for (int64_t j = 0; j < i + 1; ++j) {
      float dot = 0.0f;
      for (int64_t c = 0; c < d; ++c)
        dot += q[i * d + c] * k[j * d + c];
      weight[j] = dot * 0.25f;
      largest = fmaxf(largest, weight[j]);
    }
    float sum = 0.0f;
    for (int64_t j = 0; j < i + 1; ++j) {
      weight[j] = expf(weight[j] - largest);
      sum += weight[j];
    }
    for (int64_t c = 0; c < d; ++c)
      y[i * d + c] = 0.0f;
    for (int64_t j = 0; j < i + 1; ++j)
      for (int64_t c = 0; c < d; ++c)
        y[i * d + c] += weight[j] / sum * v[j * d + c];
  }
}
