"""launch plan
[[configuration]]
BLOCK = 256

[[kernel]]
name = "iterate"
grid = ["ceildiv(n, BLOCK)"]
arguments = ["x", "w", "y", { type = "i32", value = "n" }]
"""

# about: a tensor map made in the kernel, for which the compiler asks for scratch memory
# expect: pass
import triton
import triton.language as tl


@triton.jit
def iterate(x, w, y, n, BLOCK: tl.constexpr):
    from_x = tl.make_tensor_descriptor(x, shape=[n], strides=[1], block_shape=[BLOCK])
    at = tl.program_id(0) * BLOCK
    a = from_x.load([at])
    for k in range(256):
        a = a * 0.5 + tl.load(w + (k & 7))
    own = at + tl.arange(0, BLOCK)
    tl.store(y + own, a, mask=own < n)
