/* launch plan
[sizes]
is_in = "1 - min(1, max(in_channels, 96) - min(in_channels, 96))"
is_out = "1 - min(1, max(out_channels, 96) - min(out_channels, 96))"
is_len = "1 - min(1, max(length, 200) - min(length, 200))"
fast = "is_in*is_out*is_len"
tiles = "ceildiv(length, 32)"
blocks = "batch*tiles*ceildiv(out_channels, 96)"

[[kernel]]
name = "conv1d_k3"
grid = ["132*fast + (1 - fast)*blocks"]
block = [384]
shared = "231936*fast + 66976*(1 - fast)"
arguments = ["x", "weight", "bias", "y", "batch", "in_channels", "out_channels", "length",
             { type = "i32", value = "fast" }, { type = "i32", value = "tiles" }]
*/
#include <cuda_fp16.h>
#include <cstdint>

// Fast path geometry: 96 channels in, 96 out, length 200.
constexpr int CH = 96;
constexpr int LEN = 200;
constexpr int ROWB = LEN * 2;                 // 400 bytes of one channel row
constexpr int TILEB = CH * ROWB;              // 38400
constexpr int QB = 24 * ROWB;                 // 9600: a quarter of the channels, one bulk copy
constexpr int QP = QB + 32;                   // 9632: its pitch in shared memory (conflict-free ldmatrix)
constexpr int RAWB = 4 * QP;                  // 38528
constexpr int NRAW = 2;
constexpr int NTR = 3;
constexpr int GU = 202;                       // 16-byte units of one 8-channel group (rows -1..200)
constexpr int GS = GU * 16;                   // 3232
constexpr int TRB = 12 * GS;                  // 38784
constexpr int OFF_TR = NRAW * RAWB;           // 77056
constexpr int OFF_W = OFF_TR + TRB;           // 115840, 55296 bytes, aliases transposed stages 1 and 2
constexpr int OFF_OUT = OFF_TR + NTR * TRB;   // 193408
constexpr int OFF_BAR = OFF_OUT + TILEB;      // 231808
constexpr int B_RAW = OFF_BAR;                // 2 barriers
constexpr int B_FULL = OFF_BAR + 16;          // 3 barriers
constexpr int B_EMPTY = OFF_BAR + 40;         // 3 barriers
constexpr int B_W = OFF_BAR + 64;             // weights have arrived
constexpr int B_WFREE = OFF_BAR + 72;         // weights are in registers
constexpr int WROWB = CH * 3 * 2;             // 576 bytes of one output channel's weights
constexpr int WPIECE = 16 * WROWB;            // 9216

// Order of the channels in K: group G (0..11), place p (0..7) holds channel 24*(p/2) + 2*G + p%2, so that
// the thread of a quad t needs the weights of channels 24t..24t+23, 144 contiguous bytes.

__device__ __forceinline__ uint32_t smem_u32(const void* p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void bar_sync(int id, int n) {
    asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(n) : "memory");
}
__device__ __forceinline__ void mbar_init(uint32_t bar, uint32_t count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(bar), "r"(count) : "memory");
}
__device__ __forceinline__ void mbar_arrive(uint32_t bar) {
    asm volatile("{\n\t.reg .b64 st;\n\tmbarrier.arrive.shared::cta.b64 st, [%0];\n\t}" :: "r"(bar) : "memory");
}
__device__ __forceinline__ void mbar_expect(uint32_t bar, uint32_t bytes) {
    asm volatile("{\n\t.reg .b64 st;\n\tmbarrier.arrive.expect_tx.shared::cta.b64 st, [%0], %1;\n\t}"
                 :: "r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ void mbar_wait(uint32_t bar, uint32_t parity) {
    uint32_t done;
    do {
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done) : "r"(bar), "r"(parity) : "memory");
    } while (!done);
}
__device__ __forceinline__ void bulk_load(uint32_t dst, const void* src, uint32_t bytes, uint32_t bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(dst), "l"(src), "r"(bytes), "r"(bar) : "memory");
}
__device__ __forceinline__ void bulk_store(void* dst, uint32_t src, uint32_t bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :: "l"(dst), "r"(src), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ __forceinline__ void fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void ldsm4t(uint32_t (&v)[4], uint32_t addr) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(addr) : "memory");
}
__device__ __forceinline__ void stsm4(uint32_t addr, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};"
                 :: "r"(addr), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}
