/* launch plan
[[kernel]]
name = "gemm"
grid = ["ceildiv(m, 32)", "ceildiv(m, 32)"]
block = [32, 32]
arguments = ["a", "b", "c", "m"]
*/
extern "C" __global__ void gemm(const float *a, const float *b, float *c, long long m) {
  __shared__ float left[32][33];
  __shared__ float right[32][33];
  const long long row = blockIdx.y * 32LL + threadIdx.y;
  const long long column = blockIdx.x * 32LL + threadIdx.x;
  float sum = 0.0f;
  for (long long k = 0; k < m; k += 32) {
    left[threadIdx.y][threadIdx.x] = row < m && k + threadIdx.x < m ? a[row * m + k + threadIdx.x] : 0.0f;
    right[threadIdx.y][threadIdx.x] = column < m && k + threadIdx.y < m ? b[(k + threadIdx.y) * m + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < m)
    c[row * m + column] = sum;
}
