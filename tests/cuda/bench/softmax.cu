/* launch plan
[[kernel]]
name = "softmax"
grid = ["rows"]
block = [256]
arguments = ["x", "y", "rows", "cols"]
*/
__device__ static float over_block(float value, bool largest) {
  __shared__ float parts[8];
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, value, offset);
    value = largest ? fmaxf(value, other) : value + other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = parts[0];
  for (int i = 1; i < 8; ++i)
    value = largest ? fmaxf(value, parts[i]) : value + parts[i];
  return value;
}
extern "C" __global__ void softmax(const float *x, float *y, long long rows, long long cols) {
  const float *in = x + blockIdx.x * cols;
  float *out = y + blockIdx.x * cols;
  float largest = -INFINITY;
  for (long long c = threadIdx.x; c < cols; c += 256)
    largest = fmaxf(largest, in[c]);
  largest = over_block(largest, true);
  float sum = 0.0f;
  for (long long c = threadIdx.x; c < cols; c += 256)
    sum += expf(in[c] - largest);
  sum = over_block(sum, false);
  for (long long c = threadIdx.x; c < cols; c += 256)
    out[c] = expf(in[c] - largest) / sum;
}
