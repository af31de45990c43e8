/* launch plan
[[kernel]]
name = "conv1d"
grid = ["batch"]
block = [416]
shared = "2*(3*96*112 + 210*112) + 13*1024"
arguments = ["x", "weight", "bias", "y", "batch", "in_channels", "out_channels", "length"]
*/
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>
using namespace nvcuda;

constexpr int C = 96, LD = 112, WARPS = 13;

extern "C" __global__ void __launch_bounds__(416) conv1d(const __half* __restrict__ x, const __half* __restrict__ w,
                                                          const __half* __restrict__ b, __half* __restrict__ y,
                                                          int64_t batch, int64_t in_c, int64_t out_c, int64_t length) {
  extern __shared__ __align__(128) unsigned char memory[];
  const int n = blockIdx.x;
  const int L = (int)length;
  if (in_c != C || out_c != C || L > 208) {
    const __half* xs = x + (int64_t)n * in_c * length;
    __half* ys = y + (int64_t)n * out_c * length;
    for (int64_t i = threadIdx.x; i < out_c * length; i += blockDim.x) {
      const int64_t o = i / length, t = i % length;
      float sum = __half2float(b[o]);
      for (int64_t c = 0; c < in_c; ++c)
        for (int k = 0; k < 3; ++k) {
          const int64_t at = t + k - 1;
          if (at >= 0 && at < length)
            sum += __half2float(w[(o * in_c + c) * 3 + k]) * __half2float(xs[c * length + at]);
        }
      ys[i] = __float2half(sum);
    }
    return;
  }
  __half* ws = (__half*)memory;         // [3][96][LD]
  __half* xs = ws + 3 * C * LD;         // [210][LD], row t+1 holds x[.][t]
  float* stage = (float*)(xs + 210 * LD);
  for (int i = threadIdx.x; i < 3 * C * C; i += blockDim.x) {
    const int o = i / (3 * C), r = i % (3 * C), c = r / 3, k = r % 3;
    ws[(k * C + o) * LD + c] = w[i];
  }
  const __half* src = x + (int64_t)n * C * L;
  for (int i = threadIdx.x; i < C * L; i += blockDim.x) {
    const int c = i / L, t = i % L;
    xs[(t + 1) * LD + c] = src[i];
  }
  for (int i = threadIdx.x; i < (210 - L) * C; i += blockDim.x) {
    const int r = i / C, c = i % C;
    xs[(r == 0 ? 0 : L + r) * LD + c] = __float2half(0.0f);
  }
  __syncthreads();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int t0 = warp * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[6];
  for (int m = 0; m < 6; ++m)
    wmma::fill_fragment(acc[m], 0.0f);
  for (int k = 0; k < 3; ++k)
    for (int c = 0; c < C; c += 16) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
      wmma::load_matrix_sync(fb, xs + (t0 + k) * LD + c, LD);
      for (int m = 0; m < 6; ++m) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
        wmma::load_matrix_sync(fa, ws + (k * C + m * 16) * LD + c, LD);
        wmma::mma_sync(acc[m], fa, fb, acc[m]);
      }
    }
  float* mine = stage + warp * 256;
  __half* dst = y + (int64_t)n * C * L;
  for (int m = 0; m < 6; ++m) {
    wmma::store_matrix_sync(mine, acc[m], 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) {
      const int o = m * 16 + i / 16, t = t0 + i % 16;
      if (t < L)
        dst[o * L + t] = __float2half(mine[i] + __half2float(b[o]));
    }
    __syncwarp();
  }
}
