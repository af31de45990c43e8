// argument: x input f32 b*c*(h+s-1)*(w+s-1)
// argument: filter input f32 o*c*s*s
// argument: y output f32 b*o*h*w
// argument: b size
// argument: c size
// argument: o size
// argument: h size
// argument: w size
// argument: s size
// sizes: b=2 c=3 o=7 h=2 w=37 s=3
// sizes: b=1 c=1 o=1 h=1 w=1 s=1
// sizes: b=1 c=2 o=12 h=3 w=20 s=2
// independent: L0 L1 L2 L3
// applies: pack(L1,x,L3); vectorise(L3,8); mask(L3); jam(L1,4); jam(L3,2)
// applies: pack(L1,x,L3); vectorise(L3,8); mask(L3); jam(L3,4); jam(L1,2)
// applies: vectorise(L3,8); mask(L3); jam(L1,6); jam(L3,2)
#include <stdint.h>
void convolution(const float *x, const float *filter, float *y, int64_t b, int64_t c, int64_t o, int64_t h, int64_t w,
                 int64_t s) {
  for (int64_t image = 0; image < b; ++image)
    for (int64_t out = 0; out < o; ++out)
      for (int64_t i = 0; i < h; ++i)
        for (int64_t j = 0; j < w; ++j) {
          float sum = 0.0f;
          for (int64_t in = 0; in < c; ++in)
            for (int64_t u = 0; u < s; ++u)
              for (int64_t v = 0; v < s; ++v)
                sum += x[((image * c + in) * (h + s - 1) + i + u) * (w + s - 1) + j + v]
                       * filter[((out * c + in) * s + u) * s + v];
          y[((image * o + out) * h + i) * w + j] = sum;
        }
}
