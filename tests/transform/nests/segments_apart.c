// argument: lengths input i64 rows small
// argument: values input i64 rows*8
// argument: other input i64 rows*8
// argument: a output i64 rows*8 zero
// argument: b output i64 rows*8 zero
// argument: c output i64 rows*8 zero
// argument: d output i64 rows*8 zero
// argument: rows size
// sizes: rows=11
// sizes: rows=1
// applies: merge_segment_copies(L0)
// declines: merge_segment_copies(L2): copies no segments
// declines: merge_segment_copies(L4): does more with c or values
// declines: merge_segment_copies(L6): changes while a segment is copied
// declines: merge_segment_copies(L8): copies segments in several places
#include <stdint.h>
void segments_apart(const int64_t *lengths, const int64_t *values, const int64_t *other, int64_t *a, int64_t *b,
                    int64_t *c, int64_t *d, int64_t rows) {
  int64_t at = 0, from = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t length = lengths[r];
    for (int64_t i = 0; i < length; ++i)
      a[i + at] = values[from + i];
    at = length + at;
    from += length;
  }
  at = from = 0;
  for (int64_t r = 0; r < rows; ++r) { // each to a place of its own
    const int64_t length = lengths[r];
    for (int64_t i = 0; i < length; ++i)
      b[at + i] = values[from + i];
    at += 8;
    from += length;
  }
  at = from = 0;
  for (int64_t r = 0; r < rows; ++r) { // changed once more
    const int64_t length = lengths[r];
    for (int64_t i = 0; i < length; ++i)
      c[at + i] = values[from + i];
    c[at] = c[at] + 1;
    at += length;
    from += length;
  }
  at = from = 0;
  for (int64_t r = 0; r < rows; ++r) { // one length to copy, another to go on by
    int64_t length = lengths[r];
    for (int64_t i = 0; i < length; ++i)
      d[at + i] = other[from + i];
    length /= 2;
    at += length;
    from += length;
  }
  at = from = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t length = lengths[r];
    for (int64_t i = 0; i < length; ++i)
      a[at + i] = values[from + i];
    for (int64_t i = 0; i < length; ++i)
      b[at + i] = other[from + i];
    at += length;
    from += length;
  }
}
