/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: a small block of the device heap per block of threads
#include <cstdlib>
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  __shared__ float *copy;
  if (threadIdx.x == 0) {
    copy = static_cast<float *>(malloc(32));
    for (int k = 0; k < 8; ++k)
      if (copy != nullptr)
        copy[k] = w[k];
  }
  __syncthreads();
  const float *c = copy != nullptr ? copy : w;
  if (i < n) {
    float a = x[i];
    for (int k = 0; k < 256; ++k)
      a = a * 0.5f + c[k & 7];
    y[i] = a;
  }
  __syncthreads();
  if (threadIdx.x == 0)
    free(copy);
}
