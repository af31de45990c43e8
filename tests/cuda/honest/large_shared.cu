/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
shared = "4*(16384 + 256)"
arguments = ["x", "w", "y", "n"]
*/
// about: more dynamic shared memory than a kernel gets unasked
extern __shared__ float tile[];
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  tile[threadIdx.x + 16384] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i >= n)
    return;
  float a = tile[threadIdx.x + 16384];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
}
