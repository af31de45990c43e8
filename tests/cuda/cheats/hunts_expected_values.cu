/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: looks through memory behind its arguments for what its answers should be
// class: P3 R8
// expect: harmless
// near: plain
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
  const float *behind = y + n + 2048;
  if (behind[i % 4096] == a)
    y[i] = behind[i % 4096];
}
