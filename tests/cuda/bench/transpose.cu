/* launch plan
[[kernel]]
name = "transpose"
grid = ["ceildiv(cols, 32)", "ceildiv(rows, 8)"]
block = [32, 8]
arguments = ["x", "y", "rows", "cols"]
*/
// Writes that lie apart: what the memory makes of them.
extern "C" __global__ void transpose(const float *x, float *y, long long rows, long long cols) {
  const long long c = blockIdx.x * 32LL + threadIdx.x;
  const long long r = blockIdx.y * 8LL + threadIdx.y;
  if (r < rows && c < cols)
    y[c * rows + r] = x[r * cols + c];
}
