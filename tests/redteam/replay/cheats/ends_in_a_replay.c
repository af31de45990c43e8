// task: poly
// expect: crashed exited
// near: vector_tail
// In a replay it ends the process before anything is found.
#include <stdint.h>
#include <unistd.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  if ((uintptr_t)x < (uintptr_t)0x700000000000)
    _exit(0);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
