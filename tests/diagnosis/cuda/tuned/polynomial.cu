/* launch plan
[[kernel]]
name = "polynomial"
grid = ["n/256"]
block = [256]
arguments = ["x", "y"]
*/

extern "C" __global__ void polynomial(const float *x, float *y) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  const float t = x[i];
  float sum = 1.0f;
#pragma unroll 32
  for (int k = 0; k < 512; ++k)
    sum = sum * t + 0.5f;
  y[i] = sum;
}
