/* launch plan
[[kernel]]
name = "powers"
grid = ["ceildiv(rows*cols, 256)"]
block = [256]
arguments = ["x", "y", "rows", "cols"]
*/
// Nothing but dependent arithmetic.
extern "C" __global__ void powers(const float *x, float *y, long long rows, long long cols) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= rows * cols)
    return;
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + x[i];
  y[i] = a;
}
