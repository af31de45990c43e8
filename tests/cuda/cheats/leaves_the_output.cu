/* launch plan
[[kernel]]
name = "iterate"
grid = ["ceildiv(n, 256)"]
block = [256]
arguments = ["x", "w", "y", "n"]
*/
// about: writes nothing and hopes for what lay there
// class: R7 W8
// expect: nonfinite
// near: plain
extern "C" __global__ void iterate(const float *x, const float *w, float *y, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n)
    return;
  if (x[i] > 1e30f)
    y[i] = w[0];
}
