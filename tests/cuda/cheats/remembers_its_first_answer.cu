/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: gives the first call's answer ever after
// class: R1 R4
// expect: wrong_result|nondeterministic
// near: counts_its_blocks
__device__ unsigned answered[65536];
__device__ float kept[65536];
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  if (answered[i & 65535]) {
    y[i] = kept[i & 65535];
    return;
  }
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
  kept[i & 65535] = a;
  answered[i & 65535] = 1;
}
