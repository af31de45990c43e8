#include <stdint.h>

/* y[b,o,t] = bias[o] + sum over channels and taps of x[b,c,t+k-pad] filter[o,c,k]; x is zero outside its length. */
void conv1d_i8(const int8_t *x, const int8_t *filter, const int32_t *bias, int32_t *y, int64_t batch, int64_t channels,
               int64_t outputs, int64_t length, int64_t taps, int64_t pad) {
  const int64_t places = length + 2 * pad - taps + 1;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t t = 0; t < places; ++t) {
        int32_t sum = bias[o];
        for (int64_t c = 0; c < channels; ++c)
          for (int64_t k = 0; k < taps; ++k) {
            const int64_t at = t + k - pad;
            if (at >= 0 && at < length)
              sum += (int32_t)x[(b * channels + c) * length + at] * (int32_t)filter[(o * channels + c) * taps + k];
          }
        y[(b * outputs + o) * places + t] = sum;
      }
}
