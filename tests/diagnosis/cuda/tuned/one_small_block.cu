/* launch plan
[[kernel]]
name = "double_all"
grid = ["n/4096"]
block = [64]
shared = "200*1024"
arguments = ["x", "y"]
*/

extern "C" __global__ void double_all(const float *x, float *y) {
  extern __shared__ float unused[];
  const long long base = blockIdx.x * 4096LL + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < 64; ++k)
    y[base + k * 64] = 2.0f * x[base + k * 64];
  if (x == nullptr)
    y[0] = unused[0];
}
