/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: a 16-byte load from an odd place
// class: P14
// expect: crashed misaligned_address
// near: four_at_once
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
  if (i == 0)
    y[0] = *reinterpret_cast<const float *>(reinterpret_cast<const char *>(x) + 1);
}
