#include <math.h>
#include <stdint.h>

/* Magnitude of an image's gradient after Sobel; the outermost pixels are left out. */
void sobel(const float *image, float *magnitude, int64_t height, int64_t width) {
  static const float weight[3][3] = {{-1.0f, 0.0f, 1.0f}, {-2.0f, 0.0f, 2.0f}, {-1.0f, 0.0f, 1.0f}};
  for (int64_t r = 1; r < height - 1; ++r)
    for (int64_t c = 1; c < width - 1; ++c) {
      float gx = 0.0f, gy = 0.0f;
      for (int64_t i = 0; i < 3; ++i)
        for (int64_t j = 0; j < 3; ++j) {
          const float p = image[(r + i - 1) * width + (c + j - 1)];
          gx += weight[i][j] * p;
          gy += weight[j][i] * p;
        }
      magnitude[(r - 1) * (width - 2) + (c - 1)] = sqrtf(gx * gx + gy * gy);
    }
}
