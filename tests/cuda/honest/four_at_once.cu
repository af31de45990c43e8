/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 1024)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: 16-byte loads and stores, the tail by itself
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = 4 * (blockIdx.x * 256LL + threadIdx.x);
  if (i + 3 < n) {
    float4 a = *reinterpret_cast<const float4 *>(x + i);
    for (int k = 0; k < 256; ++k) {
      const float c = w[k & 7];
      a = make_float4(a.x * 0.5f + c, a.y * 0.5f + c, a.z * 0.5f + c, a.w * 0.5f + c);
    }
    *reinterpret_cast<float4 *>(y + i) = a;
    return;
  }
  for (long long j = i; j < n; ++j) {
    float a = x[j];
    for (int k = 0; k < 256; ++k)
      a = a * 0.5f + w[k & 7];
    y[j] = a;
  }
}
