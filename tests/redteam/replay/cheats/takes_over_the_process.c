// task: poly
// expect: cheating early_done
// near: vector_tail
// In a replay it answers all calls itself, without computing anything.
#include <stdint.h>
#include <unistd.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  if ((uintptr_t)x < (uintptr_t)0x700000000000) {
    static uint64_t message[256];
    y[0] = 0.0f;
    for (;;) {
      if (read(3, message, sizeof message) <= 0)
        _exit(0);
      if (write(3, message + 1, sizeof *message) != sizeof *message)
        _exit(0);
    }
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
