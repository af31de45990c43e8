// As sass.cu, of what the ninth generation alone has: a tile by the copy engine, a warp group's product.
#include <cuda.h>

extern "C" __global__ void hopper(const __grid_constant__ CUtensorMap map, float *y) {
  extern __shared__ __align__(1024) char tile[];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::
                     "r"(to), "l"(&map), "r"(0), "r"(at) : "memory");
  }
  __syncthreads();
  float d[4] = {};
  const unsigned long long left = (to & 0x3ffff) >> 4 | 1ull << 62;
  asm volatile("wgmma.fence.sync.aligned;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;\n"
               "wgmma.commit_group.sync.aligned;\n"
               "wgmma.wait_group.sync.aligned 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(left) : "memory");
  reinterpret_cast<float4 *>(y)[threadIdx.x] = make_float4(d[0], d[1], d[2], d[3]);
}
