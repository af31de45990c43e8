/* launch plan
[sizes]
is_1024 = "1 - min(1, max(cols, 1024) - min(cols, 1024))"
is_4096 = "1 - min(1, max(cols, 4096) - min(cols, 4096))"
fast = "is_1024 + is_4096"
clu = "1 + (1 - fast)*(max(1, min(8, min(cols/1024, ceildiv(264, rows)))) - 1)"
threads = "min(512, 32*max(1, ceildiv(cols, 256*clu)))"

[[kernel]]
name = "layernorm_rows"
grid = ["fast*min(rows, 660) + (1 - fast)*rows*clu"]
block = ["fast*128 + (1 - fast)*threads"]
cluster = ["clu"]
arguments = ["x", "weight", "bias", "y", "rows", "cols", "eps"]
*/
#include <stdint.h>
#include <cuda_fp16.h>

#define STAGES 4
#define CHUNK_BYTES 2048
#define WARPS 4

__device__ __forceinline__ uint32_t smem_addr(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void bar_init(uint32_t bar, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(count) : "memory");
}

__device__ __forceinline__ void bar_wait(uint32_t bar, uint32_t parity)
{
    uint32_t ok;
    do {
        asm volatile(
            "{\n"
            " .reg .pred p;\n"
            " mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            " selp.u32 %0, 1, 0, p;\n"
            "}\n"
            : "=r"(ok) : "r"(bar), "r"(parity) : "memory");
    } while (!ok);
}

__device__ __forceinline__ void load_chunk(uint32_t dst, const void *src, uint32_t bar, uint64_t policy)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(bar), "r"((uint32_t)CHUNK_BYTES) : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;"
        :: "r"(dst), "l"(src), "r"((uint32_t)CHUNK_BYTES), "r"(bar), "l"(policy) : "memory");
}

__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

__device__ __forceinline__ float2 unpack(uint32_t u)
{
    __half2 h = *reinterpret_cast<__half2 *>(&u);
    return __half22float2(h);
}

__device__ __forceinline__ uint32_t pack(float a, float b)
{
    __half2 h = __floats2half2_rn(a, b);
    return *reinterpret_cast<uint32_t *>(&h);
}

// A row is G chunks of 1024 elements; every warp owns one chunk at a time.
// G == 1: a warp is a row.  G == 4: the block's four warps are a row.
template <int G>
__device__ __forceinline__ void fast_rows(const __half *__restrict__ x, const __half *__restrict__ weight,
                                          const __half *__restrict__ bias, __half *__restrict__ y,
                                          long long rows, float eps,
                                          const unsigned char *ring, uint64_t *bars, float2 (*red)[WARPS])
{
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const long long chunks = rows * G;
    const long long stride = (long long)gridDim.x * WARPS;
    const long long first = (long long)blockIdx.x * WARPS + warp;
    const char *xb = reinterpret_cast<const char *>(x);

    const unsigned char *my_ring = ring + warp * (STAGES * CHUNK_BYTES);
    const uint32_t ring_s = smem_addr(my_ring);
    const uint32_t bar_s = smem_addr(bars + warp * STAGES);

    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));

    if (lane == 0) {
#pragma unroll
        for (int s = 0; s < STAGES; s++) bar_init(bar_s + s * 8, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#pragma unroll
        for (int s = 0; s < STAGES; s++) {
            const long long c = first + s * stride;
            if (c < chunks)
                load_chunk(ring_s + s * CHUNK_BYTES, xb + c * CHUNK_BYTES, bar_s + s * 8, policy);
        }
    }
    __syncwarp();

    // weight and bias of this lane's columns, packed, for all rows
    uint4 wv[4], bv[4];
    {
        const int base = (G == 1) ? 0 : warp * 128;
        const uint4 *wp = reinterpret_cast<const uint4 *>(weight) + base + lane;
        const uint4 *bp = reinterpret_cast<const uint4 *>(bias) + base + lane;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            wv[j] = __ldg(wp + j * 32);
            bv[j] = __ldg(bp + j * 32);
        }
    }

    uint32_t stage = 0, parity = 0;
    int buf = 0;

