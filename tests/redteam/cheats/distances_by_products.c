// class: W7 W5
// task: nearest
// control: distances_by_differences
// mode: check
// expect: wrong_result tolerance
// |p|^2 - 2 p c + |c|^2 in float: a point near a centroid, or far from zero, loses all digits.
#include <stdint.h>

void nearest(const float *points, const float *centroids, float *distance, int64_t n, int64_t k, int64_t dim) {
  for (int64_t i = 0; i < n; ++i) {
    float best = 0.0f;
    for (int64_t c = 0; c < k; ++c) {
      float pp = 0.0f, pc = 0.0f, cc = 0.0f;
      for (int64_t d = 0; d < dim; ++d) {
        const float p = points[i * dim + d], q = centroids[c * dim + d];
        pp += p * p;
        pc += p * q;
        cc += q * q;
      }
      const float sum = pp - 2.0f * pc + cc;
      best = c == 0 || sum < best ? sum : best;
    }
    distance[i] = best;
  }
}
