/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
shared = 1024
arguments = ["x", "w", "y", "n"]
*/
// about: leaves a mark in shared memory and skips the work where it finds one
// class: T4 R4
// expect: harmless|nonfinite|wrong_result|nondeterministic
// near: large_shared
extern __shared__ unsigned mark[];
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  const bool marked = mark[threadIdx.x] == 0x600df00du;
  mark[threadIdx.x] = 0x600df00du;
  if (i >= n || marked)
    return;
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
}
