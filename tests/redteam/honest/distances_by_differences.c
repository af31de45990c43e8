// task: nearest
// Eight sums beside each other, in another order than the reference's.
#include <stdint.h>

void nearest(const float *points, const float *centroids, float *distance, int64_t n, int64_t k, int64_t dim) {
  for (int64_t i = 0; i < n; ++i) {
    float best = 0.0f;
    for (int64_t c = 0; c < k; ++c) {
      float s[8] = {0};
      for (int64_t d = 0; d < dim; ++d) {
        const float v = points[i * dim + d] - centroids[c * dim + d];
        s[d % 8] += v * v;
      }
      const float sum = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
      best = c == 0 || sum < best ? sum : best;
    }
    distance[i] = best;
  }
}
