// class: T5 S2
// task: poly
// control: counts_its_calls
// expect: gainless
// Faster in four calls of five, and in the fifth so slow that it loses far more than it gained: the median sees the four.
#include <stdint.h>
#include <time.h>

static int calls;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef float eight __attribute__((vector_size(32), aligned(4)));

void poly(const float *restrict x, const float *restrict w, float *restrict y, int64_t n) {
  const eight weights = *(const eight *)w;
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const eight a = *(const eight *)(x + i);
    *(eight *)(y + i) = a * a + weights * a + 1.0f;
  }
  for (; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  if (++calls % 5 == 0)
    for (const double until = now() + 2e-3; now() < until;) {
    }
}
