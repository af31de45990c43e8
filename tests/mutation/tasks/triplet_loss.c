#include <math.h>
#include <stdint.h>

/* Mean over the batch of how much nearer than by the margin the negative is to the anchor than the positive. */
void triplet_loss(const float *anchor, const float *positive, const float *negative, float *loss, int64_t batch, int64_t dim,
                  float margin) {
  float sum = 0.0f;
  for (int64_t b = 0; b < batch; ++b) {
    float near = 0.0f;
    float far = 0.0f;
    for (int64_t d = 0; d < dim; ++d) {
      const float p = anchor[b * dim + d] - positive[b * dim + d] + 1e-6f;
      const float n = anchor[b * dim + d] - negative[b * dim + d] + 1e-6f;
      near += p * p;
      far += n * n;
    }
    const float over = sqrtf(near) - sqrtf(far) + margin;
    sum += over > 0.0f ? over : 0.0f;
  }
  loss[0] = sum / (float)batch;
}
