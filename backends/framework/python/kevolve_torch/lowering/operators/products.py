"""Matrix products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..expression import Expression, cast, compare, computed, literal, local
from ..index import Polynomial, flatten
from ..statements import Declare, Statement, Store, Update, loops
from ..values import Value
from .arithmetic import add, mul
from .pointwise import broadcast, elementwise
from .registry import Call, operator

At = Callable[[list[Polynomial], Polynomial], Expression]


def summed(c: Call, dims: list[Polynomial], inner: list[Polynomial], first: Callable, second: Callable, dtype: str, wanted: str = "product",
           start: Callable | None = None) -> Value:  # fmt: skip
    """Returns `start` and the sums over `inner` of first * second; these take the indices of dims and of inner."""
    buffer = c.context.buffer(wanted, dtype, dims)
    name = c.context.name("sum")
    computing = computed(dtype)

    def build(index: list[Polynomial], depth: int) -> list[Statement]:
        def term(r: list[Polynomial], _: int) -> list[Statement]:
            return [Update(name, computing, "+", mul(cast(first(index, r), computing), cast(second(index, r), computing)))]

        begin = literal(0, computing) if start is None else cast(start(index), computing)
        return [Declare(name, computing, begin), *loops(list(inner), depth, term), Store(buffer, flatten(index, dims), local(name, computing))]

    return c.context.fill(buffer, dims, build, dtype)


def matmul(c: Call, a: Value, b: Value, start: Callable | None = None) -> Value:
    """Returns a @ b for matrices, or batches of them with equal dims before."""
    a, b = c.context.cheap(a, 0), c.context.cheap(b, 0)
    dims = [*a.shape[:-1], b.shape[-1]]
    return summed(c, dims, [a.shape[-1]], lambda i, r: a.at([*i[:-1], *r]), lambda i, r: b.at([*i[:-2], *r, i[-1]]), c.dtype, start=start)


@operator("mm.default", "bmm.default")
def _mm(c: Call, a: Value, b: Value) -> Value:
    return matmul(c, a, b)


@operator("addmm.default", "baddbmm.default")
def _addmm(c: Call, x: Value, a: Value, b: Value, beta: Any = 1, alpha: Any = 1) -> Value:
    if alpha == 1 and beta == 1 and x.cost == 0:
        return matmul(c, a, b, broadcast(x, c.shape))
    return _plus(c, matmul(c, a, b), x, beta, alpha)


@operator("addmv.default")
def _addmv(c: Call, x: Value, a: Value, v: Value, beta: Any = 1, alpha: Any = 1) -> Value:
    return _plus(c, _mv(c, a, v), x, beta, alpha)


@operator("addbmm.default")
def _addbmm(c: Call, x: Value, a: Value, b: Value, beta: Any = 1, alpha: Any = 1) -> Value:
    a, b = c.context.cheap(a, 0), c.context.cheap(b, 0)
    made = summed(c, [a.shape[1], b.shape[2]], [a.shape[0], a.shape[2]], lambda i, r: a.at([r[0], i[0], r[1]]), lambda i, r: b.at([r[0], r[1], i[1]]), c.dtype)
    return _plus(c, made, x, beta, alpha)


def _plus(c: Call, made: Value, x: Value, beta: Any, alpha: Any) -> Value:
    """Returns alpha * made + beta * x."""

    def f(p: Expression, y: Expression) -> Expression:
        p = p if alpha == 1 else mul(p, literal(alpha, p.dtype))
        return add(p, y if beta == 1 else mul(y, literal(beta, y.dtype))) if beta != 0 else p

    return elementwise(c, f, [made, x], c.dtype)


@operator("mv.default")
def _mv(c: Call, a: Value, v: Value) -> Value:
    a, v = c.context.cheap(a, 0), c.context.cheap(v, 0)
    return summed(c, [a.shape[0]], [a.shape[1]], lambda i, r: a.at([*i, *r]), lambda i, r: v.at(r), c.dtype)


@operator("dot.default", "vdot.default")
def _dot(c: Call, a: Value, b: Value) -> Value:
    a, b = c.context.cheap(a, 0), c.context.cheap(b, 0)
    return summed(c, [], [a.shape[0]], lambda i, r: a.at(r), lambda i, r: b.at(r), c.dtype)


@operator("linear.default")
def _linear(c: Call, x: Value, weight: Value, bias: Value | None = None) -> Value:
    x, weight = c.context.cheap(x, 0), c.context.cheap(weight, 0)
    start = None if bias is None else broadcast(c.context.cheap(bias, 0), c.shape)
    if weight.rank == 1:
        return summed(c, list(x.shape[:-1]), [x.shape[-1]], lambda i, r: x.at([*i, *r]), lambda i, r: weight.at(r), c.dtype, start=start)
    dims = [*x.shape[:-1], weight.shape[0]]
    return summed(c, dims, [x.shape[-1]], lambda i, r: x.at([*i[:-1], *r]), lambda i, r: weight.at([i[-1], *r]), c.dtype, start=start)


@operator("_trilinear.default")
def _trilinear(c: Call, a: Value, b: Value, d: Value, *expands: Any) -> Value:
    from .registry import NotLowered

    raise NotLowered("the product of three tensors")


@operator("_cdist_forward.default")
def _cdist(c: Call, a: Value, b: Value, p: float, _: Any = None) -> Value:
    from .arithmetic import fn, num, sub

    a, b = c.context.cheap(a, 0), c.context.cheap(b, 0)
    shape = c.shape
    lead = shape[:-2]
    first, second = (broadcast(x, (*lead, *x.shape[-2:])) for x in (a, b))
    buffer, name, far = c.context.buffer("distance", c.dtype, shape), c.context.name("sum"), c.context.name("d")
    dtype = computed(c.dtype)

    def build(index: list[Polynomial], depth: int) -> list[Statement]:
        def term(r: list[Polynomial], _: int) -> list[Statement]:
            d = sub(first([*index[:-1], *r]), second([*index[:-2], index[-1], *r]))
            d = d if p == 2 else fn("fabs", d)
            near = local(far, dtype)
            zero = literal(0, dtype)
            part = cast(compare("!=", near, zero), dtype) if p == 0 else mul(near, near) if p == 2 else near if p in (1, float("inf")) else fn("pow", near, num(near, p))
            return [Declare(far, dtype, d, True), Update(name, dtype, "max" if p == float("inf") else "+", part)]

        total = local(name, dtype)
        total = fn("sqrt", total) if p == 2 else total if p in (0, 1, float("inf")) else fn("pow", total, num(total, 1 / p))
        return [Declare(name, dtype, literal(0, dtype)), *loops([a.shape[-1]], depth, term), Store(buffer, flatten(index, shape), total)]

    return c.context.fill(buffer, shape, build)

