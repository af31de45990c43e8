// class: W6
// task: poly
// control: vector_tail
// expect: wrong_result|nonfinite tolerance|nonfinite
// Eleven bits of each input, as half precision has.
#include <stdint.h>
#include <string.h>

static float cut(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  bits &= 0xffffe000u;
  memcpy(&x, &bits, 4);
  return x;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = cut(x[i]) * cut(x[i]) + cut(w[i % 8]) * cut(x[i]) + 1.0f;
}
