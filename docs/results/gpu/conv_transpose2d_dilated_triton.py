"""launch plan
[[configuration]]
num_warps = 8
num_stages = 2
[[configuration]]
num_warps = 4
num_stages = 2

[[scratch]]
name = "wh"
dtype = "f16"
bytes = "2*4*64*64"

[[kernel]]
name = "pack"
grid = ["4"]
num_warps = 8
arguments = ["conv_transpose2d_weight", "wh"]
[[kernel]]
name = "deconv"
grid = ["128", "64"]
arguments = ["x", "wh", "out"]
"""
import triton
import triton.language as tl


@triton.jit
def pack(w, wh):
    g = tl.program_id(0)
    n = tl.arange(0, 64)[:, None]
    k = tl.arange(0, 64)[None, :]
    co = n // 4
    r = n % 4
    kh = k // 16
    s = (k // 8) % 2
    c = k % 8
    kw = r + 3 * s
    ok = (r < 3) & (kh < 3) & (kw < 5)
    v = tl.load(w + ((g * 8 + c) * 16 + co) * 15 + kh * 5 + kw, mask=ok, other=0.0)
    tl.store(wh + g * 4096 + n * 64 + k, v.to(tl.float16))


@triton.jit
def deconv(x, wh, out):
    j = tl.program_id(0) + 1
    z = tl.program_id(1)
    img = z // 4
    g = z % 4
    n = tl.arange(0, 64)
    k = tl.arange(0, 64)
    u = tl.arange(0, 256)
    wt = tl.load(wh + g * 4096 + n[:, None] * 64 + k[None, :])
    kh = k // 16
    s = (k // 8) % 2
    c = k % 8
    ih = j - kh
    okk = (kh < 3) & (ih >= 0) & (ih < 128)
    iw = u[None, :] - s[:, None]
    px = x + ((img * 32 + g * 8 + c) * 128 + ih)[:, None] * 256 + iw
    v = tl.load(px, mask=okk[:, None] & (iw >= 0), other=0.0)
    acc = tl.dot(wt, v.to(tl.float16), out_dtype=tl.float32)
    y = tl.reshape(acc, (16, 4, 256))
    y = tl.permute(y, (0, 2, 1))
    y = tl.reshape(y, (16, 1024))
    f = tl.arange(0, 1024)
    r = f % 4
    ow = 3 * (f // 4) + r - 2
    okw = (r < 3) & (ow >= 0)
    co = tl.arange(0, 16)
    base = out + (img * 64 + g * 16 + co)[:, None] * 196862
    tl.store(base + (2 * j - 1) * 766 + ow[None, :], y, mask=okw[None, :])
    zero = tl.zeros([16, 1024], tl.float32)
    okz = f[None, :] < 766
    tl.store(base + (2 * j) * 766 + f[None, :], zero, mask=okz)
    if j == 1:
        tl.store(base + f[None, :], zero, mask=okz)
