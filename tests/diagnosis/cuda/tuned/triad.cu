/* launch plan
[[kernel]]
name = "triad"
grid = ["n/1024"]
block = [256]
arguments = ["x", "z", "y"]
*/

extern "C" __global__ void triad(const float4 *x, const float4 *z, float4 *y) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  const float4 a = x[i];
  const float4 b = z[i];
  y[i] = make_float4(2.0f * a.x + b.x, 2.0f * a.y + b.y, 2.0f * a.z + b.z, 2.0f * a.w + b.w);
}
