"""launch plan
[[configuration]]
BLOCK = 4096
num_warps = 8
[[configuration]]
BLOCK = 8192
num_warps = 16
[[configuration]]
BLOCK = 1024
num_warps = 4

[[kernel]]
name = "softmax"
grid = ["rows"]
arguments = ["x", "y", { type = "i32", value = "cols" }]
"""

import triton
import triton.language as tl


@triton.jit
def softmax(x, y, cols, BLOCK: tl.constexpr):
    """A row a program: in registers if it fits, else in blocks with a running maximum and sum."""
    row = tl.program_id(0).to(tl.int64)
    x += row * cols
    y += row * cols
    at = tl.arange(0, BLOCK)
    if cols <= BLOCK:
        v = tl.load(x + at, mask=at < cols, other=-float("inf")).to(tl.float32)
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(y + at, e / tl.sum(e, axis=0), mask=at < cols)
    else:
        most = tl.full([BLOCK], -1e30, tl.float32)
        total = tl.zeros([BLOCK], tl.float32)
        for begin in range(0, cols, BLOCK):
            v = tl.load(x + begin + at, mask=begin + at < cols, other=-float("inf")).to(tl.float32)
            higher = tl.maximum(most, v)
            total = total * tl.exp(most - higher) + tl.exp(v - higher)
            most = higher
        top = tl.max(most, axis=0)
        scale = 1.0 / tl.sum(total * tl.exp(most - top), axis=0)
        for begin in range(0, cols, BLOCK):
            v = tl.load(x + begin + at, mask=begin + at < cols, other=-float("inf")).to(tl.float32)
            tl.store(y + begin + at, tl.exp(v - top) * scale, mask=begin + at < cols)
