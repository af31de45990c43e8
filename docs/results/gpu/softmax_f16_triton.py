"""launch plan
[[configuration]]
ROWS = 4
SHORT = 1024
WIDE = 4096
STEP = 1024
num_warps = 4
[[configuration]]
ROWS = 4
SHORT = 1024
WIDE = 4096
STEP = 1024
num_warps = 8
[[configuration]]
ROWS = 4
SHORT = 1024
WIDE = 4096
STEP = 1024
num_warps = 2

[sizes]
chunks = "ceildiv(cols, SHORT)"

[[kernel]]
name = "softmax_tiles"
grid = ["ceildiv(rows * chunks, ROWS)"]
arguments = ["x", "y", "rows", "cols"]
"""
import triton
import triton.language as tl


@triton.jit
def softmax_tiles(x, y, rows, cols, ROWS: tl.constexpr, SHORT: tl.constexpr, WIDE: tl.constexpr,
                  STEP: tl.constexpr):
    # Programs: ceildiv(rows * ceildiv(cols, SHORT), ROWS). That is ceildiv(rows, ROWS) for short rows,
    # rows for rows of WIDE; the strided loops below are right for any number of programs.
    pid = tl.program_id(0).to(tl.int64)
    programs = tl.num_programs(0).to(tl.int64)

    if ((cols % 8) == 0) & (cols <= WIDE):
        # Equal to cols here, but visibly a multiple of 8: 16-byte loads and stores.
        width = (cols.to(tl.int32) // 8) * 8
        pitch = width.to(tl.int64)
        if cols <= SHORT:
            # ROWS whole rows in registers, reduced together.
            first = pid * ROWS
            r = tl.arange(0, ROWS)
            c = tl.arange(0, SHORT)
            at = r[:, None] * width + c[None, :]
            inside = ((first + r) < rows)[:, None] & (c < width)[None, :]
            v = tl.load(x + first * pitch + at, mask=inside, other=-float("inf"),
                        eviction_policy="evict_first").to(tl.float32)
            m = tl.max(v, axis=1)
            e = tl.exp2((v - m[:, None]) * 1.4426950408889634)
            scale = 1.0 / tl.sum(e, axis=1)
            p = e * scale[:, None]
            tl.store(y + first * pitch + at, p.to(tl.float16), mask=inside)
        else:
            # One whole row in registers.
            cw = tl.arange(0, WIDE)
            within = cw < width
            for row in range(pid, rows, programs):
                vw = tl.load(x + row * pitch + cw, mask=within, other=-float("inf"),
                             eviction_policy="evict_first").to(tl.float32)
                mw = tl.max(vw, axis=0)
                ew = tl.exp2((vw - mw) * 1.4426950408889634)
                scale_w = 1.0 / tl.sum(ew, axis=0)
                tl.store(y + row * pitch + cw, (ew * scale_w).to(tl.float16), mask=within)
    else:
        # Any other shape: three passes over each row.
        cs = tl.arange(0, STEP)
        for line in range(pid, rows, programs):
            source = x + line * cols
            target = y + line * cols
            top = tl.full([STEP], -float("inf"), tl.float32)
            for start in range(0, cols, STEP):
                k = start + cs
                u = tl.load(source + k, mask=k < cols, other=-float("inf")).to(tl.float32)
                top = tl.maximum(top, u)
            peak = tl.max(top, axis=0)
            acc = tl.zeros([STEP], tl.float32)
            for start in range(0, cols, STEP):
                k = start + cs
                u = tl.load(source + k, mask=k < cols, other=-float("inf")).to(tl.float32)
                acc += tl.exp2((u - peak) * 1.4426950408889634)
            scale_s = 1.0 / tl.sum(acc, axis=0)
            for start in range(0, cols, STEP):
                k = start + cs
                u = tl.load(source + k, mask=k < cols, other=-float("inf")).to(tl.float32)
                q = tl.exp2((u - peak) * 1.4426950408889634) * scale_s
                tl.store(target + k, q.to(tl.float16), mask=k < cols)