#pragma unroll 1
    for (long long c = first; c < chunks; c += stride) {
        // keep the packed form in registers: do not hoist the conversions out of the loop
#pragma unroll
        for (int j = 0; j < 4; j++) {
            asm volatile("" : "+r"(wv[j].x), "+r"(wv[j].y), "+r"(wv[j].z), "+r"(wv[j].w));
            asm volatile("" : "+r"(bv[j].x), "+r"(bv[j].y), "+r"(bv[j].z), "+r"(bv[j].w));
        }

        bar_wait(bar_s + stage * 8, parity);

        float f[32];
        {
            const uint4 *sp = reinterpret_cast<const uint4 *>(my_ring + stage * CHUNK_BYTES) + lane;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const uint4 v = sp[j * 32];
                float2 t;
                t = unpack(v.x); f[8 * j + 0] = t.x; f[8 * j + 1] = t.y;
                t = unpack(v.y); f[8 * j + 2] = t.x; f[8 * j + 3] = t.y;
                t = unpack(v.z); f[8 * j + 4] = t.x; f[8 * j + 5] = t.y;
                t = unpack(v.w); f[8 * j + 6] = t.x; f[8 * j + 7] = t.y;
            }
        }

        // Pairwise sum of the chunk.  Sums of 1024 halves that are close to each other
        // are exact in float, and so is the division by 1024.
        float p[8];
#pragma unroll
        for (int k = 0; k < 8; k++) p[k] = (f[k] + f[k + 8]) + (f[k + 16] + f[k + 24]);
        float s = ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
        const float m = warp_sum(s) * (1.0f / 1024.0f);

        // every lane has read its part of the stage: refill it
        __syncwarp();
        if (lane == 0) {
            const long long n = c + STAGES * stride;
            if (n < chunks)
                load_chunk(ring_s + stage * CHUNK_BYTES, xb + n * CHUNK_BYTES, bar_s + stage * 8, policy);
        }
        stage++;
        if (stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }

        float q[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
        for (int i = 0; i < 32; i++) {
            f[i] -= m;
            q[i & 3] = fmaf(f[i], f[i], q[i & 3]);
        }
        const float m2 = warp_sum((q[0] + q[1]) + (q[2] + q[3]));

        float rs, sh;
        if (G == 1) {
            rs = rsqrtf(fmaf(m2, 1.0f / 1024.0f, eps));
            sh = 0.0f;
        } else {
            if (lane == 0) red[buf][warp] = make_float2(m, m2);
            __syncthreads();
            const float2 r0 = red[buf][0];
            const float2 r1 = red[buf][1];
            const float2 r2 = red[buf][2];
            const float2 r3 = red[buf][3];
            buf ^= 1;
            const float d1 = r1.x - r0.x;
            const float d2 = r2.x - r0.x;
            const float d3 = r3.x - r0.x;
            const float mr = (d1 + (d2 + d3)) * 0.25f;   // row mean less r0.x
            const float e1 = d1 - mr;
            const float e2 = d2 - mr;
            const float e3 = d3 - mr;
            const float between = (mr * mr + e1 * e1) + (e2 * e2 + e3 * e3);
            const float within = (r0.y + r1.y) + (r2.y + r3.y);
            const float var = (within + 1024.0f * between) * (1.0f / 4096.0f);
            rs = rsqrtf(var + eps);
            sh = ((m - r0.x) - mr) * rs;                 // (chunk mean - row mean) * rs
        }

        uint4 *yp = reinterpret_cast<uint4 *>(y) + c * (CHUNK_BYTES / 16) + lane;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const uint32_t wu[4] = {wv[j].x, wv[j].y, wv[j].z, wv[j].w};
            const uint32_t bu[4] = {bv[j].x, bv[j].y, bv[j].z, bv[j].w};
            uint32_t o[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const float2 wf = unpack(wu[k]);
                const float2 bf = unpack(bu[k]);
                float t0, t1;
                if (G == 1) {
                    t0 = f[8 * j + 2 * k] * rs;
                    t1 = f[8 * j + 2 * k + 1] * rs;
                } else {
                    t0 = fmaf(f[8 * j + 2 * k], rs, sh);
                    t1 = fmaf(f[8 * j + 2 * k + 1], rs, sh);
                }
                o[k] = pack(fmaf(t0, wf.x, bf.x), fmaf(t1, wf.y, bf.y));
            }
            yp[j * 32] = make_uint4(o[0], o[1], o[2], o[3]);
        }
    }
}

// Any other width: a cluster of blocks (of one, if there are rows enough) for each row.
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
__device__ __forceinline__ void store_remote4(float4 *p, unsigned rank, float4 v) {
    uint32_t a = (uint32_t)__cvta_generic_to_shared(p), r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(rank));
    asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};"
                 :: "r"(r), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}
//</dev>

