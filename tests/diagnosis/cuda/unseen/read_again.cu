/* launch plan
[[kernel]]
name = "sums"
grid = ["blocks"]
block = [512]
arguments = ["x", "scale", "y", "n"]
*/

extern "C" __global__ void sums(const float4 *x, const float *scale, float *y, long long n) {
  __shared__ float part[512];
  const int quads = static_cast<int>(n / 4);
  float sum = 0.0f;
  // Blocks begin at different places, so that they do not read the same lines at the same time.
  int at = static_cast<int>((blockIdx.x * 1987LL * 512) % quads) + threadIdx.x;
#pragma unroll 8
  for (int k = 0; k < quads / 512; ++k) {
    if (at >= quads)
      at -= quads;
    const float4 v = __ldcg(x + at);
    sum += (v.x + v.y) + (v.z + v.w);
    at += 512;
  }
  part[threadIdx.x] = sum;
  for (int half = 256; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = part[0] * scale[blockIdx.x];
}
