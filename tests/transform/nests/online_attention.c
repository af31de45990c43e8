// argument: q input f32 n*d
// argument: k input f32 n*d
// argument: v input f32 n*d
// argument: y output f32 n*d
// argument: z output f32 n
// argument: n size
// argument: d size
// sizes: n=37 d=5
// sizes: n=1 d=1
// sizes: n=8 d=16
// applies: online(L1,L4,8)
// applies: online(L1,L4,8); vectorise(L5,4); vectorise(L5s,4); mask(L5)
// applies: online(L1,L4,16); vectorise(L2,4); jam(L1,2)
// declines: online(L1,L5,8): L5 does not follow L1
#include <math.h>
#include <stdint.h>
void online_attention(const float *q, const float *k, const float *v, float *y, float *z, int64_t n, int64_t d) {
  float weight[n];
  for (int64_t i = 0; i < n; ++i) {
    float m = -INFINITY;
    for (int64_t j = 0; j < n; ++j) {
      float dot = 0.0f;
      for (int64_t c = 0; c < d; ++c)
        dot += q[i * d + c] * k[j * d + c];
      weight[j] = dot * 4.0f;
      m = fmaxf(m, weight[j]);
    }
    float sum = 0.0f;
    for (int64_t c = 0; c < d; ++c)
      y[i * d + c] = 0.0f;
    for (int64_t j = 0; j < n; ++j) {
      const float p = expf(weight[j] - m);
      sum += p;
      for (int64_t c = 0; c < d; ++c)
        y[i * d + c] += p * v[j * d + c];
    }
    for (int64_t c = 0; c < d; ++c)
      y[i * d + c] /= sum;
    z[i] = m + logf(sum);
  }
}
