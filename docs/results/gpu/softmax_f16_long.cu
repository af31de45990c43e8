/* launch plan
[sizes]
rpb = "4 - 3*min(1, (cols - 1) / 1024)"
odd = "min(1, cols - 8*(cols/8))"
long = "max(min(1, cols/4097), odd*min(1, (cols - 1)/1024))"
clu = "1 + long*(max(1, min(8, min(cols/2048, ceildiv(264, rows)))) - 1)"

[[kernel]]
name = "softmax"
grid = ["long*rows*clu + (1 - long)*ceildiv(rows, rpb)"]
block = ["128 + 256*long"]
cluster = ["clu"]
arguments = ["x", "y", "rows", "cols", { type = "i64", value = "long" }]
*/
#include <cuda_fp16.h>
#include <stdint.h>

#define LOG2E_F 1.4426950408889634f

//<dev>
__device__ __forceinline__ float ex2_fast(float a) {
    float r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
//</dev>

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

// Rows of more than 4096 columns, or of more than 1024 that are no multiple of 8: a cluster of blocks for each row.
//<dev>
__device__ __forceinline__ unsigned cluster_rank() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ __forceinline__ unsigned cluster_size() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
    return r;
}
__device__ __forceinline__ void cluster_arrive() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ void store_remote(float2 *p, unsigned rank, float2 v) {
    uint32_t a = (uint32_t)__cvta_generic_to_shared(p), r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(rank));
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" :: "r"(r), "f"(v.x), "f"(v.y) : "memory");
}
//</dev>

#define LT 384
#define LV 4

__device__ __forceinline__ float vec_max(uint4 v) {
    __half2 m = __hmax2(__hmax2(u_to_h2(v.x), u_to_h2(v.y)), __hmax2(u_to_h2(v.z), u_to_h2(v.w)));
    float2 f = __half22float2(m);
    return fmaxf(f.x, f.y);
}

__device__ __forceinline__ float vec_sum(uint4 v, float c) {
    float2 a = h2_to_f2(v.x), b = h2_to_f2(v.y), d = h2_to_f2(v.z), e = h2_to_f2(v.w);
    float s0 = ex2_fast(fmaf(a.x, LOG2E_F, -c)) + ex2_fast(fmaf(a.y, LOG2E_F, -c));
    float s1 = ex2_fast(fmaf(b.x, LOG2E_F, -c)) + ex2_fast(fmaf(b.y, LOG2E_F, -c));
    float s2 = ex2_fast(fmaf(d.x, LOG2E_F, -c)) + ex2_fast(fmaf(d.y, LOG2E_F, -c));
    float s3 = ex2_fast(fmaf(e.x, LOG2E_F, -c)) + ex2_fast(fmaf(e.y, LOG2E_F, -c));
    return (s0 + s1) + (s2 + s3);
}

__device__ __forceinline__ uint32_t pair_out(uint32_t w, float c, float inv) {
    float2 f = h2_to_f2(w);
    return f2_to_u(ex2_fast(fmaf(f.x, LOG2E_F, -c)) * inv, ex2_fast(fmaf(f.y, LOG2E_F, -c)) * inv);
}

__device__ __forceinline__ void vec_out(__half *yp, bool aligned, uint4 v, float c, float inv) {
    uint4 o;
    o.x = pair_out(v.x, c, inv);
    o.y = pair_out(v.y, c, inv);
    o.z = pair_out(v.z, c, inv);
    o.w = pair_out(v.w, c, inv);
    if (aligned) {
        *reinterpret_cast<uint4 *>(yp) = o;
    } else {
        const uint32_t u[4] = {o.x, o.y, o.z, o.w};
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            yp[2 * j] = __low2half(u_to_h2(u[j]));
            yp[2 * j + 1] = __high2half(u_to_h2(u[j]));
        }
    }
}

