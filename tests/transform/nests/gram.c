// argument: x input f32 n*k
// argument: y output f32 n*n
// argument: n size
// argument: k size
// sizes: n=7 k=33
// sizes: n=1 k=1
// sizes: n=24 k=16
// independent: L0 L1 L2
// applies: tile(L1,16); interchange(L0,L1t); pack(L0,x,L1); vectorise(L1,8); mask(L1); jam(L0,4); jam(L1,2)
// applies: pack(L0,x,L1); vectorise(L1,8); jam(L0,2)
// applies: vectorise(L2,8); mask(L2); jam(L1,2); jam(L0,4)
// applies: pack(L1,x,L2); jam(L1,3)
#include <stdint.h>
void gram(const float *x, float *y, int64_t n, int64_t k) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (int64_t q = 0; q < k; ++q)
        sum += x[i * k + q] * x[j * k + q];
      y[i * n + j] = sum;
    }
}
