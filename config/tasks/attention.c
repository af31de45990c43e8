#include <math.h>
#include <stdint.h>

/* y = softmax(q kT / sqrt(dim)) v. */
void attention(const float *q, const float *k, const float *v, float *y, int64_t length, int64_t dim) {
  const float scale = 1.0f / sqrtf((float)dim);
  float weight[length];
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
      y[i * dim + d] = 0.0f;
    for (int64_t j = 0; j < length; ++j)
      for (int64_t d = 0; d < dim; ++d)
        y[i * dim + d] += weight[j] / sum * v[j * dim + d];
  }
}
