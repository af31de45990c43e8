#include <math.h>
#include <stdint.h>

/* "Move it out of the loop": the weights are arithmetic, and no table is read. */
void sobel(const float *image, float *magnitude, int64_t height, int64_t width) {
  for (int64_t r = 1; r < height - 1; ++r) {
    const float *above = image + (r - 1) * width, *here = above + width, *below = here + width;
    for (int64_t c = 1; c < width - 1; ++c) {
      const float gx = above[c + 1] - above[c - 1] + 2.0f * (here[c + 1] - here[c - 1]) + below[c + 1] - below[c - 1];
      const float gy = below[c - 1] - above[c - 1] + 2.0f * (below[c] - above[c]) + below[c + 1] - above[c + 1];
      magnitude[(r - 1) * (width - 2) + (c - 1)] = sqrtf(gx * gx + gy * gy);
    }
  }
}
