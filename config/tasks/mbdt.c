#include <stdint.h>

/* Number of a feature's borders that lie below each of its values, plus the feature's offset. */
void mbdt(const float *x, const float *borders, const int64_t *offsets, int64_t *bins, int64_t features, int64_t batch,
          int64_t borders_each) {
  for (int64_t f = 0; f < features; ++f)
    for (int64_t i = 0; i < batch; ++i) {
      int64_t below = 0;
      for (int64_t b = 0; b < borders_each; ++b)
        if (x[f * batch + i] > borders[f * borders_each + b])
          below = below + 1;
      bins[f * batch + i] = below + offsets[f];
    }
}