__device__ __forceinline__ void row_long(const __half *__restrict__ x, __half *__restrict__ y, int64_t cols) {
    __shared__ float2 wred[LT / 32];
    __shared__ float2 all[8];
    const int tid = threadIdx.x;
    const unsigned rank = cluster_rank(), size = cluster_size();
    if (size > 1) cluster_arrive();

    const int64_t row = (int64_t)(blockIdx.x / size);
    const __half *xr = x + row * cols;
    __half *yr = y + row * cols;
    int64_t head = (int64_t)((0 - (reinterpret_cast<uintptr_t>(xr) >> 1)) & 7);
    if (head > cols) head = cols;
    const int64_t nv = (cols - head) >> 3;
    const int64_t v0 = nv * rank / size, v1 = nv * (rank + 1) / size;
    const uint4 *xv = reinterpret_cast<const uint4 *>(xr + head);
    __half *yv = yr + head;
    const bool aligned = (reinterpret_cast<uintptr_t>(yv) & 15) == 0;

    // the elements before the first and behind the last vector, one a thread
    int64_t extra = -1;
    if (rank == 0 && tid < 8) extra = tid < head ? tid : -1;
    if (rank + 1 == size && tid >= 32 && tid < 40) {
        int64_t i = head + nv * 8 + (tid - 32);
        extra = i < cols ? i : -1;
    }

    uint4 w[LV];
    const uint4 none = make_uint4(0xFC00FC00u, 0xFC00FC00u, 0xFC00FC00u, 0xFC00FC00u);   // -inf
#pragma unroll
    for (int k = 0; k < LV; ++k) {
        int64_t i = v0 + tid + k * LT;
        w[k] = none;
        if (i < v1) w[k] = __ldg(xv + i);
    }
    float ex = -65504.f;
    if (extra >= 0) ex = __half2float(xr[extra]);

    float m = ex;
#pragma unroll
    for (int k = 0; k < LV; ++k) m = fmaxf(m, vec_max(w[k]));
    float c = m * LOG2E_F;
    float s = extra >= 0 ? ex2_fast(fmaf(ex, LOG2E_F, -c)) : 0.f;
#pragma unroll
    for (int k = 0; k < LV; ++k) s += vec_sum(w[k], c);
#pragma unroll 1
    for (int64_t i = v0 + tid + LV * LT; i < v1; i += LT) {
        uint4 v = __ldg(xv + i);
        float n = fmaxf(m, vec_max(v));
        if (n > m) {
            float cn = n * LOG2E_F;
            s *= ex2_fast(c - cn);
            c = cn;
            m = n;
        }
        s += vec_sum(v, c);
    }

    float C = warp_max(c);
    float S = warp_sum(s * ex2_fast(c - C));
    if ((tid & 31) == 0) wred[tid >> 5] = make_float2(C, S);
    __syncthreads();
    if (size > 1) cluster_wait();            // every block of the cluster has begun
    if (tid < 32) {
        float2 r = tid < LT / 32 ? wred[tid] : make_float2(-3.0e38f, 0.f);
        C = warp_max(r.x);
        S = warp_sum(r.y * ex2_fast(r.x - C));
        if (size > 1) {
            if (tid < (int)size) store_remote(all + rank, tid, make_float2(C, S));
        } else if (tid == 0) {
            all[0] = make_float2(C, S);
        }
    }
    if (size > 1) {
        __syncwarp();
        cluster_arrive();
        cluster_wait();
    } else {
        __syncthreads();
    }
    C = all[0].x;
    for (unsigned k = 1; k < size; ++k) C = fmaxf(C, all[k].x);
    S = 0.f;
    for (unsigned k = 0; k < size; ++k) S += all[k].y * ex2_fast(all[k].x - C);
    const float inv = 1.0f / S;

#pragma unroll
    for (int k = 0; k < LV; ++k) {
        int64_t i = v0 + tid + k * LT;
        if (i < v1) vec_out(yv + i * 8, aligned, w[k], C, inv);
    }
    if (extra >= 0) yr[extra] = __float2half_rn(ex2_fast(fmaf(ex, LOG2E_F, -C)) * inv);
#pragma unroll 1
    for (int64_t i = v0 + tid + LV * LT; i < v1; i += LT)
        vec_out(yv + i * 8, aligned, __ldg(xv + i), C, inv);
}

extern "C" __global__ void __launch_bounds__(384, 3)
softmax(const __half *__restrict__ x, __half *__restrict__ y, int64_t rows, int64_t cols, int64_t split) {
    if (split) {
        row_long(x, y, cols);
        return;
    }
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
