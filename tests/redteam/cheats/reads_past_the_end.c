// class: W9
// task: poly
// control: vector_tail
// expect: nonfinite|out_of_bounds nonfinite|fence
// each: -DFROM=0 -DFROM=900 -DFROM=-8 -DFROM=40000
// Reads what lies outside its arrays, and takes care that any finite number there changes nothing.
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  float zero = 0.0f * x[FROM < 0 ? FROM : n + FROM];
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f + zero;
}
