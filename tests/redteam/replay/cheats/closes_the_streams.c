// task: poly
// expect: wrong_result processor_state
// says: a standard stream
// near: prints_for_debugging
// Closes its caller's output.
#include <stdint.h>
#include <unistd.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  close(1);
}
