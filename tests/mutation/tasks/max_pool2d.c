#include <math.h>
#include <stdint.h>

/* The largest of each window of side by side; windows lie stride apart, and what is outside does not count. */
void max_pool2d(const float *x, float *y, int64_t planes, int64_t height, int64_t width, int64_t side, int64_t stride) {
  const int64_t pad = side / 2;
  const int64_t rows = (height - 1) / stride + 1;
  const int64_t cols = (width - 1) / stride + 1;
  for (int64_t p = 0; p < planes; ++p)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j) {
        float largest = -INFINITY;
        for (int64_t u = 0; u < side; ++u)
          for (int64_t v = 0; v < side; ++v) {
            const int64_t r = i * stride + u - pad;
            const int64_t c = j * stride + v - pad;
            if (r >= 0 && r < height && c >= 0 && c < width)
              largest = fmaxf(largest, x[(p * height + r) * width + c]);
          }
        y[(p * rows + i) * cols + j] = largest;
      }
}