// Sums of two values over the block, in a fixed order; every thread gets them.
__device__ __forceinline__ float2 block_sum2(float a, float b, float2 *slot)
{
    a = warp_sum(a);
    b = warp_sum(b);
    const int warps = blockDim.x >> 5;
    if (warps == 1) return make_float2(a, b);
    if ((threadIdx.x & 31) == 0) slot[threadIdx.x >> 5] = make_float2(a, b);
    __syncthreads();
    const int lane = threadIdx.x & 31;
    float2 r = lane < warps ? slot[lane] : make_float2(0.f, 0.f);
    return make_float2(warp_sum(r.x), warp_sum(r.y));
}

__device__ __forceinline__ uint4 load_eight(const __half *__restrict__ p, bool aligned)
{
    if (aligned) return __ldg(reinterpret_cast<const uint4 *>(p));
    uint32_t u[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const uint32_t a = __half_as_ushort(__ldg(p + 2 * j)), b = __half_as_ushort(__ldg(p + 2 * j + 1));
        u[j] = a | (b << 16);
    }
    return make_uint4(u[0], u[1], u[2], u[3]);
}

__device__ __forceinline__ float sum_eight(uint4 v)
{
    const float2 a = unpack(v.x), b = unpack(v.y), c = unpack(v.z), d = unpack(v.w);
    return ((a.x + a.y) + (b.x + b.y)) + ((c.x + c.y) + (d.x + d.y));
}

__device__ __forceinline__ void centred(uint4 v, float m, float &s, float &q)
{
    const uint32_t u[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const float2 f = unpack(u[j]);
        const float a = f.x - m, b = f.y - m;
        s += a + b;
        q = fmaf(a, a, fmaf(b, b, q));
    }
}

__device__ __forceinline__ void out_eight(__half *yp, bool aligned, uint4 v, uint4 w, uint4 b, float m, float off, float rs)
{
    const uint32_t vu[4] = {v.x, v.y, v.z, v.w}, wu[4] = {w.x, w.y, w.z, w.w}, bu[4] = {b.x, b.y, b.z, b.w};
    uint32_t o[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const float2 f = unpack(vu[j]), wf = unpack(wu[j]), bf = unpack(bu[j]);
        o[j] = pack(fmaf(((f.x - m) - off) * rs, wf.x, bf.x), fmaf(((f.y - m) - off) * rs, wf.y, bf.y));
    }
    if (aligned) {
        *reinterpret_cast<uint4 *>(yp) = make_uint4(o[0], o[1], o[2], o[3]);
    } else {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            yp[2 * j] = __ushort_as_half((unsigned short)(o[j] & 0xffffu));
            yp[2 * j + 1] = __ushort_as_half((unsigned short)(o[j] >> 16));
        }
    }
}

#define LV 2

