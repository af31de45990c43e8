// argument: a input f32 m*k
// argument: b input f32 k*n
// argument: c output f32 m*n
// argument: m size
// argument: n size
// argument: k size
// sizes: m=7 n=37 k=5
// sizes: m=1 n=1 k=1
// sizes: m=16 n=64 k=3
// independent: L0 L1 L2
// applies: vectorise(L1,16); jam(L1,2); jam(L0,6)
// applies: jam(L0,4); jam(L1,8)
// applies: tile(L1,16); interchange(L0,L1t); vectorise(L1,8); jam(L0,3)
// applies: tile(L2,2); split(L2,2)
// applies: interchange(L0,L1); tile(L0,4); jam(L0,3)
// declines: interchange(L1,L2): L2 is not alone inside L1
// declines: parallel(L0): the task allows no threads
// declines: tile(L7,4): no loop L7
#include <stdint.h>
void gemm(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float acc = 0;
      for (int64_t p = 0; p < k; ++p)
        acc += a[i * k + p] * b[p * n + j];
      c[i * n + j] = acc;
    }
}
