"""Convolutions in one to three dims: grouped, dilated, transposed."""

from __future__ import annotations

from typing import Any

from ..expression import Expression, as_index, both, cast, compare, computed, index_value, literal, local
from ..index import ONE, Polynomial, as_polynomial, constant, flatten, is_nonnegative, is_within
from ..statements import Declare, If, Statement, Store, Update, loops
from ..values import Value, of_buffer, reshaped
from .arithmetic import mul
from .registry import Call, operator


def inside(places: list[Polynomial], extents: Any) -> Expression:
    """Returns the condition that all places lie in their extents, as far as that is not sure."""
    out = literal(True, "bool")
    for p, n in zip(places, extents, strict=True):
        if not is_within(p, n):
            at = index_value(p)
            out = both(out, both(compare(">=", at, literal(0, "i64")), compare("<", at, index_value(n))))
    return out


def windows(extents: list[Polynomial], depth: int, place: Any, limits: Any, body: Any) -> list[Statement]:
    """Returns loops over a window; each dim's place is compared with its limit right inside its loop.

    `place(d, r)` gives the place from the window's index, `body(indices, depth)` what is done inside."""

    def level(d: int, index: list[Polynomial], depth: int) -> list[Statement]:
        if d == len(extents):
            return body(index, depth)

        def inside_one(r: list[Polynomial], deeper: int) -> list[Statement]:
            return when(inside([place(d, r[0])], [limits[d]]), level(d + 1, [*index, r[0]], deeper))

        return loops([extents[d]], depth, inside_one)

    return level(0, [], depth)


def when(condition: Expression, body: list[Statement]) -> list[Statement]:
    if condition.op == "const":
        return body if condition.data else []
    return [If(condition, body)]


@operator("convolution.default", "_convolution.default")
def _convolution(c: Call, x: Value, weight: Value, bias: Value | None, stride: list[int], padding: list[int], dilation: list[int],
                 transposed: bool, output_padding: list[int], groups: int, *_: Any) -> Value:  # fmt: skip
    weight = c.context.cheap(weight, 0)
    n = weight.rank - 2
    stride, padding, dilation = ([*v] * n if len(v) == 1 else [*v] for v in (stride, padding, dilation))
    shape = c.shape
    if x.rank == n + 1:  # without a batch
        x = reshaped(x, (1, *x.shape))
        shape = (ONE, *shape)
    f = _backward if transposed else _forward
    return f(c, x, weight, bias, shape, stride, padding, dilation, groups)


def _start(bias: Value | None, channel: Polynomial, dtype: str) -> Expression:
    return literal(0, dtype) if bias is None else cast(bias.at([channel]), dtype)


def padded(c: Call, x: Value, before: list[int], extents: list[Polynomial], wanted: str = "padded") -> Value:
    """Returns the tensor with zeros around its last dims, in an array of its own.

    Windows without conditions are what the generator packs and vectorises: measured 35x against 4x for a 3x3 kernel."""
    from .views import guarded

    lead = x.rank - len(before)
    if not any(before) and list(x.shape[lead:]) == list(extents):
        return x
    zero = literal(0, computed(x.dtype))
    shift = [0] * lead + before
    shape = (*x.shape[:lead], *extents)
    made = Value(x.dtype, shape, lambda i: guarded(x, [p - b for p, b in zip(i, shift, strict=True)], zero), 10)
    return c.context.realise(made, wanted)


def _forward(c: Call, x: Value, weight: Value, bias: Value | None, shape: Any, stride: list[int], padding: list[int], dilation: list[int],
             groups: int) -> Value:  # fmt: skip
    each = shape[1] // groups
    taken = weight.shape[1]
    size = list(weight.shape[2:])
    dims = [shape[0], constant(groups), each, *shape[2:]]
    if any(padding):
        reach = [(shape[2 + d] - 1) * stride[d] + (size[d] - 1) * dilation[d] + 1 for d in range(len(size))]
        x = padded(c, x, padding, reach)
    else:
        x = c.context.cheap(x, 0)
    buffer, name = c.context.buffer("convolved", c.dtype, dims), c.context.name("sum")
    dtype = computed(c.dtype)

    def build(index: list[Polynomial], depth: int) -> list[Statement]:
        b, g, o, *at = index
        channel = g * each + o

        def term(r: list[Polynomial], _: int) -> list[Statement]:
            places = [at[d] * stride[d] + r[d + 1] * dilation[d] for d in range(len(at))]
            value = mul(cast(x.at([b, g * taken + r[0], *places]), dtype), cast(weight.at([channel, *r]), dtype))
            return [Update(name, dtype, "+", value)]

        return [Declare(name, dtype, _start(bias, channel, dtype)), *loops([taken, *size], depth, term),
                Store(buffer, flatten(index, dims), local(name, dtype))]  # fmt: skip

    return c.context.fill(buffer, dims, build, c.dtype, c.shape)


