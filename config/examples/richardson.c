#include <stdint.h>

/* Richardson iteration for matrix * x = rhs: as many corrections of x as `steps` says, with the residual before
   the last one. */
void richardson(const int64_t *steps, const float *matrix, const float *rhs, float *x, float *residual, int64_t n,
                float omega) {
  int64_t left = steps[0];
  while (left > 0) {
    for (int64_t i = 0; i < n; ++i) {
      float sum = rhs[i];
      for (int64_t j = 0; j < n; ++j)
        sum -= matrix[i * n + j] * x[j];
      residual[i] = sum;
    }
    for (int64_t i = 0; i < n; ++i)
      x[i] += omega * residual[i];
    left = left - 1;
  }
}
