/* launch plan
[[kernel]]
name = "transpose"
grid = ["rows/32", "cols/8"]
block = [32, 8]
arguments = ["x", "y", "rows", "cols"]
*/

extern "C" __global__ void transpose(const float *x, float *y, long long rows, long long cols) {
  const long long r = blockIdx.x * 32LL + threadIdx.x;
  const long long c = blockIdx.y * 8LL + threadIdx.y;
  y[c * rows + r] = x[r * cols + c];
}
