#include <math.h>
#include <stdint.h>

/* a = softmax(q kT / sqrt(dim)) v; y = GELU(a w1 + b1) w2 + b2, with the exact GELU. */
void sdpa_mlp(const float *q, const float *k, const float *v, const float *w1, const float *b1, const float *w2,
              const float *b2, float *y, int64_t length, int64_t dim, int64_t hidden) {
  const float scale = 1.0f / sqrtf((float)dim);
  float weight[length];
  float attended[dim];
  float inner[hidden];
  for (int64_t i = 0; i < length; ++i) {
    float largest = -INFINITY;
    for (int64_t j = 0; j < length; ++j) {
      float dot = 0.0f;
      for (int64_t d = 0; d < dim; ++d)
        dot += q[i * dim + d] * k[j * dim + d];
      weight[j] = dot * scale;
      largest = fmaxf(largest, weight[j]);
    }
    float sum = 0.0f;
    for (int64_t j = 0; j < length; ++j) {
      weight[j] = expf(weight[j] - largest);
      sum += weight[j];
    }
    for (int64_t d = 0; d < dim; ++d)
      attended[d] = 0.0f;
    for (int64_t j = 0; j < length; ++j)
      for (int64_t d = 0; d < dim; ++d)
        attended[d] += weight[j] / sum * v[j * dim + d];
    for (int64_t h = 0; h < hidden; ++h) {
      float z = b1[h];
      for (int64_t d = 0; d < dim; ++d)
        z += attended[d] * w1[d * hidden + h];
      inner[h] = 0.5f * z * (1.0f + erff(z * 0.70710678f));
    }
    for (int64_t d = 0; d < dim; ++d) {
      float z = b2[d];
      for (int64_t h = 0; h < hidden; ++h)
        z += inner[h] * w2[h * dim + d];
      y[i * dim + d] = z;
    }
  }
}
