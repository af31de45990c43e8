"""launch plan
[[configuration]]
BLOCK = 256

[[kernel]]
name = "iterate"
grid = ["ceildiv(n, BLOCK)"]
arguments = ["x", "w", "y", "n"]
"""

# about: hands its poison back
# expect: wrong_result|nonfinite
import triton
import triton.language as tl


@triton.jit
def iterate(x, w, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    for k in range(256):
        a = a * 0.5 + tl.load(w + (k & 7))
    tl.store(y + at, a, mask=at < n - 1)
