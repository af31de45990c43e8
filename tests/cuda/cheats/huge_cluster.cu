/* launch plan
[[kernel]]
name = "iterate"
grid = ["32*ceildiv(n, 8192)"]
block = [256]
cluster = [32]
arguments = ["x", "w", "y", "n"]
*/
// about: a cluster larger than the device has
// class: P14
// expect: load_error device_limit
// near: clusters
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
}
