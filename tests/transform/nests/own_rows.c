/* Each iteration has rows of its own while it lasts: they are filled whole before they are read. */
// argument: a input f32 batch*n
// argument: b input f32 batch*n
// argument: cost output f32 batch
// argument: bits input u8 batch*n
// argument: tops output i32 batch
// argument: lost output f32 batch
// argument: batch size
// argument: n size
// argument: band size
// sizes: batch=37 n=9 band=3
// sizes: batch=1 n=1 band=0
// sizes: batch=16 n=20 band=30
// sizes: batch=5 n=3 band=1
// independent: L0 L1 L3 L5 L6 L7 L11
// applies: vectorise(L0,8)
// applies: vectorise(L0,16); mask(L0); jam(L0,2)
// applies: jam(L0,4)
// applies: jam(L6,2)
// declines: vectorise(L6,8): which element of counts depends on r
// applies: vectorise(L0,8); vectorise(L3,8)
// declines: vectorise(L10,8): L10 carries a dependence
#include <stdint.h>
void own_rows(const float *a, const float *b, float *cost, const uint8_t *bits, int32_t *tops, float *lost, int64_t batch, int64_t n, int64_t band) {
  float prev[n + 1], cur[n + 1];
  for (int64_t p = 0; p < batch; ++p) {
    for (int64_t j = 0; j <= n; ++j) prev[j] = 1e30f;
    prev[0] = 0.0f;
    for (int64_t i = 1; i <= n; ++i) {
      int64_t lo = i - band < 1 ? 1 : i - band, hi = i + band > n ? n : i + band;
      for (int64_t j = 0; j <= n; ++j) cur[j] = 1e30f;
      for (int64_t j = lo; j <= hi; ++j) {
        float d = a[p * n + i - 1] - b[p * n + j - 1];
        float m = prev[j] < prev[j - 1] ? prev[j] : prev[j - 1];
        if (cur[j - 1] < m) m = cur[j - 1];
        cur[j] = d * d + m;
      }
      for (int64_t j = 0; j <= n; ++j) prev[j] = cur[j];
    }
    cost[p] = prev[n];
  }
  int32_t counts[16];
  for (int64_t r = 0; r < batch; ++r) { /* which element hangs on data */
    for (int64_t k = 0; k < 16; ++k) counts[k] = 0;
    for (int64_t i = 0; i < n; ++i) counts[bits[r * n + i] & 15] += 1;
    int32_t top = 0;
    for (int64_t k = 0; k < 16; ++k) top = counts[k] > top ? counts[k] : top;
    tops[r] = top;
  }
  float kept[n + 1];
  kept[n] = 0.5f;
  for (int64_t r = 0; r < batch; ++r) { /* the last element is never filled: it is everybody's */
    for (int64_t k = 0; k < n; ++k) kept[k] = a[r * n + k];
    kept[n] += kept[0];
    lost[r] = kept[n];
  }
}
