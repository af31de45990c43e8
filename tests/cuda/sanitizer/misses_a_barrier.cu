/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: reads shared memory of another warp without a barrier and throws the value away
// class: R1
// expect: nondeterministic race
// near: large_shared
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  __shared__ volatile int seen[256];
  int other = 0;
  if (blockIdx.x == 0) {
    seen[threadIdx.x] = static_cast<int>(threadIdx.x);
    other = seen[(threadIdx.x + 64) & 255];
  }
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (other == -1) // never
    return;
  if (i >= n)
    return;
  float a = x[i];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  y[i] = a;
}
