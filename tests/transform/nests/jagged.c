// argument: lengths input i64 rows small
// argument: values input i64 rows*8
// argument: out output i64 rows*8 zero
// argument: count output i64 1
// argument: rows size
// argument: keep size
// sizes: rows=11 keep=3
// sizes: rows=1 keep=1
// carried: L0
// applies: split_index_set(L1,B0)
// applies: unroll(L1,2)
// applies: tile(L0,4); restrict; aligned
// declines: jam(L0,2): iterations may meet in out
// declines: split_index_set(L0,B0): no branch B0 right inside L0
#include <stdint.h>
void jagged(const int64_t *lengths, const int64_t *values, int64_t *out, int64_t *count, int64_t rows, int64_t keep) {
  int64_t at = 0, n = 0;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t e = 0; e < lengths[r]; ++e) {
      int64_t v = values[at++];
      if (e < keep)
        out[n++] = v;
    }
  }
  count[0] = n;
}
