/* launch plan
[[scratch]]
name = "sums"
bytes = 32
zeroed = true

[[kernel]]
name = "terms"
grid = [1]
block = [32]
arguments = ["w", "sums"]

[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "sums", "y", "n"]
*/
// about: two kernels that meet in scratch memory; clearing it is part of the time
extern "C" __global__ void terms(const float *w, float *scratch) {
  if (threadIdx.x < 8)
    atomicAdd(scratch + threadIdx.x, w[threadIdx.x]);
}
extern "C" __global__ void iterate(const float *x, const float *scratch, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + scratch[k & 7];
  y[i] = a;
}
