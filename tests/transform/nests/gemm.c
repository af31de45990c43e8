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
// applies: tile(L2,2); split_accumulators(L2,2)
// applies: interchange(L0,L1); tile(L0,4); jam(L0,3)
// applies: tile(L1,16); interchange(L0,L1t); pack(L0,b,L1); vectorise(L1,8); jam(L1,2); jam(L0,3)
// applies: pack(L0,b,L2); vectorise(L2,4)
// applies: tile(L0,4); pack(L1,a,L2); jam(L1,2)
// applies: tile(L1,8); interchange(L0,L1t); tile(L0,4); pack(L0t,b,L1); vectorise(L1p,4); jam(L0,2)
// declines: pack(L0,c,L1): L0 changes c
// declines: pack(L0,b,L0): L0 does not choose what is read of b
// declines: pack(L0,n,L1): n decides how often
// declines: tile(L1,16); pack(L0,b,L1): the bounds of L1 are not known before the nest
// declines: vectorise(L1,8); pack(L0,b,L1): in several places
// declines: tile(L1,16); interchange(L0,L1t); pack(L0,b,L1); jam(L1t,2): a panel
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
