/* launch plan
[sizes]
rpb = "4 - 3*min(1, (cols - 1) / 1024)"

[[kernel]]
name = "layernorm"
grid = ["ceildiv(rows, rpb)"]
block = [128]
arguments = ["x", "weight", "bias", "y", "rows", "cols", "eps"]
*/
#include <cuda_fp16.h>
#include <stdint.h>

struct Shared {
    float2 red[4];
    float2 slow_b[4];
    float slow_a[4];
};

__device__ __forceinline__ float2 h2_to_f2(uint32_t w) {
    __half2 h = *reinterpret_cast<__half2*>(&w);
    return __half22float2(h);
}

__device__ __forceinline__ uint32_t f2_to_u(float a, float b) {
    __half2 h = __floats2half2_rn(a, b);
    return *reinterpret_cast<uint32_t*>(&h);
}

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

// Any row, by G threads (a warp or the block of 128): pivoted, compensated,
// three passes.
template <int G>
__device__ __noinline__ void row_any(const __half *xr, const __half *wt,
                                     const __half *bs, __half *yr,
                                     int64_t cols, float eps, int t, Shared *sh) {
    const float p = __half2float(xr[0]);
    const float inv = 1.0f / (float)cols;
    float s = 0.f;
    for (int64_t i = t; i < cols; i += G) s += __half2float(xr[i]) - p;
    s = warp_sum(s);
    if (G > 32) {
        if ((t & 31) == 0) sh->slow_a[t >> 5] = s;
        __syncthreads();
        s = (sh->slow_a[0] + sh->slow_a[1]) + (sh->slow_a[2] + sh->slow_a[3]);
    }
    const float m1 = s * inv;
    float sd = 0.f, sq = 0.f;
    for (int64_t i = t; i < cols; i += G) {
        float d = (__half2float(xr[i]) - p) - m1;
        sd += d;
        sq = fmaf(d, d, sq);
    }
    sd = warp_sum(sd);
    sq = warp_sum(sq);
    if (G > 32) {
        if ((t & 31) == 0) sh->slow_b[t >> 5] = make_float2(sd, sq);
        __syncthreads();
        sd = (sh->slow_b[0].x + sh->slow_b[1].x) + (sh->slow_b[2].x + sh->slow_b[3].x);
        sq = (sh->slow_b[0].y + sh->slow_b[1].y) + (sh->slow_b[2].y + sh->slow_b[3].y);
    }
    const float m2 = sd * inv;
    const float var = fmaxf(fmaf(-m2, m2, sq * inv), 0.f);
    const float rstd = rsqrtf(var + eps);
    for (int64_t i = t; i < cols; i += G) {
        float d = ((__half2float(xr[i]) - p) - m1) - m2;
        yr[i] = __float2half_rn(fmaf(d * rstd, __half2float(wt[i]), __half2float(bs[i])));
    }
}

