"""launch plan
[[configuration]]
HB = 4
num_warps = 8
[[configuration]]
HB = 2
num_warps = 4
[[configuration]]
HB = 4
num_warps = 4

[[scratch]]
name = "wr"
dtype = "f16"
bytes = "49152"
[[scratch]]
name = "part"
dtype = "f32"
bytes = "262144"
[[scratch]]
name = "cen"
dtype = "f32"
bytes = "1024"

[[kernel]]
name = "prep"
grid = ["280"]
num_warps = 8
arguments = ["x", "conv_transpose_weight", "batch_norm_weight", "batch_norm_running_var", "wr", "part", "cen"]
[[kernel]]
name = "convt"
grid = ["ceildiv(15872, HB)"]
arguments = ["x", "wr", "part", "cen", "out"]
"""
import triton
import triton.language as tl

# Biases, the running mean and the BN shift are constant over a channel: the subtraction of the spatial mean
# cancels them.  out = scale * (convT(x) - mean(convT(x))), and x = c + u with c the mean of a (batch, channel) slab:
# the part of c is c * (sum of the weights of the parity class), exact in f32; only the part of u goes through f16.


@triton.jit
def prep(x, conv_transpose_weight, batch_norm_weight, batch_norm_running_var, wr, part, cen, HB: tl.constexpr):
    pid = tl.program_id(0)
    if pid < 256:
        ci = pid % 16
        d = tl.arange(0, 16)
        h = tl.arange(0, 32)
        w = tl.arange(0, 32)
        v = tl.load(x + pid * 16384 + d[:, None, None] * 1024 + h[None, :, None] * 32 + w[None, None, :])

        # sums of weights by parity class, and their mean over the outputs
        p = tl.arange(0, 8)[:, None]
        co = tl.arange(0, 32)[None, :]
        wbase = conv_transpose_weight + ci * 864 + (co * 27 + p * 0)
        wp = tl.zeros([8, 32], tl.float32)
        wm = tl.zeros([8, 32], tl.float32)
        for kd in tl.static_range(3):
            for kh in tl.static_range(3):
                for kw in tl.static_range(3):
                    wv = tl.load(wbase + (kd * 9 + kh * 3 + kw))
                    wm += wv * ((15 + kd % 2) * (31 + kh % 2) * (31 + kw % 2) * 1.0 / 123039.0)
                    wp += tl.where(p == ((1 - kd % 2) * 4 + (1 - kh % 2) * 2 + (1 - kw % 2)), wv, 0.0)
        gamma = tl.load(batch_norm_weight + (co + p * 0))
        var = tl.load(batch_norm_running_var + (co + p * 0))
        scale = gamma / tl.sqrt_rn(var + 1e-5)

        plane = tl.sum(v, axis=0)
        line = tl.sum(plane, axis=0)
        c = tl.sum(line, axis=0) * (1.0 / 16384.0)
        tl.store(cen + pid, c)
        u = v - c

        d3 = d[:, None, None]
        h2 = h[:, None]
        ms = tl.zeros([8, 32], tl.float32)
        for kd in tl.static_range(3):
            a = tl.sum(tl.where((d3 >= (2 - kd) // 2) & (d3 < 16 - kd // 2), u, 0.0), axis=0)
            for kh in tl.static_range(3):
                r = tl.sum(tl.where((h2 >= (2 - kh) // 2) & (h2 < 32 - kh // 2), a, 0.0), axis=0)
                for kw in tl.static_range(3):
                    s = tl.sum(tl.where((w >= (2 - kw) // 2) & (w < 32 - kw // 2), r, 0.0), axis=0)
                    ms += tl.load(wbase + (kd * 9 + kh * 3 + kw)) * s
        t = scale * (c * (wp - wm) - ms * (1.0 / 123039.0))
        tl.store(part + pid * 256 + ((p // 4) * 128 + co * 4 + p % 4), t)
    else:
        q = pid - 256
        g = q // 8
        rr = (q % 8) * 16 + tl.arange(0, 16)[:, None]
        kk = tl.arange(0, 64)[None, :]
        oc = rr // 4
        ph = (rr // 2) % 2
        pw = rr % 2
        dh = kk // 32
        dw = (kk // 16) % 2
        ic = kk % 16
        # g = 0: even depth, tap 1; g = 1: odd depth, tap 2 of x[i]; g = 2: odd depth, tap 0 of x[i + 1]
        td = tl.where(g == 0, 1, tl.where(g == 1, 2, 0))
        th = tl.where(ph == 0, 1, 2 - 2 * dh)
        tw = tl.where(pw == 0, 1, 2 - 2 * dw)
        keep = ((ph == 1) | (dh == 0)) & ((pw == 1) | (dw == 0))
        wt = tl.load(conv_transpose_weight + (ic * 864 + oc * 27 + td * 9 + th * 3 + tw), mask=keep, other=0.0)
        ga = tl.load(batch_norm_weight + oc)
        va = tl.load(batch_norm_running_var + oc)
        sc = ga / tl.sqrt_rn(va + 1e-5)
        tl.store(wr + (g * 8192 + rr * 64 + kk), (wt * sc).to(tl.float16))


@triton.jit
def convt(x, wr, part, cen, out, HB: tl.constexpr):
    N: tl.constexpr = HB * 32
    NB: tl.constexpr = 32 // HB
    pid = tl.program_id(0)
    hb = pid % NB
    rest = pid // NB
    od = rest % 31
    b = rest // 31
    pd = od % 2
    i = od // 2

    k = tl.arange(0, 64)
    ci = k % 16
    shift = (k // 32) * 32 + (k // 16) % 2
    pos = hb * N + tl.arange(0, N)
    inside = (shift[:, None] + pos[None, :]) < 1024
    c = tl.load(cen + b * 16 + ci)
    xp = x + (b * 262144 + i * 1024) + ((ci * 16384 + shift)[:, None] + pos[None, :])
    r = tl.arange(0, 128)
    wp = wr + (r[:, None] * 64 + k[None, :])

    x0 = tl.load(xp, mask=inside, other=0.0)
    w0 = tl.load(wp + pd * 8192)
    sl = tl.arange(0, 16)
    t = tl.sum(tl.load(part + (b * 4096 + pd * 128) + (sl[:, None] * 256 + r[None, :])), axis=0)
    x0 = tl.where(inside, x0 - c[:, None], 0.0).to(tl.float16)
    acc = tl.zeros([128, N], tl.float32) + t[:, None]
    acc = tl.dot(w0, x0, acc)
    if pd == 1:
        x1 = tl.load(xp + 1024, mask=inside, other=0.0)
        w1 = tl.load(wp + 16384)
        x1 = tl.where(inside, x1 - c[:, None], 0.0).to(tl.float16)
        acc = tl.dot(w1, x1, acc)

    # rows are (channel, ph, pw), columns (h, w): to (channel; h, ph, w, pw)
    y = tl.reshape(acc, (32, 2, 2, HB, 32))
    y = tl.permute(y, (0, 3, 1, 4, 2))
    y = tl.reshape(y, (32, HB * 128))
    m = tl.arange(0, HB * 128)
    ow = m % 64
    oh = hb * (2 * HB) + m // 64
    co = tl.arange(0, 32)
    ok = (ow < 63) & (oh < 63)
    at = (co * 123039)[:, None] + (oh * 63 + ow)[None, :]
    tl.store(out + (b * 3937248 + od * 3969) + at, y, mask=ok[None, :])
