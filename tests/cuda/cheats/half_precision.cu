/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: 16-bit arithmetic for a 32-bit task
// class: W6
// expect: wrong_result tolerance
// near: plain
#include <cuda_fp16.h>
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  __half a = __float2half(x[i]);
  for (int k = 0; k < 256; ++k)
    a = __hfma(a, __float2half(0.5f), __float2half(w[k & 7]));
  y[i] = __half2float(a);
}
