/* launch plan
[[kernel]]
name = "strided"
grid = ["n/512"]
block = [512]
arguments = ["x", "y"]
*/

extern "C" __global__ void strided(const float *x, float *y) {
  __shared__ float tile[512];
  const long long base = blockIdx.x * 512LL;
  tile[threadIdx.x] = x[base + threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 8
  for (int k = 0; k < 512; ++k)
    sum += tile[(threadIdx.x * 16 + k) & 511];
  y[base + threadIdx.x] = sum;
}
