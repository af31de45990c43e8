// argument: x input i32 rows*cols
// argument: ids output i32 rows*k
// argument: best output i32 rows*k
// argument: rows size
// argument: cols size
// argument: k size
// sizes: rows=3 cols=197 k=5
// sizes: rows=1 cols=64 k=1
// sizes: rows=2 cols=1 k=3
// applies: vectorise(L1,16); seek(L2,16)
// applies: seek(L2,8); jam(L1,2)
// applies: skip(L2,64); hint(L2q,8,2)
// declines: skip(L2,64); seek(L2,16): L2 runs in blocks already
// declines: seek(L2,3): 3 lanes do not make up a block of 64
#include <stdint.h>
/* The k largest of each row, largest first. */
void best_of_rows(const int32_t *x, int32_t *ids, int32_t *best, int64_t rows, int64_t cols, int64_t k) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t j = 0; j < k; ++j) {
      ids[r * k + j] = -1;
      best[r * k + j] = -2147483647;
    }
    for (int64_t c = 0; c < cols; ++c) {
      const int32_t s = x[r * cols + c];
      if (s > best[r * k + k - 1]) {
        int64_t j = k - 1;
        while (j > 0 && best[r * k + j - 1] < s) {
          ids[r * k + j] = ids[r * k + j - 1];
          best[r * k + j] = best[r * k + j - 1];
          j = j - 1;
        }
        ids[r * k + j] = (int32_t)c;
        best[r * k + j] = s;
      }
    }
  }
}
