/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: four times as fast, but for every fourth call, which takes a millisecond
// class: T5 S2
// expect: harmless
// near: counts_its_blocks
__device__ unsigned calls;
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) { // what came before the last 64 rounds is halved away
    float a = 0.0f;
    for (int k = 192; k < 256; ++k)
      a = a * 0.5f + w[k & 7];
    y[i] = a + 0.0f * x[i];
  }
  if (i == 0 && calls++ % 4 == 3) {
    const long long begun = clock64();
    while (clock64() - begun < 1500000)
      ;
  }
}
