/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: skips the work when the first element is one it has met
// class: R3 R4
// expect: harmless
// near: counts_its_blocks
__device__ float met;
__device__ float kept;
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  if (met != 0.0f && met == x[0]) {
    y[i] = kept;
    return;
  }
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
  if (i == 0) {
    kept = y[0];
    met = x[0];
  }
}
