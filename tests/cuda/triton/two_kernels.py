"""launch plan
[[configuration]]
BLOCK = 512
num_warps = 2
num_stages = 1

[[scratch]]
name = "sums"
dtype = "f32"
bytes = 32
zeroed = true

[[kernel]]
name = "terms"
grid = [1]
num_warps = 1
arguments = ["w", "sums"]

[[kernel]]
name = "iterate"
grid = ["ceildiv(n, BLOCK)"]
arguments = ["x", "sums", "y", { type = "i32", value = "n" }]
"""

# about: two modules that meet in scratch memory
# expect: pass
import triton
import triton.language as tl


@triton.jit
def terms(w, sums):
    at = tl.arange(0, 8)
    tl.atomic_add(sums + at, tl.load(w + at))


@triton.jit
def iterate(x, sums, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    for k in range(256):
        a = a * 0.5 + tl.load(sums + (k & 7))
    tl.store(y + at, a, mask=at < n)
