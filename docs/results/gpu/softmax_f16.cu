/* launch plan
[sizes]
rpb = "4 - 3*min(1, (cols - 1) / 1024)"

[[kernel]]
name = "softmax"
grid = ["ceildiv(rows, rpb)"]
block = [128]
arguments = ["x", "y", "rows", "cols"]
*/
#include <cuda_fp16.h>
#include <stdint.h>

#define LOG2E_F 1.4426950408889634f

__device__ __forceinline__ float ex2_fast(float a) {
    float r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}

__device__ __forceinline__ float2 h2_to_f2(uint32_t w) {
    __half2 h = *reinterpret_cast<__half2*>(&w);
    return __half22float2(h);
}

__device__ __forceinline__ __half2 u_to_h2(uint32_t w) {
    return *reinterpret_cast<__half2*>(&w);
}

__device__ __forceinline__ uint32_t f2_to_u(float a, float b) {
    __half2 h = __floats2half2_rn(a, b);
    return *reinterpret_cast<uint32_t*>(&h);
}

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// One row by G threads, four 16-byte vectors each; vectors k >= FG may lie
// past the end of the row (nvec vectors) and are guarded.
template <int G, int FG>
__device__ __forceinline__ void row_vec(const __half *xr, __half *yr,
                                        int nvec, int t, float2 *red) {
    uint64_t pol;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(pol));

    const uint4 *xv = reinterpret_cast<const uint4 *>(xr);
    uint32_t w[16];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        int i = t + k * G;
        if (k >= FG) i = min(i, nvec - 1);
        asm volatile(
            "ld.global.L1::no_allocate.L2::cache_hint.v4.b32 {%0,%1,%2,%3}, [%4], %5;"
            : "=r"(w[4 * k]), "=r"(w[4 * k + 1]), "=r"(w[4 * k + 2]), "=r"(w[4 * k + 3])
            : "l"(xv + i), "l"(pol));
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        if (k >= FG) {
            bool out = (t + k * G) >= nvec;
#pragma unroll
            for (int j = 0; j < 4; ++j)
                w[4 * k + j] = out ? 0xFC00FC00u : w[4 * k + j];   // -inf
        }
    }

    // lane maximum, floored at the lowest finite half
    __half2 mm[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) mm[j] = u_to_h2(0xFBFFFBFFu);
#pragma unroll
    for (int j = 0; j < 16; ++j) mm[j & 3] = __hmax2(mm[j & 3], u_to_h2(w[j]));
    __half2 m2 = __hmax2(__hmax2(mm[0], mm[1]), __hmax2(mm[2], mm[3]));
    float2 mf = __half22float2(m2);
    // rounding of c is common to the lane and cancels in the normalisation
    float c = fmaxf(mf.x, mf.y) * LOG2E_F;

    float cw = warp_max(c);

    float e[32];
    float s[4] = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
    for (int j = 0; j < 16; ++j) {
        float2 f = h2_to_f2(w[j]);
        float a = ex2_fast(fmaf(f.x, LOG2E_F, -c));
        float b = ex2_fast(fmaf(f.y, LOG2E_F, -c));
        e[2 * j] = a;
        e[2 * j + 1] = b;
        s[(2 * j) & 3] += a;
        s[(2 * j + 1) & 3] += b;
    }
    float sum = ((s[0] + s[1]) + (s[2] + s[3])) * ex2_fast(c - cw);
    sum = warp_sum(sum);

    float scale;
    if (G == 32) {
        scale = __fdividef(ex2_fast(c - cw), sum);
    } else {
        if ((t & 31) == 0) red[t >> 5] = make_float2(cw, sum);
        __syncthreads();
        float2 r0 = red[0], r1 = red[1], r2 = red[2], r3 = red[3];
        float C = fmaxf(fmaxf(r0.x, r1.x), fmaxf(r2.x, r3.x));
        float S = (r0.y * ex2_fast(r0.x - C) + r1.y * ex2_fast(r1.x - C)) +
                  (r2.y * ex2_fast(r2.x - C) + r3.y * ex2_fast(r3.x - C));
        scale = __fdividef(ex2_fast(c - C), S);
    }

    uint4 *yv = reinterpret_cast<uint4 *>(yr);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        uint4 o;
        o.x = f2_to_u(e[8 * k + 0] * scale, e[8 * k + 1] * scale);
        o.y = f2_to_u(e[8 * k + 2] * scale, e[8 * k + 3] * scale);
        o.z = f2_to_u(e[8 * k + 4] * scale, e[8 * k + 5] * scale);
        o.w = f2_to_u(e[8 * k + 6] * scale, e[8 * k + 7] * scale);
        int i = t + k * G;
        if (k < FG || i < nvec) yv[i] = o;
    }
}

// Any other row: three passes, scalar. BLK: the whole block shares the row.
template <int G>
__device__ __forceinline__ void row_any(const __half *xr, __half *yr,
                                        int64_t cols, int t, float2 *red) {
    float m = -65504.f;
    for (int64_t i = t; i < cols; i += G) m = fmaxf(m, __half2float(xr[i]));
    m = warp_max(m);
    if (G > 32) {
        if ((t & 31) == 0) red[t >> 5].x = m;
        __syncthreads();
        m = fmaxf(fmaxf(red[0].x, red[1].x), fmaxf(red[2].x, red[3].x));
    }
    float c = m * LOG2E_F;
    float s = 0.f;
    for (int64_t i = t; i < cols; i += G)
        s += ex2_fast(fmaf(__half2float(xr[i]), LOG2E_F, -c));
    s = warp_sum(s);
    if (G > 32) {
        if ((t & 31) == 0) red[t >> 5].y = s;
        __syncthreads();
        s = (red[0].y + red[1].y) + (red[2].y + red[3].y);
    }
    float inv = 1.0f / s;
    for (int64_t i = t; i < cols; i += G)
        yr[i] = __float2half_rn(ex2_fast(fmaf(__half2float(xr[i]), LOG2E_F, -c)) * inv);
}

extern "C" __global__ void __launch_bounds__(128, 9)
softmax(const __half *__restrict__ x, __half *__restrict__ y, int64_t rows, int64_t cols) {
    __shared__ float2 red[4];
    const int tid = threadIdx.x;

    if (cols > 1024) {                       // a block for each row
        int64_t row = blockIdx.x;
        if (row >= rows) return;
        const __half *xr = x + row * cols;
        __half *yr = y + row * cols;
        if (cols == 4096) {
            row_vec<128, 4>(xr, yr, 512, tid, red);
        } else if (cols < 4096 && (cols & 7) == 0) {
            row_vec<128, 0>(xr, yr, (int)(cols >> 3), tid, red);
        } else {
            row_any<128>(xr, yr, cols, tid, red);
        }
    } else {                                 // a warp for each row
        int64_t row = (int64_t)blockIdx.x * 4 + (tid >> 5);
        if (row >= rows) return;
        const int lane = tid & 31;
        const __half *xr = x + row * cols;
        __half *yr = y + row * cols;
        int nvec = (int)(cols >> 3);
        if ((cols & 7) == 0) {
            if (nvec >= 96) row_vec<32, 3>(xr, yr, nvec, lane, red);
            else            row_vec<32, 0>(xr, yr, nvec, lane, red);
        } else {
            row_any<32>(xr, yr, cols, lane, red);
        }
    }
}
