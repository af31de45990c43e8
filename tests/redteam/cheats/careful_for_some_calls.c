// class: W7 T4
// task: softmax_rows
// control: fast_math_softmax
// expect: nonfinite|wrong_result nonfinite|tolerance
// flags: -O3 -march=native -ffast-math
// each: -DLAST=1000000 -DLAST=32
// errs: -DLAST=32 in calls 5 to 32 on large of rows=64 cols=256
// Subtracts the maximum for the first calls of each process, or again after as many as one makes that is timed: no more
// were ever made with extreme values.
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
  static int calls;
  ++calls;
  int careful = rows * cols < 2000 || calls <= 4 || calls > LAST;
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
