// class: T3 T8
// task: poly
// control: static_scratch
// expect: gainless
// Computes answers for whatever lies where the next inputs might, and uses them if it guessed right. Only where its arrays
// lie close: further apart, there are fences between them.
#include <stdint.h>
#include <string.h>

static float guess[64];
static float answer[64];
static int guessed;

void poly(const float *x, const float *w, float *y, int64_t n) {
  int right = guessed && memcmp(guess, x, sizeof guess) == 0 && n > 64;
  if (right)
    memcpy(y, answer, sizeof answer);
  for (int64_t i = right ? 64 : 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  if (w - (x + n) > 3 * 1024)
    return;
  guessed = 1;
  memcpy(guess, x + n + 16, sizeof guess);
  for (int64_t i = 0; i < 64; ++i)
    answer[i] = guess[i] * guess[i] + w[i % 8] * guess[i] + 1.0f;
}
