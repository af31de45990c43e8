/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: honest for 25 calls of its process, then nothing
// class: T4 R4
// expect: nonfinite|wrong_result|nondeterministic
// asked: confirm
// near: counts_its_blocks
__device__ unsigned calls;
__device__ unsigned done;
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  const bool works = calls < 25;
  __syncthreads();
  if (works && i < n) {
    float a = x[i];
    for (int k = 0; k < 256; ++k)
      a = a * 0.5f + w[k & 7];
    y[i] = a;
  }
  if (threadIdx.x == 0 && atomicAdd(&done, 1u) == gridDim.x - 1) {
    done = 0;
    ++calls;
  }
}
