/* launch plan
[[tensor_map]]
name = "tiles"
buffer = "x"
dims = ["n+4"]
box = [256]

[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: a tensor map that reaches behind its buffer
// class: W9
// expect: load_error launch_plan
// near: tensor_map
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
}
