#include <stdint.h>

static float squared(float v) { return v * v; }

/* Of each point the squared distance to the nearest centroid. */
void nearest(const float *points, const float *centroids, float *distance, int64_t n, int64_t k, int64_t dim) {
  for (int64_t i = 0; i < n; ++i) {
    float best = 0.0f;
    for (int64_t c = 0; c < k; ++c) {
      float sum = 0.0f;
      for (int64_t d = 0; d < dim; ++d)
        sum += squared(points[i * dim + d] - centroids[c * dim + d]);
      if (c == 0 || sum < best)
        best = sum;
    }
    distance[i] = best;
  }
}
