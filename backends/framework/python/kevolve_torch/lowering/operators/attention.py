"""Scaled dot-product attention by its parts: scores, softmax over a row, weighted sums.

torch's own decomposition of a causal mask computes all scores and masks half of them; here a row ends at its diagonal.
"""

from __future__ import annotations

import math
from typing import Any

from ..expression import Expression, cast, compare, computed, literal, load, local, maximum, select
from ..index import Polynomial, constant, flatten
from ..statements import Array, Buffer, Declare, Statement, Store, Update, loops
from ..values import Value
from .arithmetic import add, div, fn, mul, sub
from .pointwise import broadcast
from .registry import Call, NotLowered, operator

LONGEST = 16384  # keys of which a row of weights is kept


@operator("scaled_dot_product_attention.default", "_scaled_dot_product_attention_math.default")
def _attention(c: Call, q: Value, k: Value, v: Value, mask: Value | None = None, dropout: float = 0.0, causal: bool = False, **named: Any) -> Any:
    if dropout:
        raise NotLowered("dropout draws random numbers: call eval() first")
    scale = named.get("scale")
    q, k, v = (c.context.cheap(x, 0) for x in (q, k, v))
    shape = c.shape
    length, keys, width = q.shape[-2], k.shape[-2], q.shape[-1]
    groups = 1
    if named.get("enable_gqa") and q.rank > 2 and q.shape[-3] != k.shape[-3]:
        groups = (q.shape[-3].value or 1) // (k.shape[-3].value or 1)
    if scale is None:
        if width.value is None:
            raise NotLowered("a symbolic width without a scale")
        scale = 1 / math.sqrt(width.value)
    if keys.value is not None and keys.value > LONGEST:
        raise NotLowered(f"more than {LONGEST} keys")
    dtype = computed(c.dtype)
    ctx = c.context
    buffer = ctx.buffer("attended", dtype, shape)
    weights = Buffer(ctx.name("weight"), dtype, (keys,), "scratch")
    dot, largest, total = ctx.name("dot"), ctx.name("largest"), ctx.name("sum")
    lead = list(shape[:-2])
    masks = broadcast(ctx.cheap(mask), (*lead, length, keys)) if mask is not None else None

    def batch(x: Value, i: list[Polynomial]) -> list[Polynomial]:
        out = [*i]
        if groups > 1 and x is not q:
            out[-1] = out[-1] // groups
        return [constant(0) if x.shape[d] == 1 else p for d, p in enumerate(out)]

    def build(index: list[Polynomial], depth: int) -> list[Statement]:
        *b, i = index
        seen = i + 1 if causal and (length == keys) else keys

        def score(j: list[Polynomial], depth: int) -> list[Statement]:
            def term(d: list[Polynomial], _: int) -> list[Statement]:
                left, right = q.at([*batch(q, b), i, *d]), k.at([*batch(k, b), *j, *d])
                return [Update(dot, dtype, "+", mul(cast(left, dtype), cast(right, dtype)))]

            value: Expression = mul(local(dot, dtype), literal(scale, dtype))
            if masks is not None:
                m = masks([*b, i, *j])
                value = add(value, cast(m, dtype)) if mask is not None and mask.dtype != "bool" else select(m, value, literal(-math.inf, dtype))
            if causal and length != keys:
                from ..expression import index_value

                value = select(compare("<=", index_value(j[0]), index_value(i)), value, literal(-math.inf, dtype))
            return [Declare(dot, dtype, literal(0, dtype)), *loops([width], depth, term), Store(weights, j[0], value),
                    Update(largest, dtype, "=", maximum(local(largest, dtype), load(weights, j[0])))]  # fmt: skip

        def power(j: list[Polynomial], _: int) -> list[Statement]:
            far = sub(load(weights, j[0]), local(largest, dtype))
            return [Store(weights, j[0], fn("exp", far)), Update(total, dtype, "+", load(weights, j[0]))]

        def clear(d: list[Polynomial], _: int) -> list[Statement]:
            return [Store(buffer, flatten([*b, i, *d], shape), literal(0, dtype))]

        def mix(r: list[Polynomial], _: int) -> list[Statement]:
            j, d = r
            term = mul(div(load(weights, j), local(total, dtype)), cast(v.at([*batch(v, b), j, d]), dtype))
            return [Store(buffer, flatten([*b, i, d], shape), term, True)]

        return [Array(weights.name, dtype, keys), Declare(largest, dtype, literal(-math.inf, dtype)), *loops([seen], depth, score),
                Declare(total, dtype, literal(0, dtype)), *loops([seen], depth, power), *loops([v.shape[-1]], depth, clear),
                *loops([seen, v.shape[-1]], depth, mix)]  # fmt: skip

    ctx.nest([*lead, length], build)
    from ..values import of_buffer

    out = of_buffer(buffer)
    out.dtype = c.dtype
    return out if len(c.outputs) == 1 else (out, *[None] * (len(c.outputs) - 1))


operator("_scaled_dot_product_flash_attention_for_cpu.default")(
    lambda c, q, k, v, dropout=0.0, causal=False, **named: _attention(c, q, k, v, named.get("attn_mask"), dropout, causal, scale=named.get("scale"))
)
