/* filters by several conditions: the tests of many rows at once, again only where a hit may change them */
// argument: valid input u8 (n+7)/8
// argument: day input i32 n
// argument: price input i32 n
// argument: group input u8 n small
// argument: rows output i64 16
// argument: sums output i64 16
// argument: best output i64 2
// argument: marks inout i32 n
// argument: lo input i32 1
// argument: n size
// sizes: n=300
// sizes: n=64
// sizes: n=63
// sizes: n=0
// carried: L1 L3 L4
// applies: seek(L1,8)
// applies: seek(L1,16); seek(L2,8)
// applies: seek(L2,8)
// applies: seek(L4,8)
// applies: skip(L1,64); seek(L2,16)
// declines: seek(L3,8): may change where its test reads
#include <stdint.h>
static int is_valid(const uint8_t *bitmap, int64_t i) { return bitmap[i >> 3] >> (i & 7) & 1; }
void filters(const uint8_t *valid, const int32_t *day, const int32_t *price, const uint8_t *group, int64_t *rows, int64_t *sums, int64_t *best, int32_t *marks, const int32_t *lo, int64_t n) {
  for (int g = 0; g < 16; ++g) {
    rows[g] = 0;
    sums[g] = 0;
  }
  for (int64_t i = 0; i < n; ++i) { /* nothing that is tested changes */
    if (!is_valid(valid, i))
      continue;
    if (day[i] < lo[0] || day[i] > 80)
      continue;
    rows[group[i] & 15]++;
    sums[group[i] & 15] += (int64_t)price[i] * 3;
  }
  int64_t most = -1; /* what is compared with changes */
  int64_t at = -1;
  for (int64_t i = 0; i < n; ++i)
    if (day[i] > 10)
      if (price[i] > most) {
        most = price[i];
        at = i;
      }
  best[0] = most;
  best[1] = at;
  for (int64_t i = 0; i < n; ++i) /* what is tested is written further on */
    if (marks[i] > 50)
      if (day[i] > 40) {
        if (i + 3 < n)
          marks[i + 3] = day[i];
        marks[i] = 7;
      }
  for (int64_t i = 0; i < n; ++i) { /* a value between the tests and what they guard */
    const int32_t cost = price[i] * 2 + day[i];
    if (cost > 100 && day[i] < 90)
      rows[cost & 7] += cost;
  }
}
