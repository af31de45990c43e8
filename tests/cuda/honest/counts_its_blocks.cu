/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: a ticket in a global that the last block puts back
__device__ unsigned tickets;
__device__ float checked;
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) {
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
  }
  if (threadIdx.x == 0 && atomicAdd(&tickets, 1u) == gridDim.x - 1) {
    checked = 1.0f;
    tickets = 0;
  }
}
