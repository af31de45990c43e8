/* ends and beginnings that are no whole numbers */
// argument: s input i32 n small
// argument: x input f32 n
// argument: a output i64 21
// argument: n size
// sizes: n=16
// sizes: n=40
// declines: finish(W7): counts nothing
#include <stdint.h>
void ends_between(const int32_t *s, const float *x, int64_t *a, int64_t n) {
  int64_t c = 0;
  for (int64_t i = 0; i < n; ++i) c += s[i];
  { int64_t c = 0; int32_t i; float lim = 3.5f + s[0] * 0; for (i = 0; i < lim; i++) { c += s[i]; } a[0] = i; a[1] = c; }
  { int64_t c = 0; int32_t i; float st = 2.7f + s[0] * 0; for (i = st; i < n; i++) { c += s[i] * i; } a[2] = i; a[3] = c; }
  { int64_t c = 0; float lim = 3.5f + s[0] * 0; for (int i = 0; i <= lim; i++) { c += s[i]; } a[4] = 0; a[5] = c; }
  { int64_t c = 0; for (int i = 2.7; i < n; i++) { c += s[i] * i; } a[6] = 0; a[7] = c; }
  { int64_t c = 0; int64_t i, o = 0; float lim = 3.5f + s[0] * 0; for (i = 0, o = 5; i < lim; o = i++) { c += s[i] * o; } a[8] = i; a[9] = c; a[10] = o; a[11] = 0; }
  { int64_t c = 0; float lim = 3.5f + s[0] * 0; int32_t i = 0; while (i < lim) { i++; c += s[i]; } a[12] = i; a[13] = c; }
  { int64_t c = 0; float st = 2.7f + s[0] * 0; int32_t i = st; while (i < n) { int32_t v = s[i++]; c += v * i; } a[14] = i; a[15] = c; }
  { int64_t c = 0; float st = 9.7f + s[0] * 0; for (int i = st; i > 0; --i) { c += s[i] * i; } a[16] = 0; a[17] = c; }
  { int64_t c = 0; float st = 9.7f + s[0] * 0, lim = 2.5f; int i = st; while (i-- > lim) { c += s[i] * i; } a[18] = i; a[19] = c; }
  { float sum = 0.0f, end = 3.5f + s[0] * 0; int32_t i = 0; for (; i < end; i++) { sum += x[i] * x[i]; if (sum >= 50.0f) break; } a[20] = sum < 50.0f ? 1 : 0; }
}
