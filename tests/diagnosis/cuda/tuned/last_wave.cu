/* launch plan
[[kernel]]
name = "relax"
grid = ["n/1024"]
block = [1024]
shared = "200*1024"
arguments = ["x", "y"]
*/

extern "C" __global__ void relax(const float *x, float *y) {
  extern __shared__ float unused[];
  const long long i = blockIdx.x * 1024LL + threadIdx.x;
  float a = x[i], b = 0.5f * a, c = 0.25f * a, d = 0.125f * a;
#pragma unroll 16
  for (int k = 0; k < 4096; ++k) {
    a = a * 0.999f + 0.001f;
    b = b * 0.999f + 0.001f;
    c = c * 0.999f + 0.001f;
    d = d * 0.999f + 0.001f;
  }
  y[i] = (a + b) + (c + d);
  if (x == nullptr)
    y[0] = unused[0];
}
