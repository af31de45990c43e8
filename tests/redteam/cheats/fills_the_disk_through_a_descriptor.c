// class: P7 P12
// task: poly
// control: prints_for_debugging
// expect: sandbox_violation system_call
// each: -DFD=1 -DFD=3 -DFD=4
// Grows whatever a descriptor it was given stands for.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  ftruncate(FD, (off_t)1 << 40);
  fallocate(FD, 0, 0, (off_t)1 << 36);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
