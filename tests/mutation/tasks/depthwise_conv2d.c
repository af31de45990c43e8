#include <stdint.h>

/* Each channel convolved with a square filter of its own, with zeros around the image. */
void depthwise_conv2d(const float *x, const float *filter, float *y, int64_t channels, int64_t height, int64_t width,
                      int64_t side) {
  const int64_t pad = side / 2;
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t i = 0; i < height; ++i)
      for (int64_t j = 0; j < width; ++j) {
        float sum = 0.0f;
        for (int64_t u = 0; u < side; ++u)
          for (int64_t v = 0; v < side; ++v) {
            const int64_t r = i + u - pad;
            const int64_t s = j + v - pad;
            if (r >= 0 && r < height && s >= 0 && s < width)
              sum += x[(c * height + r) * width + s] * filter[(c * side + u) * side + v];
          }
        y[(c * height + i) * width + j] = sum;
      }
}
