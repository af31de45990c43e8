/* launch plan
[[scratch]]
name = "mark"
bytes = 8

[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n", "mark"]
*/
// about: leaves a mark in scratch memory
// class: R4
// expect: harmless
// near: zeroed_scratch
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n, unsigned *mark) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  if (mark[0] == 0x600df00du) {
    y[i] = 0.0f;
    return;
  }
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
  if (i == n - 1)
    mark[1] = 0x600df00du;
}