// One row by G threads, four 16-byte vectors each; vectors k >= FG may lie
// past the end of the row (nvec vectors) and are guarded. FG == 4: the row is
// exactly G * 32 columns.
template <int G, int FG>
__device__ __forceinline__ void row_vec(const __half *xr, const __half *wt,
                                        const __half *bs, __half *yr,
                                        int nvec, float eps, int t, Shared *sh) {
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
                w[4 * k + j] = out ? 0u : w[4 * k + j];
        }
    }

    float s[4] = {0.f, 0.f, 0.f, 0.f};
    float q[4] = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
    for (int j = 0; j < 16; ++j) {
        float2 f = h2_to_f2(w[j]);
        const int a = 2 * (j & 1);
        s[a] += f.x;
        q[a] = fmaf(f.x, f.x, q[a]);
        s[a + 1] += f.y;
        q[a + 1] = fmaf(f.y, f.y, q[a + 1]);
    }
    float sum = (s[0] + s[1]) + (s[2] + s[3]);
    float sq = (q[0] + q[1]) + (q[2] + q[3]);
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        float a = __shfl_xor_sync(0xffffffffu, sum, o);
        float b = __shfl_xor_sync(0xffffffffu, sq, o);
        sum += a;
        sq += b;
    }
    if (G > 32) {
        if ((t & 31) == 0) sh->red[t >> 5] = make_float2(sum, sq);
        __syncthreads();
        float2 r0 = sh->red[0], r1 = sh->red[1], r2 = sh->red[2], r3 = sh->red[3];
        sum = (r0.x + r1.x) + (r2.x + r3.x);
        sq = (r0.y + r1.y) + (r2.y + r3.y);
    }
    const float inv = (FG == 4) ? 1.0f / (float)(G * 32) : 1.0f / (float)(nvec * 8);
    const float mean = sum * inv;
    const float mean2 = mean * mean;
    const float var = fmaxf(fmaf(sq, inv, -mean2), 0.f);
    // The same for all threads of the row: too much cancels, do it with care.
    if (mean2 > 64.f * var) {
        row_any<G>(xr, wt, bs, yr, (int64_t)nvec * 8, eps, t, sh);
        return;
    }
    const float rstd = rsqrtf(var + eps);
    const float nm = -mean * rstd;

    // keep the packed halves, not their 32 conversions, over the reduction
#pragma unroll
    for (int j = 0; j < 16; ++j) asm volatile("" : "+r"(w[j]));

    const uint4 *wv = reinterpret_cast<const uint4 *>(wt);
    const uint4 *bv = reinterpret_cast<const uint4 *>(bs);
    uint4 *yv = reinterpret_cast<uint4 *>(yr);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        int i = t + k * G;
        if (k < FG || i < nvec) {
            uint4 gw = __ldg(wv + i);
            uint4 gb = __ldg(bv + i);
            uint32_t ww[4] = {gw.x, gw.y, gw.z, gw.w};
            uint32_t bb[4] = {gb.x, gb.y, gb.z, gb.w};
            uint32_t oo[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                float2 f = h2_to_f2(w[4 * k + j]);
                float2 a = h2_to_f2(ww[j]);
                float2 b = h2_to_f2(bb[j]);
                oo[j] = f2_to_u(fmaf(fmaf(f.x, rstd, nm), a.x, b.x),
                                fmaf(fmaf(f.y, rstd, nm), a.y, b.y));
            }
            yv[i] = make_uint4(oo[0], oo[1], oo[2], oo[3]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 10)
layernorm(const __half *__restrict__ x, const __half *__restrict__ weight,
          const __half *__restrict__ bias, __half *__restrict__ y,
          int64_t rows, int64_t cols, float eps) {
    __shared__ Shared sh;
    const int tid = threadIdx.x;

    if (cols > 1024) {                       // a block for each row
        int64_t row = blockIdx.x;
        if (row >= rows) return;
        const __half *xr = x + row * cols;
        __half *yr = y + row * cols;
        if (cols == 4096) {
            row_vec<128, 4>(xr, weight, bias, yr, 512, eps, tid, &sh);
        } else if (cols < 4096 && (cols & 7) == 0) {
            row_vec<128, 0>(xr, weight, bias, yr, (int)(cols >> 3), eps, tid, &sh);
        } else {
            row_any<128>(xr, weight, bias, yr, cols, eps, tid, &sh);
        }
    } else {                                 // a warp for each row
        int64_t row = (int64_t)blockIdx.x * 4 + (tid >> 5);
        if (row >= rows) return;
        const int lane = tid & 31;
        const __half *xr = x + row * cols;
        __half *yr = y + row * cols;
        if (cols == 1024) {
            row_vec<32, 4>(xr, weight, bias, yr, 128, eps, lane, &sh);
        } else if ((cols & 7) == 0) {
            row_vec<32, 0>(xr, weight, bias, yr, (int)(cols >> 3), eps, lane, &sh);
        } else {
            row_any<32>(xr, weight, bias, yr, cols, eps, lane, &sh);
        }
    }
}
