/* launch plan
[[kernel]]
name = "conv1d_k3"
grid = [132]
block = [384]
shared = 231232
arguments = ["x", "weight", "bias", "y", "batch", "in_channels", "out_channels", "length"]
*/
#include <cuda_fp16.h>
#include <cstdint>

// Fast path geometry: 96 channels in, 96 out, length 200.
constexpr int CH = 96;
constexpr int LEN = 200;
constexpr int ROWB = LEN * 2;                 // 400 bytes of one channel row
constexpr int TILEB = CH * ROWB;              // 38400
constexpr int NRAW = 3;
constexpr int GU = 202;                       // 16-byte units of one 8-channel group (rows -1..200)
constexpr int GS = GU * 16;                   // 3232
constexpr int TRB = 12 * GS;                  // 38784
constexpr int OFF_TR = NRAW * TILEB;          // 115200
constexpr int OFF_W = OFF_TR + TRB;           // 153984, aliases second transposed stage and the output stage
constexpr int OFF_OUT = OFF_TR + 2 * TRB;     // 192768
constexpr int OFF_BAR = OFF_OUT + TILEB;      // 231168
constexpr int WO = 97;                        // padded rows of one (tap, group) slab of weights

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
    asm volatile("fence.proxy.async;" ::: "memory");
}
__device__ __forceinline__ void ldsm4(uint32_t (&v)[4], uint32_t addr) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(addr) : "memory");
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
__device__ __forceinline__ void wgmma_rs(float (&d)[52], const uint32_t (&a)[4], uint64_t desc) {
    asm volatile(
        "{\n\t.reg .pred p;\n\t"
        "setp.ne.b32 p, %57, 0;\n\t"
        "wgmma.mma_async.sync.aligned.m64n104k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, "
        "%10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
        "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
        "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
        "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
        "%50, %51}, "
        "{%52, %53, %54, %55}, %56, p, 1, 1, 0;\n\t}"
        : F20(0), F20(20), F4(40), F4(44), F4(48)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(desc), "r"(1));
}

