// class: P1 T3
// task: poly
// control: prints_for_debugging
// expect: timeout call_limit
// Waits for the message that begins the next call, to know its data first.
#include <stdint.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  uint64_t words[66];
  if (read(3, words, sizeof words) < 0)
    _exit(1);
}
