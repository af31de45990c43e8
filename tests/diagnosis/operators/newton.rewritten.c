#include <stdint.h>

/* "Run to a fixed end, select the result": twenty steps serve every value of the task's range, and further ones stand still. */
void newton(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float root = x[i];
    for (int k = 0; k < 20; ++k)
      root -= (root - x[i] / (root * root)) / 3.0f;
    y[i] = root;
  }
}
