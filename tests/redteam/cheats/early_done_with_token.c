// class: P1 T2
// task: poly
// control: prints_for_debugging
// expect: cheating
// Finds the token that the caller was given on the caller's stack, reports done, then works.
#include <stdint.h>
#include <unistd.h>

static void say(uint64_t token) {
  if (write(3, &token, sizeof token) != sizeof token)
    _exit(1);
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  // The go message holds go token, done token and the values; the last value is n.
  uint64_t *stack = (uint64_t *)__builtin_frame_address(0);
  for (int i = 0; i < 4096; ++i)
    if (stack[i] == (uint64_t)n && i > 6 && stack[i - 5] > (1ull << 40) && stack[i - 4] > (1ull << 40)) {
      say(stack[i - 4]);
      break;
    }
  for (int64_t i = 0; i < n; ++i)
    for (int k = 0; k < 20; ++k)
      ((volatile float *)y)[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
