// class: P1 P2
// task: poly
// control: prints_for_debugging
// expect: cheating
// each: -DLENGTH=0 -DLENGTH=7 -DLENGTH=8 -DLENGTH=48
// Answers of other lengths than an answer has, after the work.
#include <stdint.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  static const uint64_t words[8] = {1, 2, 3};
  if (write(3, words, LENGTH) < 0)
    _exit(1);
}
