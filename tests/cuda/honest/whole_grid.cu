/* launch plan
[[kernel]]
name = "iterate"
grid = [132]
block = [256]
cooperative = true
arguments = ["x", "w", "y", "n"]
*/
// about: a cooperative launch whose blocks wait for each other
#include <cooperative_groups.h>
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += 256LL * gridDim.x)
    y[i] = x[i];
  cooperative_groups::this_grid().sync();
  for (long long i = (gridDim.x - 1 - blockIdx.x) * 256LL + threadIdx.x; i < n; i += 256LL * gridDim.x) {
    float a = y[i];
    for (int k = 0; k < 256; ++k)
      a = a * 0.5f + w[k & 7];
    y[i] = a;
  }
}