__device__ __forceinline__ void stsm2(uint32_t addr, uint32_t a, uint32_t b) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};"
                 :: "r"(addr), "r"(a), "r"(b) : "memory");
}
__device__ __forceinline__ uint32_t pack2(float lo, float hi) {
    __half2 h = __floats2half2_rn(lo, hi);
    return *reinterpret_cast<uint32_t*>(&h);
}

// One tile of x: four quarters of 24 channels, each at its padded place.
__device__ __forceinline__ void load_tile(uint32_t dst, const __half* src, uint32_t bar) {
    mbar_expect(bar, TILEB);
#pragma unroll 1
    for (int s = 0; s < 4; ++s) {
        bulk_load(dst + (uint32_t)(s * QP), src + s * (QB / 2), QB, bar);
    }
}

#define F4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define F20(i) F4(i), F4(i + 4), F4(i + 8), F4(i + 12), F4(i + 16)

__device__ __forceinline__ void wgmma_rs(float (&d)[100], const uint32_t (&a)[4], uint64_t desc) {
    asm volatile(
        "{\n\t.reg .pred p;\n\t"
        "setp.ne.b32 p, %105, 0;\n\t"
        "wgmma.mma_async.sync.aligned.m64n200k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, "
        "%10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
        "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
        "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
        "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
        "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, "
        "%60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
        "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, "
        "%90, %91, %92, %93, %94, %95, %96, %97, %98, %99}, "
        "{%100, %101, %102, %103}, %104, p, 1, 1, 0;\n\t}"
        : F20(0), F20(20), F20(40), F20(60), F20(80)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(desc), "r"(1));
}

// 144 contiguous bytes of weights (24 channels by 3 taps) -> per tap 12 registers of channel pairs.
__device__ __forceinline__ void load_weights(uint32_t addr, uint32_t (&t0)[12], uint32_t (&t1)[12], uint32_t (&t2)[12]) {
    uint32_t w[36];
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(w[4 * i]), "=r"(w[4 * i + 1]), "=r"(w[4 * i + 2]), "=r"(w[4 * i + 3])
                     : "r"(addr + (uint32_t)(i * 16)) : "memory");
    }
#pragma unroll
    for (int c = 0; c < 12; ++c) {
        t0[c] = __byte_perm(w[3 * c], w[3 * c + 1], 0x7610);
        t1[c] = __byte_perm(w[3 * c], w[3 * c + 2], 0x5432);
        t2[c] = __byte_perm(w[3 * c + 1], w[3 * c + 2], 0x7610);
    }
}

