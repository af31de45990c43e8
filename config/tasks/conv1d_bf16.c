#include <stdint.h>
#include <string.h>

/* A bfloat16 is the upper half of a float. */
static inline float widened(uint16_t bits) {
  const uint32_t whole = (uint32_t)bits << 16;
  float x;
  memcpy(&x, &whole, sizeof x);
  return x;
}

/* y[b,o,t] = bias[o] + sum over channels and taps of x[b,c,t+k-pad] filter[o,c,k]; x is zero outside its length. */
void conv1d_bf16(const uint16_t *x, const uint16_t *filter, const float *bias, float *y, int64_t batch, int64_t channels,
                 int64_t outputs, int64_t length, int64_t taps, int64_t pad) {
  const int64_t places = length + 2 * pad - taps + 1;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t t = 0; t < places; ++t) {
        float sum = bias[o];
        for (int64_t c = 0; c < channels; ++c)
          for (int64_t k = 0; k < taps; ++k) {
            const int64_t at = t + k - pad;
            if (at >= 0 && at < length)
              sum += widened(x[(b * channels + c) * length + at]) * widened(filter[(o * channels + c) * taps + k]);
          }
        y[(b * outputs + o) * places + t] = sum;
      }
}
