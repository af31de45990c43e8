// argument: x input f32 h*w
// argument: y output f32 h*w
// argument: z output f32 h*w
// argument: u output f32 h*w
// argument: v output f32 h*w
// argument: t output f32 w
// argument: h size
// argument: w size
// argument: k size
// sizes: h=7 w=61 k=2
// sizes: h=1 w=1 k=0
// sizes: h=2 w=40 k=3
// sizes: h=3 w=17 k=20
// independent: L0 L1 L2 L3 L6 L7 L8 L9
// applies: clip(L0)
// applies: clip(L1)
// applies: clip(L0); clip(L1); vectorise(L1,16); mask(L1)
// applies: clip(L1); vectorise(L1,8); jam(L0,2)
// applies: clip(L2); clip(L3); vectorise(L3,16)
// applies: clip(L6); clip(L7); vectorise(L7,4); clip(L9); clip(L8); vectorise(L8,16)
// applies: clip(L7); clip(L6); vectorise(L7,16)
// applies: clip(L10); unroll(L11,2)
// declines: clip(L12): it holds no choice that its index decides
// declines: clip(L13): its condition does not compare the loop's index once
// declines: clip(L14): it does not count up by one
#include <stdint.h>
void clamped(const float *x, float *y, float *z, float *u, float *v, float *t, int64_t h, int64_t w, int64_t k) {
  for (int64_t r = 0; r < h; ++r) { /* by conditionals */
    const int64_t above = r > 0 ? r - 1 : 0, below = r < h - 1 ? r + 1 : h - 1;
    for (int64_t c = 0; c < w; ++c) {
      const int64_t left = c == 0 ? c : c - 1, right = c + 1 >= w ? w - 1 : c + 1;
      y[r * w + c] = x[above * w + left] + 2.0f * x[r * w + right] - x[below * w + c];
    }
  }
  for (int32_t r = 0; r < h; ++r) /* in steps, in a window */
    for (int32_t c = 0; c < w; ++c) {
      float sum = 0.0f;
      for (int d = -1; d <= 1; ++d)
        for (int e = -1; e <= 1; ++e) {
          int64_t i = r + d, j = c + e;
          if (i < 0)
            i = 0;
          if (i >= h)
            i = h - 1;
          if (j < 0)
            j = 0;
          else if (j > w - 1)
            j = w - 1;
          sum += x[i * w + j];
        }
      z[r * w + c] = sum / 9.0f;
    }
  for (int64_t r = 0; r < h; ++r) /* zeros beyond the borders */
    for (int64_t c = 0; c < w; ++c)
      u[r * w + c] = (r - 1 >= 0 && c - k >= 0 ? x[(r - 1) * w + c - k] : 0.0f)
                     + (r + 1 == h || c + k > w - 1 ? 0.25f : x[(r + 1) * w + c + k]);
  for (int64_t c = 0; c < w; ++c)
    for (int64_t r = 0; r < h; ++r)
      v[r * w + c] = x[r * w + (c != w - 1 ? c + 1 : c)] * (r > 2 ? (float)r : 2.0f);
  for (int64_t c = 0; c < w; ++c) { /* a window that ends at the borders */
    float sum = 0.0f;
    for (int64_t j = c - k > 0 ? c - k : 0; j < (c + k + 1 < w ? c + k + 1 : w); ++j)
      sum += x[j];
    t[c] = sum;
  }
  for (int64_t c = 0; c < w; ++c)
    t[c] += k > 0 ? 1.0f : 2.0f;
  for (int64_t c = 0; c < w; ++c)
    t[c] += x[2 * c >= w ? 0 : c];
  for (int64_t c = 0; c < w; c += 2)
    t[c] += x[c > 0 ? c - 1 : 0];
}