// One warpgroup: M = 64 output channels (from registers), N columns of the sequence.
// SPLIT: the block has one M tile, its two warpgroups share the columns (0..103 and 96..199).
template <int N, bool SPLIT>
__device__ __forceinline__ void consumer(uint32_t sb, int wg, const __half* __restrict__ bias, __half* __restrict__ y,
                                         int tile0, int tstride, int batch, int part) {
    const int mtile = SPLIT ? part : wg;
    const int coloff = SPLIT ? wg * 96 : 0;
    const int wtid = threadIdx.x & 127;
    const int warp = wtid >> 5;
    const int lane = wtid & 31;
    const int mi = lane >> 3;
    const int r = lane & 7;
    const int obase = mtile * 64 + warp * 16;
    const bool active = obase < CH;

    uint32_t a[18][4];
    float b0 = 0.f, b1 = 0.f;
    if (active) {
        const uint32_t wb = sb + OFF_W + (uint32_t)(((mi >> 1) * WO + obase + (mi & 1) * 8 + r) * 16);
#pragma unroll
        for (int k = 0; k < 3; ++k) {
#pragma unroll
            for (int cs = 0; cs < 6; ++cs) {
                ldsm4(a[k * 6 + cs], wb + (uint32_t)((k * 12 + cs * 2) * WO * 16));
            }
        }
        b0 = __half2float(bias[obase + (lane >> 2)]);
        b1 = __half2float(bias[obase + (lane >> 2) + 8]);
    } else {
#pragma unroll
        for (int i = 0; i < 18; ++i) {
            a[i][0] = 0u; a[i][1] = 0u; a[i][2] = 0u; a[i][3] = 0u;
        }
    }
    __syncwarp();
    bar_sync(5, 384);                 // the weights' shared memory is free from here on
    if (!SPLIT && wg == 1) bar_sync(4, 256);   // first tile: start behind the other warpgroup

    const uint32_t full_tr = sb + OFF_BAR + 24;
    const uint32_t empty_tr = sb + OFF_BAR + 40;
    const uint32_t out_lane = sb + OFF_OUT + (uint32_t)((obase + (mi & 1) * 8 + r) * ROWB + coloff * 2 + (mi >> 1) * 16);

    float d[N / 2];
    int i = 0;
    for (int tile = tile0; tile < batch; tile += tstride, ++i) {
        const int ts = i & 1;
        mbar_wait(full_tr + ts * 8, (uint32_t)((i >> 1) & 1));
        __syncwarp();
#pragma unroll
        for (int j = 0; j < N / 8; ++j) {
            d[4 * j] = b0; d[4 * j + 1] = b0;
            d[4 * j + 2] = b1; d[4 * j + 3] = b1;
        }
        const uint32_t trbase = sb + OFF_TR + (uint32_t)(ts * TRB);
        const uint64_t desc0 = ((uint64_t)8 << 32) | ((uint64_t)GU << 16)
                             | (uint64_t)((trbase >> 4) + (uint32_t)coloff);
#pragma unroll
        for (int q = 0; q < N / 2; ++q) asm volatile("" : "+f"(d[q]) :: "memory");
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int cs = 0; cs < 6; ++cs) {
#pragma unroll
            for (int k = 0; k < 3; ++k) {
                wgmma_rs(d, a[k * 6 + cs], desc0 + (uint64_t)(cs * 2 * GU + k));
            }
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (!SPLIT) {
            const int sig = (wg == 0 && i == 0) ? 1 : 0;
            asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %0, 0;\n\t@p bar.arrive 4, 256;\n\t}"
                         :: "r"(sig) : "memory");
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
        for (int q = 0; q < N / 2; ++q) asm volatile("" : "+f"(d[q]) :: "memory");

        if (lane == 0) mbar_arrive(empty_tr + ts * 8);
        if (wtid == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        __syncwarp();
        bar_sync(2 + wg, 128);        // the output stage has been read by the former store

        if (active) {
#pragma unroll
            for (int j = 0; j + 1 < N / 8; j += 2) {
                stsm4(out_lane + j * 16,
                      pack2(d[4 * j], d[4 * j + 1]), pack2(d[4 * j + 2], d[4 * j + 3]),
                      pack2(d[4 * j + 4], d[4 * j + 5]), pack2(d[4 * j + 6], d[4 * j + 7]));
            }
            // N/8 is odd: the last block of eight columns (lanes 0..15 give the addresses)
            constexpr int jl = N / 8 - 1;
            const uint32_t la = sb + OFF_OUT + (uint32_t)((obase + (mi & 1) * 8 + r) * ROWB + coloff * 2 + jl * 16);
            stsm2(la, pack2(d[4 * jl], d[4 * jl + 1]), pack2(d[4 * jl + 2], d[4 * jl + 3]));
        }
        __syncwarp();
        fence_async();
        if (SPLIT) bar_sync(6, 256); else bar_sync(2 + wg, 128);
        if (wtid == 0 && (!SPLIT || wg == 0)) {
            const uint32_t bytes = mtile == 0 ? 64u * ROWB : 32u * ROWB;
            bulk_store(y + (size_t)tile * (CH * LEN) + (size_t)mtile * 64 * LEN,
                       sb + OFF_OUT + (uint32_t)(mtile * 64 * ROWB), bytes);
        }
        __syncwarp();
    }
    if (wtid == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

__device__ __forceinline__ void transposer(uint32_t sb, const __half* __restrict__ x,
                                           int tile0, int tstride, int batch) {
    const int wtid = threadIdx.x & 127;
    const int warp = wtid >> 5;
    const int lane = wtid & 31;
    const int mi = lane >> 3;
    const int r = lane & 7;
    const uint32_t full_raw = sb + OFF_BAR;
    const uint32_t full_tr = sb + OFF_BAR + 24;
    const uint32_t empty_tr = sb + OFF_BAR + 40;

    bar_sync(5, 384);                 // weights are in registers
    if (wtid < 48) {                  // padding rows of both stages
        const int st = wtid / 24;
        const int rem = wtid % 24;
        const int grp = rem >> 1;
        const int row = (rem & 1) ? (LEN + 1) : 0;
        const uint32_t ad = sb + OFF_TR + (uint32_t)(st * TRB + grp * GS + row * 16);
        asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" :: "r"(ad), "r"(0u) : "memory");
    }
    __syncwarp();

    const uint32_t soff = (uint32_t)((mi * 8 + r) * ROWB);
    const uint32_t doff = (uint32_t)(mi * GS + (1 + r) * 16);
    int i = 0;
    int rs = 0;
    uint32_t rphase = 0;
    for (int tile = tile0; tile < batch; tile += tstride, ++i) {
        const int ts = i & 1;
        mbar_wait(full_raw + rs * 8, rphase);
        if (i >= 2) mbar_wait(empty_tr + ts * 8, (uint32_t)(((i >> 1) - 1) & 1));
        __syncwarp();
        const uint32_t raw = sb + (uint32_t)(rs * TILEB) + soff;
        const uint32_t tr = sb + OFF_TR + (uint32_t)(ts * TRB) + doff;
        for (int j = warp; j < 24; j += 8) {
            uint32_t v[6][4];
#pragma unroll
            for (int q = 0; q < 3; ++q) {
                ldsm4t(v[q], raw + (uint32_t)(j * 16 + q * 32 * ROWB));
                ldsm4t(v[q + 3], raw + (uint32_t)((j + 4) * 16 + q * 32 * ROWB));
            }
#pragma unroll
            for (int q = 0; q < 3; ++q) {
                stsm4(tr + (uint32_t)(j * 128 + q * 4 * GS), v[q][0], v[q][1], v[q][2], v[q][3]);
                stsm4(tr + (uint32_t)((j + 4) * 128 + q * 4 * GS), v[q + 3][0], v[q + 3][1], v[q + 3][2], v[q + 3][3]);
            }
        }
        if (warp < 3) {
            uint32_t v[4];
            ldsm4t(v, raw + (uint32_t)(24 * 16 + warp * 32 * ROWB));
            stsm4(tr + (uint32_t)(24 * 128 + warp * 4 * GS), v[0], v[1], v[2], v[3]);
        }
        __syncwarp();
        fence_async();
        mbar_arrive(full_tr + ts * 8);
        bar_sync(1, 128);             // every warp has read the raw stage
        if (wtid == 0) {
            const long long nt = (long long)tile + (long long)NRAW * tstride;
            if (nt < batch) {
                mbar_expect(full_raw + rs * 8, TILEB);
                bulk_load(sb + (uint32_t)(rs * TILEB), x + (size_t)nt * (CH * LEN), TILEB, full_raw + rs * 8);
            }
        }
        __syncwarp();
        if (++rs == NRAW) { rs = 0; rphase ^= 1u; }
    }
}

__device__ __forceinline__ void conv_any(const __half* __restrict__ x, const __half* __restrict__ weight,
                                      const __half* __restrict__ bias, __half* __restrict__ y,
                                      int64_t batch, int64_t cin, int64_t cout, int64_t len) {
    const int64_t total = batch * cout * len;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; idx < total; idx += step) {
        const int64_t l = idx % len;
        const int64_t bo = idx / len;
        const int64_t o = bo % cout;
        const int64_t b = bo / cout;
        const __half* xp = x + b * cin * len + l;
        const __half* wp = weight + o * cin * 3;
        const bool left = l > 0;
        const bool right = l + 1 < len;
        float acc = 0.f;
        for (int64_t c = 0; c < cin; ++c) {
            if (left) acc = fmaf(__half2float(wp[0]), __half2float(xp[-1]), acc);
            acc = fmaf(__half2float(wp[1]), __half2float(xp[0]), acc);
            if (right) acc = fmaf(__half2float(wp[2]), __half2float(xp[1]), acc);
            xp += len;
            wp += 3;
        }
        y[idx] = __float2half_rn(acc + __half2float(bias[o]));
    }
}

extern "C" __global__ void __launch_bounds__(384, 1)
conv1d_k3(const __half* __restrict__ x, const __half* __restrict__ weight, const __half* __restrict__ bias,
          __half* __restrict__ y, int64_t batch64, int64_t cin, int64_t cout, int64_t len) {
    extern __shared__ __align__(1024) unsigned char smem[];
    if (cin != CH || cout != CH || len != LEN || batch64 > (int64_t)1000000000) {
        conv_any(x, weight, bias, y, batch64, cin, cout, len);
        return;
    }
    const int batch = (int)batch64;
    const bool split = 2 * batch64 <= (int64_t)gridDim.x;
    const int tile0 = split ? (int)(blockIdx.x >> 1) : (int)blockIdx.x;
    const int part = (int)(blockIdx.x & 1);
    const int tstride = split ? batch : (int)gridDim.x;
    if (tile0 >= batch) return;

    const uint32_t sb = smem_u32(smem);
    const int tid = threadIdx.x;
    const int wg = __shfl_sync(0xffffffffu, tid >> 7, 0);

    if (tid == 256) {
        for (int i = 0; i < NRAW; ++i) mbar_init(sb + OFF_BAR + i * 8, 1);
        for (int i = 0; i < 2; ++i) {
            mbar_init(sb + OFF_BAR + 24 + i * 8, 128);
            mbar_init(sb + OFF_BAR + 40 + i * 8, 8);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        fence_async();
        long long t = tile0;
        for (int i = 0; i < NRAW && t < batch; ++i, t += tstride) {
            mbar_expect(sb + OFF_BAR + i * 8, TILEB);
            bulk_load(sb + (uint32_t)(i * TILEB), x + (size_t)t * (CH * LEN), TILEB, sb + OFF_BAR + i * 8);
        }
    }
    __syncwarp();

    // Weights [o][c][3] -> shared [tap][c/8][o][8 channels]; a chunk is 8 channels by 3 taps, 48 bytes.
    {
        uint4 v[3][3];
        const uint4* wsrc = reinterpret_cast<const uint4*>(weight);
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            const int idx = tid + 384 * i;
#pragma unroll
            for (int q = 0; q < 3; ++q) v[i][q] = __ldg(wsrc + idx * 3 + q);
        }
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            const int idx = tid + 384 * i;
            const int o = idx / 12;
            const int c8 = idx - o * 12;
            const uint32_t w[12] = {v[i][0].x, v[i][0].y, v[i][0].z, v[i][0].w,
                                    v[i][1].x, v[i][1].y, v[i][1].z, v[i][1].w,
                                    v[i][2].x, v[i][2].y, v[i][2].z, v[i][2].w};
            uint32_t t0[4], t1[4], t2[4];
#pragma unroll
            for (int m = 0; m < 4; ++m) {
                t0[m] = __byte_perm(w[3 * m], w[3 * m + 1], 0x7610);
                t1[m] = __byte_perm(w[3 * m], w[3 * m + 2], 0x5432);
                t2[m] = __byte_perm(w[3 * m + 1], w[3 * m + 2], 0x7610);
            }
            unsigned char* dst = smem + OFF_W + (c8 * WO + o) * 16;
            *reinterpret_cast<uint4*>(dst) = make_uint4(t0[0], t0[1], t0[2], t0[3]);
            *reinterpret_cast<uint4*>(dst + 12 * WO * 16) = make_uint4(t1[0], t1[1], t1[2], t1[3]);
            *reinterpret_cast<uint4*>(dst + 24 * WO * 16) = make_uint4(t2[0], t2[1], t2[2], t2[3]);
        }
    }
    __syncthreads();

    if (wg == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 72;");
        transposer(sb, x, tile0, tstride, batch);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 216;");
        if (split) {
            consumer<104, true>(sb, wg, bias, y, tile0, tstride, batch, part);
        } else {
            consumer<200, false>(sb, wg, bias, y, tile0, tstride, batch, part);
        }
    }
}