def _backward(c: Call, x: Value, weight: Value, bias: Value | None, shape: Any, stride: list[int], padding: list[int], dilation: list[int],
              groups: int) -> Value:  # fmt: skip
    """Gathers: an output place of phase r (its remainder by the stride) meets only kernel elements of one remainder."""
    each = weight.shape[1]
    taken = weight.shape[0] // groups
    size = [as_polynomial(k) for k in weight.shape[2:]]
    n = len(size)
    if any(dilation[d] != 1 and stride[d] != 1 for d in range(n)):
        return _scattered(c, x, weight, bias, shape, stride, padding, dilation, groups)
    # Place p of the output is stride * q + r. Kernels are filled up with zeros to whole multiples of the stride.
    gaps = [dilation[d] if stride[d] == 1 else 1 for d in range(n)]
    counts = [(shape[2 + d] + stride[d] - 1) // stride[d] for d in range(n)]
    reach = [(size[d] + stride[d] - 1) // stride[d] for d in range(n)]
    low = [max((r.value or 1) * g - g - padding[d] // stride[d], 0) for d, (r, g) in enumerate(zip(reach, gaps, strict=True))]
    extents = [counts[d] + (stride[d] - 1 + padding[d]) // stride[d] + low[d] for d in range(n)]
    extents = [e if is_nonnegative(e - low[d] - x.shape[2 + d]) else x.shape[2 + d] + low[d] for d, e in enumerate(extents)]
    if any(r.value is None for r in reach):
        return _scattered(c, x, weight, bias, shape, stride, padding, dilation, groups)
    x = padded(c, x, low, extents)
    x = x if x.buffer is not None else c.context.cheap(x, 0)
    weight = padded(c, weight, [0] * n, [r * s for r, s in zip(reach, stride, strict=True)], "kernel")
    dims = [shape[0], constant(groups), each, *(p for d in range(n) for p in (counts[d], constant(stride[d])))]
    flat = [shape[0], constant(groups), each, *shape[2:]]
    buffer, name = c.context.buffer("convolved", c.dtype, flat), c.context.name("sum")
    names = [(c.context.name("first"), c.context.name("shift")) for _ in range(n)]
    dtype = computed(c.dtype)

    def build(index: list[Polynomial], depth: int) -> list[Statement]:
        b, g, o, *rest = index
        q, r = rest[::2], rest[1::2]
        out = [q[d] * stride[d] + r[d] for d in range(n)]
        first = [(r[d] + padding[d]) % stride[d] for d in range(n)]  # the first kernel element
        shift = [(r[d] + padding[d]) // stride[d] for d in range(n)]
        named: list[Statement] = []
        for d in range(n):
            if stride[d] != 1:
                for text, p in zip(names[d], (first[d], shift[d]), strict=True):
                    named.append(Declare(text, "i64", index_value(p), True))
                first[d], shift[d] = as_index(local(names[d][0], "i64")), as_index(local(names[d][1], "i64"))

        def term(t: list[Polynomial], _: int) -> list[Statement]:
            kernel = [t[d + 1] * stride[d] + first[d] for d in range(n)]
            places = [q[d] + shift[d] - t[d + 1] * gaps[d] + low[d] for d in range(n)]
            value = mul(cast(x.at([b, g * taken + t[0], *places]), dtype), cast(weight.at([g * taken + t[0], o, *kernel]), dtype))
            return [Update(name, dtype, "+", value)]

        body: list[Statement] = [*named, Declare(name, dtype, _start(bias, g * each + o, dtype)), *loops([taken, *reach], depth, term),
                                 Store(buffer, flatten([b, g, o, *out], flat), local(name, dtype))]  # fmt: skip
        return when(inside(out, shape[2:]), body)

    c.context.nest(dims, build)
    made = of_buffer(buffer, c.shape)
    made.dtype = c.dtype
    return made


def _scattered(c: Call, x: Value, weight: Value, bias: Value | None, shape: Any, stride: list[int], padding: list[int], dilation: list[int],
               groups: int) -> Value:  # fmt: skip
    each, taken = weight.shape[1], weight.shape[0] // groups
    size, dtype = list(weight.shape[2:]), computed(c.dtype)
    x = c.context.cheap(x, 0)
    flat = [shape[0], constant(groups), each, *shape[2:]]
    buffer = c.context.buffer("convolved", dtype, flat)

    def build(index: list[Polynomial], depth: int) -> list[Statement]:
        b, g, o = index

        def start(p: list[Polynomial], _: int) -> list[Statement]:
            return [Store(buffer, flatten([b, g, o, *p], flat), _start(bias, g * each + o, dtype))]

        def term(t: list[Polynomial], _: int) -> list[Statement]:
            at, kernel = t[1 : 1 + len(size)], t[1 + len(size) :]
            out = [at[d] * stride[d] + kernel[d] * dilation[d] - padding[d] for d in range(len(size))]
            value = mul(cast(x.at([b, g * taken + t[0], *at]), dtype), cast(weight.at([g * taken + t[0], o, *kernel]), dtype))
            return when(inside(out, shape[2:]), [Store(buffer, flatten([b, g, o, *out], flat), value, True)])

        return [*loops(list(shape[2:]), depth, start), *loops([taken, *x.shape[2:], *size], depth, term)]

    c.context.nest([shape[0], constant(groups), each], build, fusable=False)
    made = of_buffer(buffer, c.shape)
    made.dtype = c.dtype
    return made

