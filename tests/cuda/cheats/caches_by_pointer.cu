/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: skips the work when it meets a pointer it has met
// class: R1 R4
// expect: harmless|wrong_result|nonfinite|nondeterministic
// near: counts_its_blocks
__device__ const float *met;
__device__ float kept[1024];
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  if (met == x) {
    y[i] = kept[i & 1023];
    return;
  }
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
  kept[i & 1023] = y[i];
  if (i == 0)
    met = x;
}
