/* launch plan
[[kernel]]
name = "chase"
grid = ["warps/8"]
block = [256]
arguments = ["next", "y", "m"]
*/

extern "C" __global__ void chase(const int *next, int *y, long long m) {
  const long long warp = (blockIdx.x * 256LL + threadIdx.x) / 32;
  int at = static_cast<int>(warp * 9973 % m);
#pragma unroll 1
  for (int k = 0; k < 1000; ++k)
    at = next[at];
  if (threadIdx.x % 32 == 0)
    y[warp] = at;
}
