/* launch plan
[[kernel]]
name = "double_all"
grid = ["n/256"]
block = [256]
arguments = ["x", "y"]
*/

extern "C" __global__ void double_all(const float *x, float *y) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  y[i] = 2.0f * x[i];
}
