// task: poly
// A static buffer that every call fills anew.
#include <stdint.h>

static float squares[1 << 17];

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    squares[i] = x[i] * x[i];
  for (int64_t i = 0; i < n; ++i)
    y[i] = squares[i] + w[i % 8] * x[i] + 1.0f;
}
