"""launch plan
[[configuration]]
PRE = 0
BK = 64
num_warps = 8
num_stages = 3
[[configuration]]
PRE = 1
BK = 64
num_warps = 8
num_stages = 4

[[scratch]]
name = "x16"
dtype = "f16"
bytes = "2*1024*8192"

[[scratch]]
name = "w16"
dtype = "f16"
bytes = "256+2*8192*8192*PRE"

[[kernel]]
name = "narrow"
grid = ["2048+16384*PRE"]
arguments = ["x", "gemm_weight", "x16", "w16"]

[[kernel]]
name = "gemm"
grid = ["256"]
arguments = ["gemm_weight", "w16", "x16", "gemm_bias", "out"]
"""
import triton
import triton.language as tl


@triton.jit
def narrow(x, gemm_weight, x16, w16, PRE: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    lane = tl.arange(0, 4096)
    if PRE == 0:
        at = pid * 4096 + lane
        tl.store(x16 + at, tl.load(x + at).to(tl.float16))
    else:
        if pid < 16384:
            at = pid * 4096 + lane
            tl.store(w16 + at, tl.load(gemm_weight + at).to(tl.float16))
        else:
            at = (pid - 16384) * 4096 + lane
            tl.store(x16 + at, tl.load(x + at).to(tl.float16))


@triton.jit
def gemm(gemm_weight, w16, x16, gemm_bias, out, PRE: tl.constexpr, BK: tl.constexpr):
    # acc[h, m] = sum over k of W[h, k] * x[m, k]; h: hidden (8192), m: batch (1024), k: 8192
    pid = tl.program_id(0)
    pid_m = pid % 4
    pid_h = pid // 4
    h = pid_h * 128 + tl.arange(0, 128)
    m = pid_m * 256 + tl.arange(0, 256)
    k = tl.arange(0, BK)

    x_ptrs = x16 + (m[None, :] * 8192 + k[:, None])
    acc = tl.zeros([128, 256], dtype=tl.float32)
    if PRE == 0:
        w_ptrs = gemm_weight + (h[:, None] * 8192 + k[None, :])
        for _ in range(0, 8192, BK):
            w = tl.load(w_ptrs)
            b = tl.load(x_ptrs)
            acc = tl.dot(w.to(tl.float16), b, acc)
            w_ptrs += BK
            x_ptrs += BK
    else:
        v_ptrs = w16 + (h[:, None] * 8192 + k[None, :])
        for _ in range(0, 8192, BK):
            v = tl.load(v_ptrs)
            b = tl.load(x_ptrs)
            acc = tl.dot(v, b, acc)
            v_ptrs += BK
            x_ptrs += BK

    bias = tl.load(gemm_bias + h)
    y = acc + bias[:, None]
    r = y + 2.0 / (1.0 + tl.exp(-y))
    tl.store(out + (m[None, :] * 8192 + h[:, None]), r)
