// What the recorded listings are of; how they are made stands in README.md here.
#include <cuda_fp16.h>
#include <mma.h>

// 128-bit loads and stores, a predicated exit.
extern "C" __global__ void wide(const float4 *x, float4 *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = x[i];
  v.x = v.x * 2.0f + 1.0f;
  y[i] = v;
}

// More values at once than 32 registers hold: they are spilled. 32-bit loads.
extern "C" __global__ void __launch_bounds__(1024, 2) spills(const float *x, float *y, int n) {
  float a[40];
  for (int i = 0; i < 40; ++i)
    a[i] = x[threadIdx.x + i * n];
  __syncthreads();
  float s = 0.0f;
  for (int i = 0; i < 40; ++i)
    s += a[i] * x[threadIdx.x - i * n];
  y[threadIdx.x] = s * a[0];
}

// Asynchronous copies to shared memory, tensor cores, conversions, barriers, atomics, shuffles.
extern "C" __global__ void tiles(const half *a, const half *b, half *c, float *sum) {
  using namespace nvcuda;
  __shared__ __align__(16) half left[256];
  __shared__ __align__(16) half right[256];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(left + 8 * threadIdx.x));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + 8 * threadIdx.x) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  right[threadIdx.x] = b[threadIdx.x];
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
  wmma::fill_fragment(z, 0.0f);
  wmma::load_matrix_sync(x, left, 16);
  wmma::load_matrix_sync(y, right, 16);
  wmma::mma_sync(z, x, y, z);
  float s = z.x[0];
  for (int d = 16; d > 0; d /= 2)
    s += __shfl_xor_sync(0xffffffffu, s, d);
  if (threadIdx.x == 0)
    atomicAdd(sum, s);
  c[threadIdx.x] = __float2half(z.x[1]);
}
