/* launch plan
[[kernel]]
name = "rows"
grid = ["n/8192"]
block = [256]
arguments = ["x", "y"]
*/

extern "C" __global__ void rows(const float *x, float *y) {
  __shared__ float tile[8192];
  const long long base = blockIdx.x * 8192LL;
  for (int i = threadIdx.x; i < 8192; i += 256)
    tile[i] = x[base + i];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 64; ++k)
#pragma unroll
    for (int j = 0; j < 32; ++j)
      sum += tile[threadIdx.x * 32 + ((j + k) & 31)];
  y[blockIdx.x * 256LL + threadIdx.x] = sum;
}