__device__ __forceinline__ void any_row(const __half *__restrict__ x, const __half *__restrict__ weight,
                                        const __half *__restrict__ bias, __half *__restrict__ y,
                                        long long cols, float eps)
{
    __shared__ float2 slot[2][16];
    __shared__ __align__(16) float4 all[8];
    const int tid = threadIdx.x;
    const int nt = blockDim.x;
    const unsigned rank = cluster_rank(), size = cluster_size();
    if (size > 1) cluster_arrive();

    const long long row = blockIdx.x / size;
    const __half *xr = x + row * cols;
    __half *yr = y + row * cols;
    long long head = (long long)((0 - (reinterpret_cast<uintptr_t>(xr) >> 1)) & 7);
    if (head > cols) head = cols;
    const long long nv = (cols - head) >> 3;
    const long long v0 = nv * rank / size, v1 = nv * (rank + 1) / size;
    const uint4 *xv = reinterpret_cast<const uint4 *>(xr + head);
    const bool ya = (reinterpret_cast<uintptr_t>(yr + head) & 15) == 0;
    const bool wa = ((reinterpret_cast<uintptr_t>(weight + head) | reinterpret_cast<uintptr_t>(bias + head)) & 15) == 0;

    // the elements before the first and behind the last vector, one a thread
    long long extra = -1;
    long long count = (v1 - v0) * 8;
    if (rank == 0) {
        count += head;
        if (tid < head) extra = tid;
    }
    if (rank + 1 == size) {
        const long long from = head + nv * 8;
        count += cols - from;
        if (tid >= 16 && tid < 24 && from + (tid - 16) < cols) extra = from + (tid - 16);
    }

    uint4 v[LV], w[LV], b[LV];
#pragma unroll
    for (int k = 0; k < LV; ++k) {
        const long long i = v0 + tid + (long long)k * nt;
        v[k] = make_uint4(0u, 0u, 0u, 0u);
        if (i < v1) v[k] = __ldg(xv + i);
    }
    float ex = 0.f, ew = 0.f, eb = 0.f;
    if (extra >= 0) {
        ex = __half2float(__ldg(xr + extra));
        ew = __half2float(__ldg(weight + extra));
        eb = __half2float(__ldg(bias + extra));
    }
#pragma unroll
    for (int k = 0; k < LV; ++k) {
        const long long i = v0 + tid + (long long)k * nt;
        w[k] = b[k] = make_uint4(0u, 0u, 0u, 0u);
        if (i < v1) {
            w[k] = load_eight(weight + head + i * 8, wa);
            b[k] = load_eight(bias + head + i * 8, wa);
        }
    }

    // near the mean of this block's part
    float s = ex;
#pragma unroll
    for (int k = 0; k < LV; ++k) s += sum_eight(v[k]);
#pragma unroll 1
    for (long long i = v0 + tid + (long long)LV * nt; i < v1; i += nt) s += sum_eight(__ldg(xv + i));
    const float n = (float)count;
    const float per = count > 0 ? 1.0f / n : 0.f;
    const float m = block_sum2(s, 0.f, slot[0]).x * per;

    // differences to it: their sum mends what it lacks
    float d = 0.f, q = 0.f;
    if (extra >= 0) {
        d = ex - m;
        q = d * d;
    }
#pragma unroll
    for (int k = 0; k < LV; ++k)
        if (v0 + tid + (long long)k * nt < v1) centred(v[k], m, d, q);
#pragma unroll 1
    for (long long i = v0 + tid + (long long)LV * nt; i < v1; i += nt) centred(__ldg(xv + i), m, d, q);
    const float2 t = block_sum2(d, q, slot[1]);

    float off, var;
    if (size > 1) {
        cluster_wait();                      // every block of the cluster has begun
        if (tid < (int)size) store_remote4(all + rank, tid, make_float4(n, m, t.x, t.y));
        __syncwarp();
        cluster_arrive();
        cluster_wait();
        const float m0 = all[0].y, inv = 1.0f / (float)cols;
        float delta = 0.f;
        for (unsigned k = 0; k < size; ++k) delta += fmaf(all[k].x, all[k].y - m0, all[k].z);
        delta *= inv;                        // the row's mean less m0
        float m2 = 0.f;
        for (unsigned k = 0; k < size; ++k) {
            // sum of (x - mean)^2 = q + 2 e d + n e^2, e = m_k - mean
            const float e = (all[k].y - m0) - delta;
            m2 += all[k].w + e * fmaf(all[k].x, e, 2.0f * all[k].z);
        }
        off = delta - (m - m0);
        var = m2 * inv;
    } else {
        off = t.x * per;
        var = fmaf(-off, off, t.y * per);
    }
    const float rs = rsqrtf(fmaxf(var, 0.f) + eps);

#pragma unroll
    for (int k = 0; k < LV; ++k) {
        const long long i = v0 + tid + (long long)k * nt;
        if (i < v1) out_eight(yr + head + i * 8, ya, v[k], w[k], b[k], m, off, rs);
    }
    if (extra >= 0) yr[extra] = __float2half_rn(fmaf(((ex - m) - off) * rs, ew, eb));
#pragma unroll 1
    for (long long i = v0 + tid + (long long)LV * nt; i < v1; i += nt)
        out_eight(yr + head + i * 8, ya, __ldg(xv + i), load_eight(weight + head + i * 8, wa),
                  load_eight(bias + head + i * 8, wa), m, off, rs);
}

extern "C" __global__ void __launch_bounds__(640, 1)
layernorm_rows(const __half *__restrict__ x, const __half *__restrict__ weight,
               const __half *__restrict__ bias, __half *__restrict__ y,
               int64_t rows, int64_t cols, float eps)
{
    __shared__ __align__(128) unsigned char ring[WARPS * STAGES * CHUNK_BYTES];
    __shared__ __align__(16) uint64_t bars[WARPS * STAGES];
    __shared__ __align__(16) float2 red[2][WARPS];

    if (cols == 1024) {
        fast_rows<1>(x, weight, bias, y, (long long)rows, eps, ring, bars, red);
    } else if (cols == 4096) {
        fast_rows<4>(x, weight, bias, y, (long long)rows, eps, ring, bars, red);
    } else {
        any_row(x, weight, bias, y, (long long)cols, eps);
    }
}
