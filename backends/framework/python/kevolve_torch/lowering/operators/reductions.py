"""Reductions over dims, with the index of the best where asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..expression import Expression, binary, call, cast, compare, computed, either, index_value, is_float, limits, literal, local, negation, select
from ..index import Polynomial, flatten, product
from ..statements import Declare, If, Statement, Store, Update, loops, merged
from ..values import CHEAP, Value, of_buffer
from .arithmetic import add, div, fn, is_nan, mul, num, sub
from .registry import Call, operator
from .views import axis


def axes(dims: Any, rank: int) -> list[int]:
    if dims is None or (isinstance(dims, (list, tuple)) and not dims):
        return list(range(rank))
    return sorted({axis(d, rank) for d in ([dims] if isinstance(dims, int) else dims)}) if rank else []


def split_index(kept: list[Polynomial], reduced: list[Polynomial], dims: list[int], rank: int) -> list[Polynomial]:
    """Returns the index of an element from those of the dims that stay and of those that are reduced."""
    first, second = iter(kept), iter(reduced)
    return [next(second) if d in dims else next(first) for d in range(rank)]


def around(extents: list[Polynomial], depth: int, body: Callable[[list[Polynomial], int], list[Statement]]) -> list[Statement]:
    """Returns loops over reduced dims, neighbours in memory as one loop."""
    from ..schedule import quotients
    from ..statements import spread

    dims = tuple(extents)
    plain = loops(list(extents), depth, body)
    short = merged(list(extents), lambda index: body(spread(index, dims), depth + len(index)), depth)
    if len(short) == sum(e != 1 for e in extents):
        return plain
    joined = loops(short, depth, lambda index, d: body(spread(index, dims), d))
    return joined if quotients(joined) <= quotients(plain) else plain


def reduced(c: Call, x: Value, dims: list[int], wanted: str, op: str, start: Callable[[str], Any], dtype: str,
            term: Callable[[Expression], Expression] = lambda e: e,
            final: Callable[[Expression], Expression] = lambda e: e, out: str | None = None, shape: tuple | None = None,
            keeps_nan: bool = False) -> Value:  # fmt: skip
    """Returns a reduction: `start`, then `op` with the term of each element, then `final`; computed in `dtype`.

    `keeps_nan`: a sum of the terms that are no numbers stands beside it and is added to the result, since fmaxf drops them.
    """
    kept = [n for d, n in enumerate(x.shape) if d not in dims]
    gone = [n for d, n in enumerate(x.shape) if d in dims]
    out = out or c.dtype
    buffer = c.context.buffer(wanted, out, kept)
    name = c.context.name("sum" if op == "+" else "product" if op == "*" else "largest" if op == "max" else "least" if op == "min" else "found")
    dtype = computed(dtype)
    lost = c.context.name("lost") if keeps_nan and is_float(dtype) else ""
    each = c.context.name("v") if lost else ""

    def build(index: list[Polynomial], depth: int) -> list[Statement]:
        def inner(r: list[Polynomial], _: int) -> list[Statement]:
            v = term(cast(x.at(split_index(index, r, dims, x.rank)), dtype))
            return [Update(name, dtype, op, v)] if not lost else with_nan(name, lost, each, dtype, op, v)

        found = local(name, dtype) if not lost else add(local(name, dtype), local(lost, dtype))
        begin = [Declare(name, dtype, literal(start(dtype), dtype)), *([Declare(lost, dtype, literal(0, dtype))] if lost else [])]
        return [*begin, *around(gone, depth, inner), Store(buffer, flatten(index, kept), cast(final(found), computed(out)))]

    return c.context.fill(buffer, kept, build, out, kept if shape is None else shape)


def with_nan(name: str, lost: str, each: str, dtype: str, op: str, v: Expression) -> list[Statement]:
    """Returns an update by max or min, and one of the sum of all NaNs."""
    now = local(each, dtype)
    return [Declare(each, dtype, v, True), Update(name, dtype, op, now), Update(lost, dtype, "+", select(is_nan(now), now, literal(0, dtype)))]


def _sum(c: Call, x: Value, dims: Any = None, keepdim: bool = False, **_: Any) -> Value:
    return reduced(c, x, axes(dims, x.rank), "total", "+", lambda d: 0, c.dtype, shape=c.shape)


operator("sum.default", "sum.dim_IntList")(_sum)


@operator("mean.default", "mean.dim")
def _mean(c: Call, x: Value, dims: Any = None, keepdim: bool = False, **_: Any) -> Value:
    return mean(c, x, axes(dims, x.rank), c.shape)


def mean(c: Call, x: Value, dims: list[int], shape: tuple | None = None, wanted: str = "mean") -> Value:
    count = product(x.shape[d] for d in dims)
    final = lambda e: div(e, cast(index_value(count), e.dtype))
    dtype = c.dtype if is_float(c.dtype) else "f32"
    return reduced(c, x, dims, wanted, "+", lambda d: 0, dtype, final=final, out=dtype, shape=shape)


def squares(c: Call, x: Value, middle: Value, dims: list[int], correction: float, wanted: str = "variance", root: bool = False,
            shape: tuple | None = None) -> Value:  # fmt: skip
    """Returns the mean squared distance from `middle`, which has one element for all reduced ones."""
    kept = [n for d, n in enumerate(x.shape) if d not in dims]
    gone = [n for d, n in enumerate(x.shape) if d in dims]
    buffer = c.context.buffer(wanted, x.dtype, kept)
    name, far = c.context.name("squares"), c.context.name("d")
    dtype = computed(x.dtype)
    count = product(gone)

    def build(index: list[Polynomial], depth: int) -> list[Statement]:
        def inner(r: list[Polynomial], _: int) -> list[Statement]:
            d = sub(cast(x.at(split_index(index, r, dims, x.rank)), dtype), cast(middle.at(index), dtype))
            return [Declare(far, dtype, d, True), Update(name, dtype, "+", mul(local(far, dtype), local(far, dtype)))]

        result = div(local(name, dtype), divisor(count, correction, dtype))
        result = fn("sqrt", result) if root else result
        return [Declare(name, dtype, literal(0, dtype)), *around(gone, depth, inner), Store(buffer, flatten(index, kept), result)]

    return c.context.fill(buffer, kept, build, x.dtype, kept if shape is None else shape)


def divisor(count: Polynomial, correction: float, dtype: str) -> Expression:
    if count.value is not None:
        return literal(max(count.value - correction, 0), dtype)
    return binary("-", cast(index_value(count), dtype), literal(correction, dtype))


@operator("var.correction", "std.correction", "var_mean.correction", "std_mean.correction")
def _var(c: Call, x: Value, dims: Any = None, correction: Any = 1, keepdim: bool = False) -> Any:
    chosen = axes(dims, x.rank)
    c.context.cheap(x)
    middle = mean(c, x, chosen)
    spread_ = squares(c, x, middle, chosen, 1 if correction is None else correction, shape=c.shape)
    if len(c.outputs) == 2:
        return spread_, of_buffer(middle.buffer, c.shape)  # type: ignore[arg-type]
    return spread_


@operator("std.correction")
def _std(c: Call, x: Value, dims: Any = None, correction: Any = 1, keepdim: bool = False) -> Any:
    chosen = axes(dims, x.rank)
    c.context.cheap(x)
    middle = mean(c, x, chosen)
    return squares(c, x, middle, chosen, 1 if correction is None else correction, "deviation", True, c.shape)


@operator("prod.default", "prod.dim_int")
def _prod(c: Call, x: Value, dims: Any = None, keepdim: bool = False, **_: Any) -> Value:
    return reduced(c, x, axes(dims, x.rank), "total", "*", lambda d: 1, c.dtype, shape=c.shape)


def _extreme(op: str) -> Callable[..., Value]:
    def lower(c: Call, x: Value, dims: Any = None, keepdim: bool = False) -> Value:
        return extreme(c, x, axes(dims, x.rank), op, c.shape)

    return lower


def extreme(c: Call, x: Value, dims: list[int], op: str, shape: tuple | None = None, keeps_nan: bool = True) -> Value:
    """Returns the largest or the least; NaN where one is among them, unless whoever uses the result sees to that."""
    start = lambda d: limits(d)[0 if op == "max" else 1]
    return reduced(c, x, dims, op, op, start, x.dtype, out=x.dtype, shape=shape, keeps_nan=keeps_nan)


operator("amax.default", "max.default")(_extreme("max"))
operator("amin.default", "min.default")(_extreme("min"))


@operator("any.default", "any.dim", "any.dims")
def _any(c: Call, x: Value, dims: Any = None, keepdim: bool = False) -> Value:
    return truth(c, x, dims, "|", 0)


@operator("all.default", "all.dim", "all.dims")
def _all(c: Call, x: Value, dims: Any = None, keepdim: bool = False) -> Value:
    return truth(c, x, dims, "&", 1)


def truth(c: Call, x: Value, dims: Any, op: str, start: int) -> Value:
    return reduced(c, x, axes(dims, x.rank), "found", op, lambda d: start, "bool", term=lambda e: cast(e, "bool"), shape=c.shape)


def best(c: Call, x: Value, dims: list[int], op: str, shape: tuple, values: bool, places: bool) -> tuple[Value | None, Value | None]:
    """Returns the first largest (or least) element over dims, and its row-major place among the reduced."""
    kept = [n for d, n in enumerate(x.shape) if d not in dims]
    gone = [n for d, n in enumerate(x.shape) if d in dims]
    dtype = computed(x.dtype)
    ctx = c.context
    top, at = ctx.name("best"), ctx.name("at")
    value_buffer = ctx.buffer("best_value", x.dtype, kept) if values else None
    place_buffer = ctx.buffer("best_index", "i64", kept) if places else None
    sign = ">" if op == "max" else "<"
    zero = [Polynomial({})] * len(gone)

    def build(index: list[Polynomial], depth: int) -> list[Statement]:
        def inner(r: list[Polynomial], _: int) -> list[Statement]:
            v = cast(x.at(split_index(index, r, dims, x.rank)), dtype)
            test = compare(sign, v, local(top, dtype))
            return [If(test, [Update(top, dtype, "=", v), Update(at, "i64", "=", index_value(flatten(r, gone)))])]

        first = cast(x.at(split_index(index, zero, dims, x.rank)), dtype)
        out: list[Statement] = [Declare(top, dtype, first), Declare(at, "i64", literal(0, "i64")), *around(gone, depth, inner)]
        if value_buffer is not None:
            out.append(Store(value_buffer, flatten(index, kept), local(top, dtype)))
        if place_buffer is not None:
            out.append(Store(place_buffer, flatten(index, kept), local(at, "i64")))
        return out

    ctx.nest(kept, build)
    made = of_buffer(value_buffer, shape) if value_buffer else None
    if made is not None:
        made.dtype = x.dtype
    return made, of_buffer(place_buffer, shape) if place_buffer else None


def _arg(op: str) -> Callable[..., Any]:
    def lower(c: Call, x: Value, dim: int | None = None, keepdim: bool = False) -> Any:
        x = c.context.cheap(x, 10)
        return best(c, x, axes(dim, x.rank), op, c.shape, False, True)[1]

    return lower


def _best_of_dim(op: str) -> Callable[..., Any]:
    def lower(c: Call, x: Value, dim: int, keepdim: bool = False) -> Any:
        if not c.reads(1):
            return extreme(c, x, axes(dim, x.rank), op, c.shape), None
        x = c.context.cheap(x, 10)
        return best(c, x, axes(dim, x.rank), op, c.shape, c.reads(0), True)

    return lower


operator("argmax.default")(_arg("max"))
operator("argmin.default")(_arg("min"))
operator("max.dim")(_best_of_dim("max"))
operator("min.dim")(_best_of_dim("min"))


@operator("aminmax.default")
def _aminmax(c: Call, x: Value, dim: int | None = None, keepdim: bool = False) -> tuple:
    c.context.cheap(x)
    return extreme(c, x, axes(dim, x.rank), "min", c.shape), extreme(c, x, axes(dim, x.rank), "max", c.shape)


@operator("count_nonzero.default", "count_nonzero.dim_IntList")
def _count(c: Call, x: Value, dims: Any = None) -> Value:
    return reduced(c, x, axes(dims, x.rank), "count", "+", lambda d: 0, "i64", term=lambda e: e, shape=c.shape) if x.dtype == "bool" else reduced(
        c, Value("bool", x.shape, lambda i: cast(x.at(i), "bool"), x.cost + 1), axes(dims, x.rank), "count", "+", lambda d: 0, "i64", shape=c.shape
    )


@operator("linalg_vector_norm.default", "norm.ScalarOpt_dim", "norm.Scalar")
def _norm(c: Call, x: Value, order: Any = 2, dims: Any = None, keepdim: bool = False, **_: Any) -> Value:
    order = 2 if order is None else order
    chosen = axes(dims, x.rank)
    dtype = computed(c.dtype)
    size = lambda e: fn("fabs", e)
    if order == float("inf") or order == float("-inf"):
        op = "max" if order > 0 else "min"
        start = lambda d: 0 if order > 0 else limits(d)[1]
        return reduced(c, x, chosen, "norm", op, start, dtype, term=size, shape=c.shape)
    if order == 0:
        return reduced(c, x, chosen, "norm", "+", lambda d: 0, dtype, term=lambda e: cast(compare("!=", e, num(e, 0)), dtype), shape=c.shape)
    if order == 1:
        return reduced(c, x, chosen, "norm", "+", lambda d: 0, dtype, term=size, shape=c.shape)
    if order == 2:
        return reduced(c, c.context.cheap(x), chosen, "norm", "+", lambda d: 0, dtype, term=lambda e: mul(e, e), final=lambda e: fn("sqrt", e), shape=c.shape)
    power = lambda e: call("pow", e.dtype, size(e), num(e, order))
    return reduced(c, x, chosen, "norm", "+", lambda d: 0, dtype, term=power, final=lambda e: call("pow", e.dtype, e, num(e, 1 / order)), shape=c.shape)


@operator("logsumexp.default")
def _logsumexp(c: Call, x: Value, dims: Any, keepdim: bool = False) -> Value:
    chosen = axes(dims, x.rank)
    x = c.context.cheap(x)
    top = extreme(c, x, chosen, "max", keeps_nan=False)
    kept = [n for d, n in enumerate(x.shape) if d not in chosen]
    gone = [n for d, n in enumerate(x.shape) if d in chosen]
    dtype = computed(c.dtype)
    buffer, name = c.context.buffer("logsumexp", c.dtype, kept), c.context.name("sum")

    def build(index: list[Polynomial], depth: int) -> list[Statement]:
        largest = cast(top.at(index), dtype)

        def inner(r: list[Polynomial], _: int) -> list[Statement]:
            v = cast(x.at(split_index(index, r, chosen, x.rank)), dtype)
            return [Update(name, dtype, "+", fn("exp", sub(v, largest)))]

        result = binary("+", largest, fn("log", local(name, dtype)))
        return [Declare(name, dtype, literal(0, dtype)), *around(gone, depth, inner), Store(buffer, flatten(index, kept), result)]

    return c.context.fill(buffer, kept, build, c.dtype, c.shape)


__all__ = ["CHEAP", "either", "negation"]
