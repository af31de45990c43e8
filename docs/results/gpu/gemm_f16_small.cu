/* launch plan
[sizes]
tiles_m = "ceildiv(m, 64)"
tiles_n = "ceildiv(n, 64)"
splits = "max(1, min(min(8, ceildiv(k, 64)), 264/(tiles_m*tiles_n)))"

[[kernel]]
name = "gemm_small"
grid = ["tiles_n*splits", "tiles_m"]
block = [256]
cluster = ["splits", 1]
arguments = ["a", "b", "c", "m", "n", "k"]
*/
// Tiles of 64 by 64; the blocks of a cluster each take a part of k and add up through distributed shared memory.
// Rows need no alignment: eight halves come from one or two aligned vectors, shifted.
#include <cuda_fp16.h>
#include <stdint.h>

constexpr int TILE = 64, BK = 64, PITCH = 72, STAGE = TILE * PITCH;      // in halves
constexpr int SP = 68;                                                  // pitch of the sums, in floats

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
__device__ __forceinline__ float load_remote(const float *p, unsigned rank) {
    uint32_t a = (uint32_t)__cvta_generic_to_shared(p), r;
    float v;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(rank));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(r) : "memory");
    return v;
}
__device__ __forceinline__ void ldsm4(uint32_t (&v)[4], const void *p) {
    uint32_t a = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(a) : "memory");
}
__device__ __forceinline__ void ldsm4t(uint32_t (&v)[4], const void *p) {
    uint32_t a = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(a) : "memory");
}
__device__ __forceinline__ void mma16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
//</dev>

// Eight halves from p on, of which `valid` exist; what is behind them is 0. The vectors are shifted when they are used.
struct eight {
    uint4 lo, hi;
};

__device__ __forceinline__ uint32_t fetch(eight &e, const __half *__restrict__ p, int valid, const __half *begin, const __half *end) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(p);
    const uint32_t shift = (uint32_t)(at >> 1) & 7u;
    const uint4 *q = reinterpret_cast<const uint4 *>(at & ~(uintptr_t)15);
    e.lo = e.hi = make_uint4(0u, 0u, 0u, 0u);
    if (valid >= 8 && reinterpret_cast<const __half *>(q) >= begin &&
        reinterpret_cast<const __half *>(q + (shift ? 2 : 1)) <= end) {
        e.lo = __ldg(q);
        if (shift) e.hi = __ldg(q + 1);
        return shift;
    } else if (valid > 0) {
        // backwards, each half pushed in from below
        uint32_t u0 = 0u, u1 = 0u, u2 = 0u, u3 = 0u;
#pragma unroll 1
        for (int j = 7; j >= 0; --j) {
            u3 = (u3 << 16) | (u2 >> 16);
            u2 = (u2 << 16) | (u1 >> 16);
            u1 = (u1 << 16) | (u0 >> 16);
            u0 = u0 << 16;
            if (j < valid) u0 |= __half_as_ushort(__ldg(p + j));
        }
        e.lo = make_uint4(u0, u1, u2, u3);
    }
    return 0u;
}

__device__ __forceinline__ uint4 shifted(const eight &e, uint32_t shift) {
    uint32_t w[8] = {e.lo.x, e.lo.y, e.lo.z, e.lo.w, e.hi.x, e.hi.y, e.hi.z, e.hi.w};
    const bool four = shift & 4u, two = shift & 2u;
#pragma unroll
    for (int j = 0; j < 6; ++j) w[j] = four ? w[min(j + 2, 7)] : w[j];
#pragma unroll
    for (int j = 0; j < 5; ++j) w[j] = two ? w[j + 1] : w[j];
    const uint32_t bits = (shift & 1u) * 16u;
    return make_uint4(__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
                      __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits));
}

