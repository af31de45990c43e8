"""launch plan
[[configuration]]
N = 128

[[scratch]]
name = "product"
dtype = "f32"
bytes = "4*N*N"

[[kernel]]
name = "multiply"
grid = [1]
num_warps = 8
num_stages = 1
arguments = ["x", "product", { type = "i32", value = "n" }]

[[kernel]]
name = "iterate"
grid = ["ceildiv(n, N)"]
arguments = ["x", "w", "y", "n"]
"""

# about: more shared memory than a block has unasked
# expect: pass
import triton
import triton.language as tl


@triton.jit
def multiply(x, product, n, N: tl.constexpr):
    i = tl.arange(0, N)
    places = i[:, None] * N + i[None, :]
    sums = tl.zeros([N, N], tl.float32)
    for k in range(n // (N * N)):
        a = tl.load(x + places + k)
        b = tl.load(x + places + 2 * k, mask=places + 2 * k < n, other=0.0)
        sums = tl.dot(a, b, sums)
    tl.store(product + places, sums)


@triton.jit
def iterate(x, w, y, n, N: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * N + tl.arange(0, N)
    a = tl.load(x + at, mask=at < n)
    for k in range(256):
        a = a * 0.5 + tl.load(w + (k & 7))
    tl.store(y + at, a, mask=at < n)