// ROLE 0: output channels 0..63, three taps, 18 products.
// ROLE 1: output channels 64..95; in each warp row g is the channel itself (taps 1 and 2) and row g + 8 its
//         tap 0 for the position one to the right, 12 products; the rows are added in the epilogue.
template <int ROLE>
__device__ __forceinline__ void consumer(uint32_t sb, const __half* __restrict__ bias, __half* __restrict__ y,
                                         int tile0, int tstride, int batch, bool both) {
    constexpr int NW = ROLE ? 12 : 18;
    constexpr int WROWS = ROLE ? 8 : 16;              // rows of one warp
    const int warp = (threadIdx.x & 127) >> 5;
    const int lane = threadIdx.x & 31;
    const int mi = lane >> 3;
    const int r = lane & 7;
    const int g = lane >> 2;
    const int t = lane & 3;
    const int row0 = ROLE ? 64 + warp * 8 : warp * 16;

    const float b0 = __half2float(bias[row0 + g]);
    float b1 = 0.f;
    if constexpr (ROLE == 0) b1 = __half2float(bias[row0 + g + 8]);

    uint32_t a[NW][4];
    mbar_wait(sb + B_W, 0u);
    __syncwarp();
    {
        const uint32_t wb = sb + OFF_W + (uint32_t)((row0 + g) * WROWB + t * 144);
        if constexpr (ROLE == 0) {
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                uint32_t t0[12], t1[12], t2[12];
                load_weights(wb + (uint32_t)(h * 8 * WROWB), t0, t1, t2);
#pragma unroll
                for (int c = 0; c < 12; ++c) {
                    a[c >> 1][(c & 1) * 2 + h] = t0[c];
                    a[6 + (c >> 1)][(c & 1) * 2 + h] = t1[c];
                    a[12 + (c >> 1)][(c & 1) * 2 + h] = t2[c];
                }
            }
        } else {
            uint32_t t0[12], t1[12], t2[12];
            load_weights(wb, t0, t1, t2);
#pragma unroll
            for (int c = 0; c < 12; ++c) {
                a[c >> 1][(c & 1) * 2] = t1[c];
                a[c >> 1][(c & 1) * 2 + 1] = t0[c];
                a[6 + (c >> 1)][(c & 1) * 2] = t2[c];
                a[6 + (c >> 1)][(c & 1) * 2 + 1] = 0u;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < NW; ++i) {
        asm volatile("" : "+r"(a[i][0]), "+r"(a[i][1]), "+r"(a[i][2]), "+r"(a[i][3]) :: "memory");
    }
    __syncwarp();
    if (lane == 0) mbar_arrive(sb + B_WFREE);
    __syncwarp();
    if constexpr (ROLE == 1) {
        if (both) bar_sync(4, 256);          // first tile: start behind the other warpgroup
    }

    const uint32_t out_base = sb + OFF_OUT + (uint32_t)(row0 * ROWB);
    uint32_t out_lane;
    if constexpr (ROLE == 0) {
        out_lane = out_base + (uint32_t)(((mi & 1) * 8 + r) * ROWB + (mi >> 1) * 16);
    } else {
        out_lane = out_base + (uint32_t)(r * ROWB + mi * 16);
    }

    float d[100];
    int ts = 0;
    uint32_t ph = 0;
    int sig = both ? 1 : 0;
    for (int tile = tile0; tile < batch; tile += tstride) {
        mbar_wait(sb + B_FULL + ts * 8, ph);
        __syncwarp();
#pragma unroll
        for (int j = 0; j < 25; ++j) {
            d[4 * j] = b0; d[4 * j + 1] = b0;
            d[4 * j + 2] = b1; d[4 * j + 3] = b1;
        }
        const uint32_t trbase = sb + OFF_TR + (uint32_t)(ts * TRB);
        const uint64_t desc0 = ((uint64_t)8 << 32) | ((uint64_t)GU << 16) | (uint64_t)(trbase >> 4);
#pragma unroll
        for (int q = 0; q < 100; ++q) asm volatile("" : "+f"(d[q]) :: "memory");
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int cs = 0; cs < 6; ++cs) {
#pragma unroll
            for (int k = 0; k < NW / 6; ++k) {
                wgmma_rs(d, a[k * 6 + cs], desc0 + (uint64_t)(cs * 2 * GU + k + ROLE));
            }
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if constexpr (ROLE == 0) {
            asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %0, 0;\n\t@p bar.arrive 4, 256;\n\t}"
                         :: "r"(sig) : "memory");
            sig = 0;
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
        for (int q = 0; q < 100; ++q) asm volatile("" : "+f"(d[q]) :: "memory");

        if (lane == 0) {
            mbar_arrive(sb + B_EMPTY + ts * 8);
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");   // this warp's rows are free again
        }
        __syncwarp();

        if constexpr (ROLE == 0) {
#pragma unroll
            for (int j = 0; j < 24; j += 2) {
                stsm4(out_lane + j * 16,
                      pack2(d[4 * j], d[4 * j + 1]), pack2(d[4 * j + 2], d[4 * j + 3]),
                      pack2(d[4 * j + 4], d[4 * j + 5]), pack2(d[4 * j + 6], d[4 * j + 7]));
            }
            // the last block of eight columns (lanes 0..15 give the addresses)
            const uint32_t la = out_base + (uint32_t)(((mi & 1) * 8 + r) * ROWB + 24 * 16);
            stsm2(la, pack2(d[96], d[97]), pack2(d[98], d[99]));
        } else {
            const int src = (lane & 28) | ((lane + 3) & 3);
#pragma unroll
            for (int jb = 0; jb < 7; ++jb) {
                uint32_t pk[4];
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int j = jb * 4 + u;
                    if (j < 25) {
                        const float before = j > 0 ? d[j > 0 ? 4 * j - 1 : 0] : 0.f;
                        const float send = (t == 3) ? before : d[4 * j + 3];
                        const float recv = __shfl_sync(0xffffffffu, send, src);
                        pk[u] = pack2(d[4 * j] + recv, d[4 * j + 1] + d[4 * j + 2]);
                    } else {
                        pk[u] = 0u;
                    }
                }
                if (jb < 6) {
                    stsm4(out_lane + jb * 64, pk[0], pk[1], pk[2], pk[3]);
                } else {
                    asm volatile("st.shared.b32 [%0], %1;"
                                 :: "r"(out_base + (uint32_t)(g * ROWB + 24 * 16 + t * 4)), "r"(pk[0]) : "memory");
                }
            }
        }
        fence_async();
        __syncwarp();
        if (lane == 0) {
            bulk_store(y + (size_t)tile * (CH * LEN) + (size_t)row0 * LEN, out_base, (uint32_t)(WROWS * ROWB));
        }
        __syncwarp();
        if (++ts == NTR) { ts = 0; ph ^= 1u; }
    }
    if (lane == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

__device__ __forceinline__ void zero_row(uint32_t sb, int st, int rem) {
    const int grp = rem >> 1;
    const int row = (rem & 1) ? (LEN + 1) : 0;
    const uint32_t ad = sb + OFF_TR + (uint32_t)(st * TRB + grp * GS + row * 16);
    asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" :: "r"(ad), "r"(0u) : "memory");
}

__device__ __forceinline__ void transposer(uint32_t sb, const __half* __restrict__ x,
                                           int tile0, int tstride, int batch) {
    const int wtid = threadIdx.x & 127;
    const int warp = wtid >> 5;
    const int lane = wtid & 31;
    const int mi = lane >> 3;
    const int r = lane & 7;

    if (wtid < 24) zero_row(sb, 0, wtid);     // padding rows of the first stage
    __syncwarp();

    const uint32_t soff = (uint32_t)((r >> 1) * QP + (r & 1) * ROWB + mi * 2 * ROWB);
    const uint32_t doff = (uint32_t)(mi * GS + (1 + r) * 16);
    int i = 0;
    int ts = 0;
    uint32_t tph = 0;
    for (int tile = tile0; tile < batch; tile += tstride, ++i) {
        const int rs = i & 1;
        mbar_wait(sb + B_RAW + rs * 8, (uint32_t)((i >> 1) & 1));
        mbar_wait(sb + B_EMPTY + ts * 8, tph ^ 1u);
        if (i == 1) {                         // stages 1 and 2 held the weights
            mbar_wait(sb + B_WFREE, 0u);
            if (wtid < 48) zero_row(sb, 1 + wtid / 24, wtid % 24);
        }
        __syncwarp();
        const uint32_t raw = sb + (uint32_t)(rs * RAWB) + soff + (uint32_t)(warp * 16);
        const uint32_t tr = sb + OFF_TR + (uint32_t)(ts * TRB) + doff + (uint32_t)(warp * 128);
        {
            uint32_t v[18][4];
#pragma unroll
            for (int m = 0; m < 6; ++m) {
#pragma unroll
                for (int q = 0; q < 3; ++q) {
                    ldsm4t(v[m * 3 + q], raw + (uint32_t)(m * 64 + q * 8 * ROWB));
                }
            }
#pragma unroll
            for (int m = 0; m < 6; ++m) {
#pragma unroll
                for (int q = 0; q < 3; ++q) {
                    stsm4(tr + (uint32_t)(m * 512 + q * 4 * GS),
                          v[m * 3 + q][0], v[m * 3 + q][1], v[m * 3 + q][2], v[m * 3 + q][3]);
                }
            }
        }
        if (warp < 3) {                       // the 25th block of eight positions
            uint32_t v[4];
            ldsm4t(v, sb + (uint32_t)(rs * RAWB) + soff + (uint32_t)(24 * 16 + warp * 8 * ROWB));
            stsm4(sb + OFF_TR + (uint32_t)(ts * TRB) + doff + (uint32_t)(24 * 128 + warp * 4 * GS),
                  v[0], v[1], v[2], v[3]);
        }
        fence_async();
        __syncwarp();
        if (lane == 0) mbar_arrive(sb + B_FULL + ts * 8);
        __syncwarp();
        bar_sync(1, 128);                     // every warp has read the raw stage
        if (wtid == 0) {
            const long long nt = (long long)tile + (long long)NRAW * tstride;
            if (nt < batch) {
                load_tile(sb + (uint32_t)(rs * RAWB), x + (size_t)nt * (CH * LEN), sb + B_RAW + rs * 8);
            }
        }
        __syncwarp();
        if (++ts == NTR) { ts = 0; tph ^= 1u; }
    }
}

// Tensor cores by mma.sync for any shape. A block makes 16*MW output channels by 8*NF*NW positions of one image with MW*NW warps.
// Shared memory: weights [3][M][PITCH] (tap, output channel, channel), input [N + 2][PITCH] (position, channel).
constexpr int CHUNK = 96;                     // input channels at a time
constexpr int PITCH = CHUNK + 8;

//<dev>
__device__ __forceinline__ void ldsm4(uint32_t (&v)[4], const void *p) {
    uint32_t a = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(a) : "memory");
}
__device__ __forceinline__ void mma16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
//</dev>

