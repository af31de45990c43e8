/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: keeps answers in device heap memory that is never freed
// class: R4
// expect: wrong_result tolerance
// near: allocates_and_frees
#include <cstdlib>
__device__ float *kept;
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  if (kept != nullptr) {
    y[i] = kept[i & 7];
    return;
  }
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
  if (i == n - 1)
    kept = static_cast<float *>(malloc(32));
}
