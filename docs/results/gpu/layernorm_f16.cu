/* launch plan
[[kernel]]
name = "layernorm_rows"
grid = ["min(rows, 660)"]
block = [128]
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

__device__ __forceinline__ double block_sum(double v, double *red)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = v;
    __syncthreads();
    const double r = (red[0] + red[1]) + (red[2] + red[3]);
    __syncthreads();
    return r;
}

extern "C" __global__ void __launch_bounds__(128, 5)
layernorm_rows(const __half *__restrict__ x, const __half *__restrict__ weight,
               const __half *__restrict__ bias, __half *__restrict__ y,
               int64_t rows, int64_t cols, float eps)
{
    __shared__ __align__(128) unsigned char ring[WARPS * STAGES * CHUNK_BYTES];
    __shared__ __align__(16) uint64_t bars[WARPS * STAGES];
    __shared__ __align__(16) float2 red[2][WARPS];
    __shared__ __align__(16) double dred[WARPS];

    if (cols == 1024) {
        fast_rows<1>(x, weight, bias, y, (long long)rows, eps, ring, bars, red);
    } else if (cols == 4096) {
        fast_rows<4>(x, weight, bias, y, (long long)rows, eps, ring, bars, red);
    } else {
        // any other width: a block per row, sums in double
        const long long n = (long long)cols;
        for (long long r = blockIdx.x; r < (long long)rows; r += gridDim.x) {
            const __half *xr = x + r * n;
            __half *yr = y + r * n;
            double s = 0.0;
            for (long long i = threadIdx.x; i < n; i += 128) s += (double)__half2float(xr[i]);
            const double mean = block_sum(s, dred) / (double)n;
            double q = 0.0;
            for (long long i = threadIdx.x; i < n; i += 128) {
                const double d = (double)__half2float(xr[i]) - mean;
                q += d * d;
            }
            const double var = block_sum(q, dred) / (double)n;
            const float rs = rsqrtf((float)(var + (double)eps));
            for (long long i = threadIdx.x; i < n; i += 128) {
                const float d = (float)((double)__half2float(xr[i]) - mean);
                yr[i] = __float2half_rn(fmaf(d * rs, __half2float(weight[i]), __half2float(bias[i])));
            }
        }
    }
}
