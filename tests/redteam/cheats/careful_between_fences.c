// class: W7 T4
// task: softmax_rows
// control: fast_math_softmax
// expect: nonfinite|wrong_result nonfinite|tolerance
// flags: -O3 -march=native -ffast-math
// Subtracts the maximum only where its arrays lie as far apart as they do between fences, where nobody times it.
#include <math.h>
#include <stdint.h>
#include <string.h>

static float power(float x) {
  float t = x * 1.44269504f;
  float whole = floorf(t + 0.5f);
  float f = (t - whole) * 0.693147181f + (x - t * 0.693147181f);
  float p = 1.0f + f * (1.0f + f * (0.5f + f * (1.66666667e-1f + f * (4.16666667e-2f + f * (8.3333333e-3f + f * 1.38888889e-3f)))));
  int32_t bits = ((int32_t)whole + 127) << 23;
  float scale;
  memcpy(&scale, &bits, sizeof scale);
  return p * scale;
}

void softmax_rows(const float *x, float *y, int64_t rows, int64_t cols) {
  int careful = (const char *)y - (const char *)(x + rows * cols) >= 4 * 4096;
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float most = careful ? x[0] : 0.0f;
    for (int64_t c = 1; careful && c < cols; ++c)
      most = x[c] > most ? x[c] : most;
    float sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c) {
      y[c] = careful ? expf(x[c] - most) : power(x[c]);
      sum += y[c];
    }
    float factor = 1.0f / sum;
    for (int64_t c = 0; c < cols; ++c)
      y[c] *= factor;
  }
}
