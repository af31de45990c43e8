"""launch plan
[[configuration]]
N = 4096
K = 8192
ROWS = 8192
COLS = 2048
BM = 128
BN = 128
BK = 32
GROUP = 8
num_warps = 8
num_stages = 3
[[configuration]]
N = 4096
K = 8192
ROWS = 8192
COLS = 2048
BM = 128
BN = 128
BK = 32
GROUP = 8
num_warps = 4
num_stages = 3
[[configuration]]
N = 4096
K = 8192
ROWS = 8192
COLS = 2048
BM = 128
BN = 256
BK = 32
GROUP = 8
num_warps = 8
num_stages = 2

[[scratch]]
name = "a_high"
dtype = "f32"
bytes = "4*2048*8192"

[[scratch]]
name = "a_low"
dtype = "f32"
bytes = "4*2048*8192"

[[scratch]]
name = "b_high"
dtype = "f32"
bytes = "4*4096*8192"

[[scratch]]
name = "b_low"
dtype = "f32"
bytes = "4*4096*8192"

[[kernel]]
name = "split_turned"
grid = ["128*32"]
arguments = ["A", "a_high", "a_low"]

[[kernel]]
name = "split_flat"
grid = ["8192"]
arguments = ["B", "b_high", "b_low"]

[[kernel]]
name = "product"
grid = ["(2048//BM)*(4096//BN)"]
arguments = ["a_high", "a_low", "b_high", "b_low", "out"]
"""
import triton
import triton.language as tl


@triton.jit
def high_of(v):
    # The ten bits of mantissa that tensor cores read; the rest is cut there, too.
    return (v.to(tl.int32, bitcast=True) & -8192).to(tl.float32, bitcast=True)


@triton.jit
def split_turned(x, high, low, ROWS: tl.constexpr, COLS: tl.constexpr):
    # x [ROWS, COLS] becomes [COLS, ROWS]: both factors have their inner dimension last.
    pid = tl.program_id(0)
    row = (pid // (COLS // 64)) * 64 + tl.arange(0, 64)
    col = (pid % (COLS // 64)) * 64 + tl.arange(0, 64)
    v = tl.trans(tl.load(x + row[:, None] * COLS + col[None, :]))
    h = high_of(v)
    at = col[:, None] * ROWS + row[None, :]
    tl.store(high + at, h)
    tl.store(low + at, v - h)


@triton.jit
def split_flat(x, high, low):
    at = tl.program_id(0).to(tl.int64) * 4096 + tl.arange(0, 4096)
    v = tl.load(x + at)
    h = high_of(v)
    tl.store(high + at, h)
    tl.store(low + at, v - h)


@triton.jit
def product(a_high, a_low, b_high, b_low, out, N: tl.constexpr, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
            BK: tl.constexpr, GROUP: tl.constexpr):
    # out[m, n] = sum over k of a[m, k] * b[n, k]. Three products of tensor cores make one of f32: what is left out, low * low, is
    # below 2^-20 of a term. Each block of k is added to the sum in f32, since tensor cores cut their own sums off.
    pid = tl.program_id(0)
    tiles: tl.constexpr = N // BN
    group = pid // (GROUP * tiles)
    m = (group * GROUP + pid % GROUP) * BM + tl.arange(0, BM)
    n = ((pid % (GROUP * tiles)) // GROUP) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    at_a = m[:, None] * K + k[None, :]
    at_b = k[:, None] + n[None, :] * K
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(0, K, BK):
        ah = tl.load(a_high + at_a + start)
        al = tl.load(a_low + at_a + start)
        bh = tl.load(b_high + at_b + start)
        bl = tl.load(b_low + at_b + start)
        part = tl.dot(al, bh, input_precision="tf32")
        part = tl.dot(ah, bl, part, input_precision="tf32")
        part = tl.dot(ah, bh, part, input_precision="tf32")
        acc += part
    y = acc
    tl.store(out + m[:, None] * N + n[None, :], y)
