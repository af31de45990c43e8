/* neighbours are compared where there are some; between the borders what is left of the conditions is asked at once */
// argument: x input f32 rows*cols
// argument: k input i32 rows*cols small
// argument: mark output i32 rows*cols
// argument: count output i64 rows
// argument: low output f32 rows*cols
// argument: rows size
// argument: cols size
// sizes: rows=3 cols=67
// sizes: rows=2 cols=1
// sizes: rows=2 cols=2
// sizes: rows=4 cols=33
// sizes: rows=3 cols=0
// applies: clip(L1); vectorise(L1,16); mask(L1)
// applies: clip(L2); vectorise(L2,8)
// applies: clip(L3); vectorise(L3,8)
// declines: vectorise(L1,16): a guarded load
// declines: clip(L4): no borders
#include <stdint.h>
void peaks(const float *x, const int32_t *k, int32_t *mark, int64_t *count, float *low, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    const float *row = x + r * cols;
    for (int64_t i = 0; i < cols; ++i)
      mark[r * cols + i] = (i == 0 || row[i] > row[i - 1]) && (i == cols - 1 || row[i] > row[i + 1]);
    int64_t n = 0;
    for (int64_t i = 0; i < cols; ++i) {
      if (i > 0 && i < cols - 1 && k[r * cols + i - 1] > 0 && !(k[r * cols + i + 1] <= 0))
        n += k[r * cols + i];
    }
    count[r] = n;
    for (int64_t i = 0; i < cols; ++i)
      low[r * cols + i] = (i < 2 || row[i - 2] < row[i]) && (i + 1 >= cols || row[i + 1] < 0.5f) ? row[i] : 0.0f;
    for (int64_t i = 0; i < cols; ++i)
      mark[r * cols + i] += i == 0 || i == cols - 1;
  }
}
