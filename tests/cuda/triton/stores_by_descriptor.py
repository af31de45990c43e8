"""launch plan
[[configuration]]
BLOCK = 256

[[kernel]]
name = "iterate"
grid = ["ceildiv(n, BLOCK)"]
arguments = ["x", "w", "y", { type = "i32", value = "n" }]
"""

# about: stores through a tensor map, which write whole 16 bytes: of a length that is no multiple, past the end
# expect: out_of_bounds guard_band
import triton
import triton.language as tl


@triton.jit
def iterate(x, w, y, n, BLOCK: tl.constexpr):
    from_x = tl.make_tensor_descriptor(x, shape=[n], strides=[1], block_shape=[BLOCK])
    to_y = tl.make_tensor_descriptor(y, shape=[n], strides=[1], block_shape=[BLOCK])
    at = tl.program_id(0) * BLOCK
    a = from_x.load([at])
    for k in range(256):
        a = a * 0.5 + tl.load(w + (k & 7))
    to_y.store([at], a)
