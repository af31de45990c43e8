// argument: x input f32 rows*cols
// argument: borders input f32 edges
// argument: bins output i64 rows*cols
// argument: out output i64 4
// argument: rows size
// argument: cols size
// argument: edges size
// sizes: rows=3 cols=37 edges=5
// sizes: rows=1 cols=1 edges=0
// sizes: rows=2 cols=64 edges=1
// applies: narrow(L2)
// applies: narrow(L2); vectorise(L1,16); mask(L1)
// applies: narrow(L2); vectorise(L1,32); jam(L2,2)
// applies: narrow(L3)
// applies: narrow(L3); vectorise(L3,8)
// applies: narrow(L4); unroll(L4,2)
// declines: narrow(L1): no 64-bit sum of small numbers
// declines: narrow(L2); narrow(L2): no 64-bit sum of small numbers
// declines: narrow(L5): no 64-bit sum of small numbers
// declines: narrow(L6): no 64-bit sum of small numbers
// declines: narrow(L7): no 64-bit sum of small numbers
#include <stdint.h>
void counting(const float *x, const float *borders, int64_t *bins, int64_t *out, int64_t rows, int64_t cols,
              int64_t edges) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      int64_t below = 0;
      for (int64_t e = 0; e < edges; ++e)
        if (x[r * cols + c] > borders[e])
          below = below + 1;
      bins[r * cols + c] = below;
    }
  int64_t above = 7000000000;
  int64_t level = 0;
  for (int64_t c = 0; c < cols; ++c) {
    above += x[c] > 0.0f;
    level -= x[c] > 0.5f ? 3 : -2;
  }
  uint64_t wraps = 1;
  for (int64_t c = 0; c < cols; ++c)
    if (x[c] < 0.0f)
      wraps = wraps - 1;
    else
      wraps = 2 + wraps;
  int64_t looked_at = 0;
  for (int64_t c = 0; c < cols; ++c) {
    looked_at += 1;
    bins[c] += looked_at;
  }
  int64_t large = 0;
  for (int64_t c = 0; c < cols; ++c)
    large += x[c] > 0.0f ? 100000 : c;
  int64_t ends = 1;
  for (int64_t c = 0; c < cols && c < ends; ++c)
    ends += 1;
  out[0] = above + level;
  out[1] = (int64_t)wraps;
  out[2] = looked_at;
  out[3] = large + ends;
}
