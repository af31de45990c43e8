/* launch plan
[[kernel]]
name = "iterate"
grid = ["2*ceildiv(n, 512)"]
block = [256]
cluster = [2]
arguments = ["x", "w", "y", "n"]
*/
// about: blocks in pairs that read each other's shared memory
#include <cooperative_groups.h>
extern "C" __global__ void __cluster_dims__(2, 1, 1) iterate(const float *x, const float *w, float *y, long long n) {
  __shared__ float mine[256];
  auto pair = cooperative_groups::this_cluster();
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  const long long other = (blockIdx.x ^ 1u) * 256LL + threadIdx.x;
  mine[threadIdx.x] = i < n ? x[i] : 0.0f;
  pair.sync();
  float a = pair.map_shared_rank(mine, pair.block_rank() ^ 1u)[threadIdx.x];
  for (int k = 0; k < 256; ++k)
    a = a * 0.5f + w[k & 7];
  if (other < n)
    y[other] = a;
  pair.sync();
}
