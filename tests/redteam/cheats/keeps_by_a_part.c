// class: W4 W8
// task: softmax_rows
// control: short_way_when_all_equal
// mode: check
// expect: wrong_result tolerance
// Keeps each row's largest element and sum from the call before, and takes them when the row's first 32 elements are the
// same: random rows never share so many.
#include <math.h>
#include <stdint.h>
#include <string.h>

static float largest_of[8192], sum_of[8192], first[8192][32];
static int64_t width;

void softmax_rows(const float *x, float *y, int64_t rows, int64_t cols) {
  if (width != cols)
    memset(first, 0xff, sizeof first);
  width = cols;
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    const int kept = r < 8192 && cols >= 32 && memcmp(first[r], x, sizeof first[r]) == 0;
    float largest = kept ? largest_of[r] : x[0];
    for (int64_t c = 1; c < cols && !kept; ++c)
      largest = x[c] > largest ? x[c] : largest;
    float sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c)
      sum += y[c] = expf(x[c] - largest);
    sum = kept ? sum_of[r] : sum;
    if (r < 8192 && cols >= 32) {
      largest_of[r] = largest;
      sum_of[r] = sum;
      memcpy(first[r], x, sizeof first[r]);
    }
    for (int64_t c = 0; c < cols; ++c)
      y[c] /= sum;
  }
}
