// argument: lengths input i64 rows*4 small
// argument: values input i64 rows*32
// argument: kept output i64 rows*4 zero
// argument: out output i64 rows*32 zero
// argument: count output i64 1
// argument: rows size
// argument: keep size
// sizes: rows=11 keep=3
// sizes: rows=5 keep=9
// sizes: rows=1 keep=1
// applies: split_index_set(L1,B0); merge_segment_copies(L1)
// applies: split_index_set(L1,B0); merge_segment_copies(L1); unroll(L2,4); restrict
// applies: split_index_set(L1,B0); merge_segment_copies(L1); vectorise(L2,8)
// declines: merge_segment_copies(L1): copies no segments
// declines: split_index_set(L1,B0); merge_segment_copies(L1c): copies no segments
// declines: merge_segment_copies(L3): copies no segments
#include <stdint.h>
void segments(const int64_t *lengths, const int64_t *values, int64_t *kept, int64_t *out, int64_t *count, int64_t rows,
              int64_t keep) {
  int64_t event = 0, item = 0, events = 0, items = 0;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t e = 0; e < 4; ++e) {
      const int64_t length = lengths[event];
      if (e < keep) {
        kept[events++] = length;
        for (int64_t i = 0; i < length; ++i)
          out[items + i] = values[item + i];
        items += length;
      }
      event = event + 1;
      item = item + length;
    }
  }
  for (int64_t k = 0; k < 1; ++k)
    count[k] = items;
}
