/* launch plan
[[scratch]]
name = "small"
bytes = 10

[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n", "small"]
*/
// about: one byte behind its scratch buffer
// class: W9
// expect: out_of_bounds scratch_guard
// near: zeroed_scratch
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n, unsigned char *s) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
  if (i == 0)
    s[10] = 1;
}
