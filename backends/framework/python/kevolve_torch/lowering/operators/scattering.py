"""Scatters: a copy of the input, then stores in the order of the indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..expression import Expression, binary, cast, computed, literal, load, local, maximum, minimum, select
from ..index import ZERO, Polynomial, flatten
from ..statements import Declare, If, Statement, Store, Update, loops
from ..values import Value, of_buffer, reshaped
from .indexing import element, index_map, indexed_dims, opaque, wrapped
from .pointwise import broadcast, where
from .registry import Call, NotLowered, operator
from .views import axis


def copied(c: Call, x: Value, wanted: str = "scattered") -> Any:
    """Returns a buffer with a copy of the tensor, for stores that follow."""
    buffer = c.context.buffer(wanted, c.dtype, c.shape)

    def build(i: list[Polynomial], depth: int) -> list[Statement]:
        return [Store(buffer, flatten(i, c.shape), cast(x.at(i), buffer.dtype))]

    c.context.nest(c.shape, build)
    return buffer


def into(c: Call, x: Value, dims: list[Polynomial], place: Callable[[list[Polynomial]], Polynomial], value: Callable[[list[Polynomial]], Expression],
         how: str = "=") -> Value:  # fmt: skip
    """Returns x with `value` stored at (or combined with what stands at) the places that an index tensor chooses."""
    buffer = copied(c, x)
    dtype = computed(buffer.dtype)

    def build(_: list[Polynomial], depth: int) -> list[Statement]:
        def body(i: list[Polynomial], _: int) -> list[Statement]:
            at, v = place(i), cast(value(i), dtype)
            now = load(buffer, at)
            if how == "+" and dtype != "bool":
                return [Store(buffer, at, v, True)]
            v = {"=": lambda: v, "+": lambda: cast(binary("|", now, v), dtype), "*": lambda: binary("*", now, v), "max": lambda: maximum(now, v),
                 "min": lambda: minimum(now, v)}[how]()  # fmt: skip
            return [Store(buffer, at, v)]

        return loops(list(dims), depth, body)

    c.context.nest([], build, fusable=False)
    out = of_buffer(buffer)
    out.dtype = c.dtype
    return out


REDUCE = {"add": "+", "sum": "+", "multiply": "*", "prod": "*", "amax": "max", "amin": "min", None: "="}


def scatter(c: Call, x: Value, dim: int, index: Value, value: Any, how: str) -> Value:
    index = c.context.cheap(index)
    if isinstance(value, Value):
        value = c.context.cheap(value, 10)
    if x.rank == 0:
        f0 = lambda i: value.at([]) if isinstance(value, Value) else literal(value, computed(x.dtype))
        return into(c, x, [], lambda i: ZERO, f0, how)
    d = axis(dim, x.rank)
    f = lambda i: value.at(i) if isinstance(value, Value) else literal(value, computed(x.dtype))
    return into(c, x, list(index.shape), lambda i: flatten([*i[:d], element(index, i), *i[d + 1 :]], x.shape), f, how)


@operator("scatter_reduce.two")
def _scatter_reduce(c: Call, x: Value, dim: int, index: Value, value: Value, reduce: str, include_self: bool = True) -> Value:
    if reduce == "mean" or not include_self:
        raise NotLowered("the mean, or a result without the tensor's own elements")
    return scatter(c, x, dim, index, value, REDUCE[reduce])


def _at_rows(how: str) -> Callable[..., Value]:
    def lower(c: Call, x: Value, dim: int, index: Value, value: Any, alpha: Any = 1) -> Value:
        index = c.context.cheap(index)
        if x.rank == 0:
            f0 = lambda i: value.at([] if value.rank == 0 else [ZERO]) if isinstance(value, Value) else literal(value, computed(x.dtype))
            return into(c, x, [], lambda i: ZERO, f0, how)
        d = axis(dim, x.rank)
        line = reshaped(index, (index.count,))
        dims = [*x.shape[:d], line.shape[0], *x.shape[d + 1 :]]

        def f(i: list[Polynomial]) -> Expression:
            v = value.at(i if value.rank else []) if isinstance(value, Value) else literal(value, computed(x.dtype))
            return v if alpha == 1 else binary("*", cast(v, computed(x.dtype)), literal(alpha, computed(x.dtype)))

        return into(c, x, dims, lambda i: flatten([*i[:d], wrapped(element(line, [i[d]]), x.shape[d]), *i[d + 1 :]], x.shape), f, how)

    return lower


@operator("index_put.default", "_unsafe_index_put.default", "index_put_.default")
def _index_put(c: Call, x: Value, indices: list[Value | None], value: Value, accumulate: bool = False) -> Value:
    indices = [None if i is None else i if i.dtype == "bool" else c.context.cheap(i, 8) for i in indices]
    if len(indices) == 1 and indices[0] is not None and indices[0].dtype == "bool":
        mask = indices[0]
        if value.count != 1:
            raise NotLowered("indices of truth values: which values go where follows from them")
        lone = reshaped(value, ())
        chosen = lambda i: cast(mask.at(i[: mask.rank]), "bool")
        return Value(c.dtype, c.shape, lambda i: select(chosen(i), cast(lone.at([]), computed(c.dtype)), x.at(i)), x.cost + mask.cost + 1)
    dims, given, _, start, joint = indexed_dims(c, x, list(indices))
    back = index_map(x, dims, given, start, joint, True)
    rest = [n for d, n in enumerate(x.shape) if d not in dims]
    shape = (*rest[:start], *joint, *rest[start:])
    source = broadcast(c.context.cheap(value), shape)
    return into(c, x, list(shape), lambda i: flatten(back(i), x.shape), source, "+" if accumulate else "=")


def _over(c: Call, x: Value, source: Value, place: Callable[[list[Polynomial]], list[Polynomial]]) -> Value:
    """Returns x with the source in place of a part of it."""
    buffer = copied(c, x)
    dtype = computed(c.dtype)

    def build(i: list[Polynomial], depth: int) -> list[Statement]:
        return [Store(buffer, flatten(place(i), c.shape), cast(source.at(i), dtype))]

    c.context.nest(source.shape, build, fusable=False)
    out = of_buffer(buffer)
    out.dtype = c.dtype
    return out


@operator("select_scatter.default")
def _select_scatter(c: Call, x: Value, source: Value, dim: int, at: int) -> Value:
    d = axis(dim, x.rank)
    place = Polynomial({(): at}) if at >= 0 else x.shape[d] + at
    return _over(c, x, source, lambda i: [*i[:d], place, *i[d:]])


@operator("slice_scatter.default")
def _slice_scatter(c: Call, x: Value, source: Value, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Value:
    d = axis(dim, x.rank)
    begin = 0 if start is None else start
    if isinstance(begin, int) and begin < 0:
        begin = x.shape[d] + begin
    return _over(c, x, source, lambda i: [*i[:d], i[d] * step + begin, *i[d + 1 :]])


@operator("diagonal_scatter.default")
def _diagonal_scatter(c: Call, x: Value, source: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    a, b = axis(dim1, x.rank), axis(dim2, x.rank)

    def place(i: list[Polynomial]) -> list[Polynomial]:
        rest = list(i[:-1])
        return [i[-1] + max(-offset, 0) if d == a else i[-1] + max(offset, 0) if d == b else rest.pop(0) for d in range(x.rank)]

    return _over(c, x, source, place)


@operator("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(c: Call, x: Value, mask: Value, value: Any) -> Value:
    return where(c, mask, value, x)


@operator("masked_scatter.default")
def _masked_scatter(c: Call, x: Value, mask: Value, source: Value) -> Value:
    buffer = c.context.buffer("scattered", c.dtype, c.shape)
    name = c.context.name("next")
    dtype = computed(c.dtype)
    chosen = broadcast(mask, c.shape)
    source = c.context.cheap(source)
    line = reshaped(source, (source.count,))
    at = Polynomial({(opaque(local(name, "i64")),): 1})

    def build(_: list[Polynomial], depth: int) -> list[Statement]:
        def body(i: list[Polynomial], _: int) -> list[Statement]:
            place = flatten(i, c.shape)
            take = [Store(buffer, place, cast(line.at([at]), dtype)), Update(name, "i64", "+", literal(1, "i64"))]
            return [Store(buffer, place, cast(x.at(i), dtype)), If(cast(chosen(i), "bool"), take)]

        return [Declare(name, "i64", literal(0, "i64")), *loops(list(c.shape), depth, body)]

    c.context.nest([], build, fusable=False)
    out = of_buffer(buffer)
    out.dtype = c.dtype
    return out


operator("scatter.src", "scatter.value")(lambda c, x, dim, index, value: scatter(c, x, dim, index, value, "="))
operator("scatter.reduce", "scatter.value_reduce")(lambda c, x, dim, index, value, reduce: scatter(c, x, dim, index, value, REDUCE[reduce]))
operator("scatter_add.default")(lambda c, x, dim, index, value: scatter(c, x, dim, index, value, "+"))
operator("index_add.default")(_at_rows("+"))
operator("index_copy.default", "index_fill.int_Scalar", "index_fill.int_Tensor")(_at_rows("="))
