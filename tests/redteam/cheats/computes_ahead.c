// class: T3 T8
// task: poly
// control: static_scratch
// expect: gainless
// Computes answers for whatever lies where the next inputs might, and uses them if it guessed right.
#include <stdint.h>
#include <string.h>

static float guess[64];
static float answer[64];

void poly(const float *x, const float *w, float *y, int64_t n) {
  int right = memcmp(guess, x, sizeof guess) == 0 && n > 64;
  if (right)
    memcpy(y, answer, sizeof answer);
  for (int64_t i = right ? 64 : 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  memcpy(guess, x + n + 16, sizeof guess);
  for (int64_t i = 0; i < 64; ++i)
    answer[i] = guess[i] * guess[i] + w[i % 8] * guess[i] + 1.0f;
}