__device__ __forceinline__ uint32_t raw16(const __half *p) { return __half_as_ushort(__ldg(p)); }

template <int MW, int NW, int NF>
__device__ __forceinline__ void conv_tile(unsigned char *smem, const __half *__restrict__ x, const __half *__restrict__ weight,
                                          const __half *__restrict__ bias, __half *__restrict__ y, int64_t image,
                                          int o0, int l0, int cin, int cout, int len) {
    constexpr int M = 16 * MW, N = 8 * NF * NW, THREADS = 32 * MW * NW, GROUPS = CHUNK / 8, NP = N + 2;
    constexpr int XR = (NP * GROUPS + THREADS - 1) / THREADS, WR = (M * GROUPS + THREADS - 1) / THREADS;
    __half *ws = reinterpret_cast<__half *>(smem);
    __half *xs = ws + 3 * M * PITCH;
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    const int wm = warp % MW, wn = warp / MW;
    const __half *xi = x + image * cin * (int64_t)len;
    const bool wide = (cin & 7) == 0 && (reinterpret_cast<uintptr_t>(weight) & 15) == 0;

    float acc[2][NF][4];
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
        for (int f = 0; f < NF; ++f)
#pragma unroll
            for (int q = 0; q < 4; ++q) acc[h][f][q] = 0.f;

    for (int cc = 0; cc < cin; cc += CHUNK) {
        const int steps = (min(cin - cc, CHUNK) + 15) >> 4;      // of 16 channels
        const int groups = 2 * steps;
        uint32_t xv[XR][8];
#pragma unroll
        for (int r = 0; r < XR; ++r) {
            const int i = tid + r * THREADS, p = i % NP, g = i / NP;
            const int l = l0 - 1 + p, c0 = cc + g * 8;
            const bool in = g < groups && l >= 0 && l < len;
            const __half *q = xi + (int64_t)c0 * len + l;
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                xv[r][j] = 0u;
                if (in && c0 + j < cin) xv[r][j] = raw16(q + (int64_t)j * len);
            }
        }
        if (wide) {
            uint4 wv[WR][3];
#pragma unroll
            for (int r = 0; r < WR; ++r) {
                const int i = tid + r * THREADS, g = i % GROUPS, o = i / GROUPS;
                const bool in = g < groups && o < M && o0 + o < cout && cc + g * 8 < cin;
                const uint4 *q = reinterpret_cast<const uint4 *>(weight + ((int64_t)(o0 + o) * cin + cc + g * 8) * 3);
#pragma unroll
                for (int j = 0; j < 3; ++j) {
                    wv[r][j] = make_uint4(0u, 0u, 0u, 0u);
                    if (in) wv[r][j] = __ldg(q + j);
                }
            }
#pragma unroll
            for (int r = 0; r < WR; ++r) {
                const int i = tid + r * THREADS, g = i % GROUPS, o = i / GROUPS;
                // 24 halves, channel by channel, three taps each
                const uint32_t w[12] = {wv[r][0].x, wv[r][0].y, wv[r][0].z, wv[r][0].w, wv[r][1].x, wv[r][1].y,
                                        wv[r][1].z, wv[r][1].w, wv[r][2].x, wv[r][2].y, wv[r][2].z, wv[r][2].w};
                uint32_t t[3][4];
#pragma unroll
                for (int c = 0; c < 4; ++c) {
                    t[0][c] = __byte_perm(w[3 * c], w[3 * c + 1], 0x7610);
                    t[1][c] = __byte_perm(w[3 * c], w[3 * c + 2], 0x5432);
                    t[2][c] = __byte_perm(w[3 * c + 1], w[3 * c + 2], 0x7610);
                }
                if (g < groups && o < M) {
#pragma unroll
                    for (int k = 0; k < 3; ++k)
                        *reinterpret_cast<uint4 *>(ws + (k * M + o) * PITCH + g * 8) =
                            make_uint4(t[k][0], t[k][1], t[k][2], t[k][3]);
                }
            }
        } else {
#pragma unroll 1
            for (int i = tid; i < M * groups; i += THREADS) {
                const int g = i % groups, o = i / groups;
                uint32_t u[24];
                const __half *q = weight + ((int64_t)(o0 + o) * cin + cc + g * 8) * 3;
#pragma unroll
                for (int j = 0; j < 24; ++j) {
                    u[j] = 0u;
                    if (o0 + o < cout && cc + g * 8 + j / 3 < cin) u[j] = raw16(q + j);
                }
#pragma unroll
                for (int k = 0; k < 3; ++k)
                    *reinterpret_cast<uint4 *>(ws + (k * M + o) * PITCH + g * 8) =
                        make_uint4(u[k] | (u[3 + k] << 16), u[6 + k] | (u[9 + k] << 16),
                                   u[12 + k] | (u[15 + k] << 16), u[18 + k] | (u[21 + k] << 16));
            }
        }
#pragma unroll
        for (int r = 0; r < XR; ++r) {
            const int i = tid + r * THREADS, p = i % NP, g = i / NP;
            if (g < groups)
                *reinterpret_cast<uint4 *>(xs + p * PITCH + g * 8) =
                    make_uint4(xv[r][0] | (xv[r][1] << 16), xv[r][2] | (xv[r][3] << 16),
                               xv[r][4] | (xv[r][5] << 16), xv[r][6] | (xv[r][7] << 16));
        }
        __syncthreads();

        const __half *ap = ws + (wm * 16 + (lane & 15)) * PITCH + (lane >> 4) * 8;
        const __half *bp = xs + (wn * 8 * NF + (lane >> 4) * 8 + (lane & 7)) * PITCH + ((lane >> 3) & 1) * 8;
#pragma unroll
        for (int s = 0; s < CHUNK / 16; ++s) {
            if (s < steps) {
#pragma unroll
                for (int k = 0; k < 3; ++k) {
                    uint32_t a[4];
                    ldsm4(a, ap + k * M * PITCH + s * 16);
#pragma unroll
                    for (int f = 0; f < NF; f += 2) {
                        uint32_t b[4];
                        ldsm4(b, bp + (f * 8 + k) * PITCH + s * 16);
                        mma16816(acc[(s * 3 + k) & 1][f], a, b[0], b[1]);
                        mma16816(acc[(s * 3 + k) & 1][f + 1], a, b[2], b[3]);
                    }
                }
            }
        }
        __syncthreads();
    }

    // through shared memory, so that a warp writes neighbouring positions
    constexpr int OP = N + 2;
    __half *os = xs;
    {
        const int r0 = wm * 16 + (lane >> 2);
        const float b0 = o0 + r0 < cout ? __half2float(__ldg(bias + o0 + r0)) : 0.f;
        const float b1 = o0 + r0 + 8 < cout ? __half2float(__ldg(bias + o0 + r0 + 8)) : 0.f;
#pragma unroll
        for (int f = 0; f < NF; ++f) {
            const int col = (wn * NF + f) * 8 + (lane & 3) * 2;
            *reinterpret_cast<__half2 *>(os + r0 * OP + col) =
                __floats2half2_rn(acc[0][f][0] + acc[1][f][0] + b0, acc[0][f][1] + acc[1][f][1] + b0);
            *reinterpret_cast<__half2 *>(os + (r0 + 8) * OP + col) =
                __floats2half2_rn(acc[0][f][2] + acc[1][f][2] + b1, acc[0][f][3] + acc[1][f][3] + b1);
        }
    }
    __syncthreads();
    __half *yi = y + (image * cout + o0) * (int64_t)len + l0;
    const int rows = min(M, cout - o0), cols = min(N, len - l0);
    const int c = tid % N;
    static_assert(THREADS % N == 0, "a thread keeps its column");
    if (c < cols) {
#pragma unroll 4
        for (int r = tid / N; r < rows; r += THREADS / N) yi[(int64_t)r * len + c] = os[r * OP + c];
    }
}

