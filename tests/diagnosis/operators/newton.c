#include <math.h>
#include <stdint.h>

/* The cube root of each value: Newton's steps until one is small. */
void newton(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float root = x[i];
    float step = root;
    while (fabsf(step) > 1e-6f * fabsf(root)) {
      step = (root - x[i] / (root * root)) / 3.0f;
      root -= step;
    }
    y[i] = root;
  }
}
