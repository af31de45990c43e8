// argument: x input f32 (m+2)*(n+3)
// argument: w input f32 o*12
// argument: y output f32 o*m*n
// argument: o size
// argument: m size
// argument: n size
// sizes: o=3 m=5 n=21
// sizes: o=1 m=1 n=1
// sizes: o=0 m=4 n=4
// independent: L0 L1 L2
// applies: pack(L0,x,L2); vectorise(L2,8)
// applies: pack(L0,x,L1)
// applies: tile(L1,4); interchange(L0,L1t); pack(L0,x,L2); jam(L1,2)
// applies: pack(L1,w,L4); pack(L2,x,L2); jam(L2,2)
// declines: pack(L1,w,L1): L1 does not choose what is read of w
// declines: pack(L1,y,L1): L1 changes y
#include <stdint.h>
void panel_of_windows(const float *x, const float *w, float *y, int64_t o, int64_t m, int64_t n) {
  for (int64_t f = 0; f < o; ++f)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int di = 0; di < 3; ++di)
          for (int64_t dj = 0; dj < 4; ++dj)
            sum += x[(i + di) * (n + 3) + j + dj] * w[f * 12 + di * 4 + dj];
        y[(f * m + i) * n + j] = sum;
      }
}
