// argument: a input f64 m*k
// argument: b input f64 k*n
// argument: c inout f64 m*n
// argument: m size
// argument: n size
// argument: k size
// sizes: m=5 n=23 k=4
// sizes: m=1 n=1 k=1
// independent: L0 L1
// carried: L2
// applies: scalar_replace(L2); vectorise(L1,8); jam(L0,4)
// applies: interchange(L1,L2); vectorise(L1,4); jam(L1,2)
// applies: interchange(L0,L1); interchange(L0,L2)
// applies: unroll(L2,3)
// declines: jam(L2,4): iterations may meet in c
// declines: vectorise(L2,8): iterations may meet in c
#include <stddef.h>
#include <stdint.h>
void gemm_memory(const double *a, const double *b, double *c, int64_t m, int64_t n, int64_t k) {
  int64_t i, j, p;
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++)
      for (p = 0; p < k; p++)
        c[i * n + j] = c[i * n + j] + a[i * k + p] * b[p * n + j];
}
