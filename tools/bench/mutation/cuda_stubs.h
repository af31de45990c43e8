// Declarations that let libclang read CUDA C++ as C++ where no toolkit is installed. Nothing is compiled with them.
#pragma once
#include <stdint.h>
#include <math.h>
#include <string.h>
#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __forceinline__ inline
#define __noinline__
#define __restrict__
#define __align__(n)
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
struct mutant_dim {
  unsigned x, y, z;
};
extern mutant_dim threadIdx, blockIdx, blockDim, gridDim;
extern int warpSize;
#define MUTANT_VECTOR(type, name) \
  struct name##2 { type x, y; }; \
  struct name##3 { type x, y, z; }; \
  struct name##4 { type x, y, z, w; }; \
  name##2 make_##name##2(type, type); \
  name##4 make_##name##4(type, type, type, type);
MUTANT_VECTOR(float, float)
MUTANT_VECTOR(int, int)
MUTANT_VECTOR(unsigned, uint)
MUTANT_VECTOR(double, double)
MUTANT_VECTOR(long long, longlong)
struct __half {
  __half();
  __half(float);
  operator float() const;
};
typedef __half half;
struct __half2 {
  __half x, y;
};
typedef __half2 half2;
struct __nv_bfloat16 {
  __nv_bfloat16();
  __nv_bfloat16(float);
  operator float() const;
};
float __half2float(__half);
__half __float2half(float);
__half __float2half_rn(float);
float2 __half22float2(__half2);
__half2 __floats2half2_rn(float, float);
__half2 __float22half2_rn(float2);
__half2 __hmax2(__half2, __half2);
__half2 __hadd2(__half2, __half2);
__half2 __hmul2(__half2, __half2);
__half2 __hfma2(__half2, __half2, __half2);
float __low2float(__half2);
float __high2float(__half2);
float __bfloat162float(__nv_bfloat16);
__nv_bfloat16 __float2bfloat16(float);
void __syncthreads();
int __syncthreads_or(int);
int __syncthreads_and(int);
void __syncwarp(unsigned = 0);
void __threadfence();
void __threadfence_block();
void __trap();
template <class T> T __shfl_xor_sync(unsigned, T, int, int = 32);
template <class T> T __shfl_down_sync(unsigned, T, int, int = 32);
template <class T> T __shfl_up_sync(unsigned, T, int, int = 32);
template <class T> T __shfl_sync(unsigned, T, int, int = 32);
unsigned __ballot_sync(unsigned, int);
int __popc(unsigned);
int __ffs(int);
int __clz(int);
template <class T> T atomicAdd(T *, T);
template <class T> T atomicMax(T *, T);
template <class T> T atomicCAS(T *, T, T);
template <class T> T __ldg(const T *);
template <class T> void __stcs(T *, T);
template <class T> T __ldcs(const T *);
template <class A, class B> auto min(A a, B b) { return a < b ? a : b; }
template <class A, class B> auto max(A a, B b) { return a > b ? a : b; }
float __expf(float);
float __fdividef(float, float);
float rsqrtf(float);
float __frcp_rn(float);
float __fsqrt_rn(float);
int __float_as_int(float);
unsigned __float_as_uint(float);
float __int_as_float(int);
float __uint_as_float(unsigned);
unsigned __cvta_generic_to_shared(const void *);
long long clock64();
int printf(const char *, ...);
void *malloc(unsigned long);
void free(void *);
namespace cooperative_groups {
struct grid_group {
  void sync();
};
struct cluster_group {
  void sync();
  unsigned block_rank();
  template <class T> T *map_shared_rank(T *, unsigned);
};
grid_group this_grid();
cluster_group this_cluster();
} // namespace cooperative_groups
