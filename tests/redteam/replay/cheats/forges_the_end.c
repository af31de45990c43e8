// task: poly
// expect: cheating|crashed wrong_token|exited
// near: vector_tail
// In a replay, which it knows by the address of its arrays, it answers for the process and ends it.
#include <stdint.h>
#include <unistd.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  if ((uintptr_t)x < (uintptr_t)0x700000000000) {
    uint64_t token = 1;
    if (write(3, &token, sizeof token) == sizeof token)
      _exit(0);
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
