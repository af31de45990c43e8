// class: P1
// task: poly
// control: prints_for_debugging
// expect: cheating wrong_token
// Says something on every descriptor, then works.
#include <stdint.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  uint64_t word = 1;
  for (int fd = 3; fd < 256; ++fd)
    if (write(fd, &word, sizeof word) < 0)
      break;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