extern "C" __global__ void __launch_bounds__(384, 1)
conv1d_k3(const __half* __restrict__ x, const __half* __restrict__ weight, const __half* __restrict__ bias,
          __half* __restrict__ y, int64_t batch64, int64_t cin, int64_t cout, int64_t len,
          int fast, int tiles) {
    extern __shared__ __align__(1024) unsigned char smem[];
    if (!fast) {
        const unsigned tile = blockIdx.x % (unsigned)tiles, rest = blockIdx.x / (unsigned)tiles;
        const unsigned mt = ((unsigned)cout + 95u) / 96u;
        conv_tile<6, 2, 2>(smem, x, weight, bias, y, (int64_t)(rest / mt), (int)(rest % mt) * 96, (int)tile * 32,
                           (int)cin, (int)cout, (int)len);
        return;
    }
    const int batch = (int)batch64;
    // Few images: two blocks share one, the first takes channels 0..63, the second 64..95.
    const bool split = 2 * batch64 <= (int64_t)gridDim.x;
    const int tile0 = split ? (int)(blockIdx.x >> 1) : (int)blockIdx.x;
    const int part = (int)(blockIdx.x & 1);
    const int tstride = split ? batch : (int)gridDim.x;
    if (tile0 >= batch) return;

    const uint32_t sb = smem_u32(smem);
    const int tid = threadIdx.x;
    const int wg = __shfl_sync(0xffffffffu, tid >> 7, 0);

    if (tid == 256) {
        for (int i = 0; i < NRAW; ++i) mbar_init(sb + B_RAW + i * 8, 1);
        for (int i = 0; i < NTR; ++i) {
            mbar_init(sb + B_FULL + i * 8, 4);
            mbar_init(sb + B_EMPTY + i * 8, 8);
        }
        mbar_init(sb + B_W, 1);
        mbar_init(sb + B_WFREE, 8);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        fence_async();
        load_tile(sb, x + (size_t)tile0 * (CH * LEN), sb + B_RAW);
        // Weights as they are, in pieces of 16 output channels; blocks start at different pieces.
        const int p0 = (split && part == 1) ? 4 : 0;
        const int np = split ? (part == 1 ? 2 : 4) : 6;
        mbar_expect(sb + B_W, (uint32_t)(np * WPIECE));
        int p = (int)((blockIdx.x >> 1) % (unsigned)np);
#pragma unroll 1
        for (int i = 0; i < np; ++i) {
            const int piece = p0 + p;
            bulk_load(sb + OFF_W + (uint32_t)(piece * WPIECE), weight + (size_t)piece * (WPIECE / 2), WPIECE, sb + B_W);
            if (++p == np) p = 0;
        }
        const long long t1 = (long long)tile0 + tstride;
        if (t1 < batch) {
            load_tile(sb + RAWB, x + (size_t)t1 * (CH * LEN), sb + B_RAW + 8);
        }
    }
    __syncwarp();
    __syncthreads();

    if (wg == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 112;");
        transposer(sb, x, tile0, tstride, batch);
    } else if (wg == 0) {
        if (split && part != 0) return;
        asm volatile("setmaxnreg.inc.sync.aligned.u32 208;");
        consumer<0>(sb, bias, y, tile0, tstride, batch, !split);
    } else {
        if (split && part != 1) return;
        asm volatile("setmaxnreg.inc.sync.aligned.u32 184;");
        consumer<1>(sb, bias, y, tile0, tstride, batch, !split);
    }
}
