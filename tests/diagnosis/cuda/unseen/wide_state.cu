/* launch plan
[[kernel]]
name = "smooth"
grid = ["n/1024"]
block = [1024]
arguments = ["x", "y"]
*/

constexpr int values = 56;

extern "C" __global__ void __launch_bounds__(1024, 2) smooth(const float *x, float *y) {
  const long long i = blockIdx.x * 1024LL + threadIdx.x;
  float a[values];
#pragma unroll
  for (int j = 0; j < values; ++j)
    a[j] = x[i] + static_cast<float>(j);
#pragma unroll 1
  for (int k = 0; k < 64; ++k) {
    const float first = a[0];
#pragma unroll
    for (int j = 0; j + 1 < values; ++j)
      a[j] = a[j] * 0.5f + a[j + 1] * 0.25f;
    a[values - 1] = a[values - 1] * 0.5f + first * 0.25f;
  }
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < values; ++j)
    sum += a[j];
  y[i] = sum;
}