extern "C" __global__ void __launch_bounds__(256, 2)
gemm_small(const __half *__restrict__ a, const __half *__restrict__ b, __half *__restrict__ c,
           int64_t m64, int64_t n64, int64_t k64) {
    const int m = (int)m64, n = (int)n64, k = (int)k64;         // below 2^31 - 64
    __shared__ __align__(128) unsigned char smem[4 * STAGE * 2];
    __half *as = reinterpret_cast<__half *>(smem);              // two stages [TILE][PITCH]: row, k
    __half *bs = as + 2 * STAGE;                                // two stages [BK][PITCH]: k, column
    float *sums = reinterpret_cast<float *>(smem);              // afterwards two of [TILE][SP]

    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int kg = warp >> 2, wm = (warp >> 1) & 1, wn = warp & 1;
    const unsigned rank = cluster_rank(), size = cluster_size();
    const int m0 = (int)blockIdx.y * TILE, n0 = (int)(blockIdx.x / size) * TILE;
    const unsigned chunks = (unsigned)((k64 + BK - 1) / BK);
    const unsigned first = chunks * rank / size, last = chunks * (rank + 1) / size;

    float acc[2][4][4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int q = 0; q < 4; ++q) acc[i][j][q] = 0.f;

    // this thread's two groups of eight in either tile
    const int row = tid >> 3, col = (tid & 7) * 8;
    const __half *aend = a + m64 * k64, *bend = b + k64 * n64;
    const int bvalid = n - n0 - col;
    eight ea[2], eb[2];
    uint32_t shifts = 0u;                     // in halves, four bits each

    auto load = [&](unsigned chunk) {
        const int k0 = (int)chunk * BK;
        shifts = 0u;
        const int avalid = k - k0 - col;
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const int i = m0 + row + r * 32;
            shifts |= fetch(ea[r], a + (int64_t)i * k + (k0 + col), i < m ? avalid : 0, a, aend) << (8 * r);
        }
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const int i = k0 + row + r * 32;
            shifts |= fetch(eb[r], b + (int64_t)i * n + (n0 + col), i < k ? bvalid : 0, b, bend) << (8 * r + 4);
        }
    };
    auto put = [&](int stage) {
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            *reinterpret_cast<uint4 *>(as + stage * STAGE + (row + r * 32) * PITCH + col) = shifted(ea[r], shifts >> (8 * r));
            *reinterpret_cast<uint4 *>(bs + stage * STAGE + (row + r * 32) * PITCH + col) = shifted(eb[r], shifts >> (8 * r + 4));
        }
    };

    if (first < last) {
        load(first);
        put(0);
    }
    __syncthreads();
    int stage = 0;
#pragma unroll 1
    for (unsigned chunk = first; chunk < last; ++chunk) {
        if (chunk + 1 < last) load(chunk + 1);
        const __half *ap = as + stage * STAGE + (wm * 32 + (lane & 15)) * PITCH + kg * 32 + (lane >> 4) * 8;
        const __half *bp = bs + stage * STAGE + (kg * 32 + (lane & 15)) * PITCH + wn * 32 + (lane >> 4) * 8;
#pragma unroll
        for (int s = 0; s < 2; ++s) {
            uint32_t fa[2][4], fb[2][4];
            ldsm4(fa[0], ap + s * 16);
            ldsm4(fa[1], ap + 16 * PITCH + s * 16);
            ldsm4t(fb[0], bp + s * 16 * PITCH);
            ldsm4t(fb[1], bp + s * 16 * PITCH + 16);
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) mma16816(acc[i][j], fa[i], fb[j >> 1][(j & 1) * 2], fb[j >> 1][(j & 1) * 2 + 1]);
        }
        if (chunk + 1 < last) put(stage ^ 1);
        __syncthreads();
        stage ^= 1;
    }

    float *mine = sums + kg * TILE * SP;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int r = wm * 32 + i * 16 + (lane >> 2), q = wn * 32 + j * 8 + (lane & 3) * 2;
            *reinterpret_cast<float2 *>(mine + r * SP + q) = make_float2(acc[i][j][0], acc[i][j][1]);
            *reinterpret_cast<float2 *>(mine + (r + 8) * SP + q) = make_float2(acc[i][j][2], acc[i][j][3]);
        }

    const int x = tid & 63;
    if (size == 1) {
        __syncthreads();
#pragma unroll 4
        for (int r = tid >> 6; r < TILE; r += 4)
            if (m0 + r < m && n0 + x < n)
                c[(int64_t)(m0 + r) * n + (n0 + x)] = __float2half_rn(sums[r * SP + x] + sums[(TILE + r) * SP + x]);
        return;
    }
    cluster_arrive();
    cluster_wait();
    const int r1 = (int)(TILE * (rank + 1) / size);
    for (int r = (int)(TILE * rank / size) + (tid >> 6); r < r1; r += 4) {
        if (m0 + r >= m || n0 + x >= n) continue;
        float v[16];
#pragma unroll
        for (int s = 0; s < 8; ++s) {
            v[2 * s] = v[2 * s + 1] = 0.f;
            if (s < (int)size) {
                v[2 * s] = load_remote(sums + r * SP + x, s);
                v[2 * s + 1] = load_remote(sums + (TILE + r) * SP + x, s);
            }
        }
        float sum = 0.f;
#pragma unroll
        for (int s = 0; s < 8; ++s) sum += v[2 * s] + v[2 * s + 1];
        c[(int64_t)(m0 + r) * n + (n0 + x)] = __float2half_rn(sum);
    }
    __syncwarp();
    cluster_arrive();                        // nobody leaves while others read from it
    cluster_wait();
}
