/* where an element stands has a name; it is written in its place unless what it is made of changes */
// argument: x input f32 d*h*w
// argument: y output f32 d*h*w
// argument: z inout i32 d*h*w
// argument: v output f32 h*w
// argument: d size
// argument: h size
// argument: w size
// sizes: d=3 h=4 w=19
// sizes: d=1 h=1 w=1
// sizes: d=2 h=3 w=8
// sizes: d=5 h=1 w=33
// sizes: d=2 h=0 w=3
// independent: L0 L1 L2 L4
// carried: L8 L9
// applies: clip(L2); vectorise(L2,8); mask(L2)
// applies: clip(L0); clip(L1); clip(L2); vectorise(L2,16)
// applies: vectorise(L4,4)
// declines: vectorise(L8,8): carries a dependence
// declines: vectorise(L9,8): carries a dependence
#include <stdint.h>
void places(const float *x, float *y, int32_t *z, float *v, int64_t d, int64_t h, int64_t w) {
  for (int64_t a = 0; a < d; ++a)
    for (int64_t b = 0; b < h; ++b)
      for (int64_t c = 0; c < w; ++c) {
        const int64_t i = (a * h + b) * w + c;
        float s = -6.0f * x[i];
        s += a > 0 ? x[i - h * w] : 0.0f;
        s += b < h - 1 ? x[i + w] : 0.0f;
        s += c > 0 ? x[i - 1] : 0.0f;
        s += c < w - 1 ? x[i + 1] : 0.0f;
        y[i] = s;
      }
  for (int a = 0; a < (int)d; ++a) /* rows, and a name made of a name */
    for (int b = 0; b < (int)(h * w); ++b) {
      const int row = a * (int)(h * w);
      const int at = row + b;
      const int64_t wide = at;
      z[at] = z[wide] * 3 + at % 7;
      if (a == 0)
        v[b] = (float)(at * 2 + row);
    }
  int64_t from = 0, to = h * w;
  for (int64_t a = 0; a < d; ++a) { /* the first two change, which at is made of */
    const int64_t at = from;
    for (int64_t b = 0; b < w * h; ++b) {
      const int64_t i = at + b;
      z[i] += 1;
    }
    from += to;
  }
  for (int64_t a = 0; a < d; ++a)
    for (int64_t b = 0; b < w * h; ++b) {
      const int64_t i = a * to + b;
      z[i] -= (int32_t)(i + a);
    }
  to = 1;
  for (int64_t a = 1; a < d * h * w; ++a) {
    const int64_t before = a - to;
    z[a] = z[before] + z[a];
  }
}
