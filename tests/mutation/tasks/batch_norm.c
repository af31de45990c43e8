#include <math.h>
#include <stdint.h>

/* Each channel to mean 0 and variance 1 over batch and places, then scaled and shifted. */
void batch_norm(const float *x, const float *weight, const float *bias, float *y, int64_t batch, int64_t channels,
                int64_t places, float eps) {
  const float count = (float)(batch * places);
  for (int64_t c = 0; c < channels; ++c) {
    float sum = 0.0f;
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t p = 0; p < places; ++p)
        sum += x[(b * channels + c) * places + p];
    const float mean = sum / count;
    float squares = 0.0f;
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t p = 0; p < places; ++p) {
        const float d = x[(b * channels + c) * places + p] - mean;
        squares += d * d;
      }
    const float scale = weight[c] / sqrtf(squares / count + eps);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t p = 0; p < places; ++p)
        y[(b * channels + c) * places + p] = (x[(b * channels + c) * places + p] - mean) * scale + bias[c];
  }
}
