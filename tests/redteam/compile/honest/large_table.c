// about: a megabyte of table and a megabyte of scratch
#include <stdint.h>
static const float table[262144] = {1.0f};
static float scratch[262144];

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    scratch[i & 262143] = w[i % 8] * x[i];
    y[i] = x[i] * x[i] + scratch[i & 262143] + table[0];
  }
}
