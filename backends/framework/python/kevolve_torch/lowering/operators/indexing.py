"""Gathers and scatters: index, select, embedding, embedding bags, scatter, index_put."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..expression import Expression, as_index, binary, cast, compare, computed, index_value, literal, local, select
from ..index import Opaque, Polynomial, flatten, is_nonnegative
from ..statements import Declare, If, Statement, Store, loops
from ..values import CHEAP, Index, Value, of_buffer, reshaped
from .arithmetic import div
from .registry import Call, NotLowered, operator
from .views import axis


def element(x: Value, index: Index) -> Polynomial:
    """Returns an element of an index tensor as an index."""
    return as_index(cast(x.at(index), "i64"))


def surely_nonnegative(x: Expression) -> bool:
    """Returns true if a number is never negative, as far as its operators show."""
    if x.op == "const":
        return x.data >= 0
    if x.op == "index":
        atoms = [a for a in x.data.atoms() if isinstance(a, Opaque)]
        if not atoms:
            return is_nonnegative(x.data)
        return all(c >= 0 for c in x.data.terms.values()) and all(surely_nonnegative(a.expression) for a in atoms)
    if x.op == "select":
        condition, a, b = x.operands
        if condition.op == "<" and condition.operands[0] is b and condition.operands[1].op == "const" and condition.operands[1].data >= 0:
            return surely_nonnegative(a)
        return surely_nonnegative(a) and surely_nonnegative(b)
    if x.op == "call":
        return x.data in ("fabs", "sqrt", "exp") or (x.data in ("floor", "rint", "fmin") and all(map(surely_nonnegative, x.operands)))
    return x.op in ("cast", "+", "*", "/", "%") and all(map(surely_nonnegative, x.operands))


def wrapped(p: Polynomial, extent: Polynomial) -> Polynomial:
    """Returns an index that may count from the end."""
    x = index_value(p)
    if surely_nonnegative(x):
        return p
    return as_index(select(compare("<", x, literal(0, "i64")), binary("+", x, index_value(extent)), x))


def indexed_dims(c: Call, x: Value, indices: list[Value | None]) -> tuple[list[int], list[Value], bool, int, list[Polynomial]]:
    """Returns the indexed dims, their index tensors, whether they stand together, where the joint dims go, and those."""
    if any(i is not None and i.dtype == "bool" for i in indices):
        raise NotLowered("indices of truth values: the result's shape follows from the values")
    dims = [d for d, i in enumerate(indices) if i is not None]
    given = [i for i in indices if i is not None]
    rank = max(i.rank for i in given)
    joint: list[Polynomial] = []
    for d in range(rank):
        sizes = [i.shape[d - rank + i.rank] for i in given if d - rank + i.rank >= 0]
        joint.append(next((s for s in sizes if s != 1), sizes[0]))
    together = dims == list(range(dims[0], dims[-1] + 1))
    return dims, given, together, dims[0] if together else 0, joint


def index_map(x: Value, dims: list[int], given: list[Value], start: int, joint: list[Polynomial], wrap: bool) -> Callable[[Index], list[Polynomial]]:
    from .pointwise import broadcast

    getters = [broadcast(i, tuple(joint)) for i in given]

    def back(i: Index) -> list[Polynomial]:
        middle = i[start : start + len(joint)]
        rest = list(i[:start]) + list(i[start + len(joint) :])
        out: list[Polynomial] = []
        for d in range(x.rank):
            if d in dims:
                p = as_index(cast(getters[dims.index(d)](middle), "i64"))
                out.append(wrapped(p, x.shape[d]) if wrap else p)
            else:
                out.append(rest.pop(0))
        return out

    return back


def _index(wrap: bool) -> Callable[..., Value]:
    def lower(c: Call, x: Value, indices: list[Value | None], *_: Any) -> Value:
        x = c.context.cheap(x)
        indices = [i if i is None else c.context.cheap(i, CHEAP + 5) if i.constant else c.context.cheap(i) for i in indices]
        dims, given, _together, start, joint = indexed_dims(c, x, list(indices))
        back = index_map(x, dims, given, start, joint, wrap)
        cost = sum(g.cost for g in given if not g.constant)  # places that follow from indices are not worth an array
        return Value(c.dtype, c.shape, lambda i: x.at(back(i)), x.cost + cost + 1)

    return lower


operator("index.Tensor")(_index(True))
operator("_unsafe_index.Tensor")(_index(False))


@operator("index_select.default")
def _index_select(c: Call, x: Value, dim: int, index: Value) -> Value:
    x, index = c.context.cheap(x), c.context.cheap(index)
    d = axis(dim, x.rank)
    if x.rank == 0:
        return reshaped(x, c.shape)
    line = reshaped(index, (index.count,))
    return Value(c.dtype, c.shape, lambda i: x.at([*i[:d], element(line, [i[d]]), *i[d + 1 :]]), 1)


@operator("gather.default")
def _gather(c: Call, x: Value, dim: int, index: Value, **_: Any) -> Value:
    x, index = c.context.cheap(x), c.context.cheap(index)
    if x.rank == 0:
        return reshaped(x, c.shape)
    d = axis(dim, x.rank)
    if index.rank == 0:
        index = reshaped(index, (1,) * x.rank)
    return Value(c.dtype, c.shape, lambda i: x.at([*i[:d], element(index, i), *i[d + 1 :]]), 1)


@operator("take.default")
def _take(c: Call, x: Value, index: Value) -> Value:
    line = reshaped(c.context.cheap(x), (x.count,))
    return Value(c.dtype, c.shape, lambda i: line.at([wrapped(element(index, i), x.count)]), 1)


@operator("embedding.default")
def _embedding(c: Call, weight: Value, index: Value, *_: Any) -> Value:
    weight, index = c.context.cheap(weight), c.context.cheap(index)
    return Value(c.dtype, c.shape, lambda i: weight.at([element(index, i[: index.rank]), *i[index.rank :]]), 1)


@operator("_embedding_bag.default", "_embedding_bag_forward_only.default", "embedding_bag.default")
def _embedding_bag(c: Call, weight: Value, index: Value, offsets: Value, scale: bool = False, mode: int = 0, sparse: bool = False,
                   each: Value | None = None, include_last: bool = False, padding: int = -1) -> tuple:  # fmt: skip
    if padding >= 0:
        raise NotLowered("a padding index")
    weight, index, offsets = (c.context.cheap(v) for v in (weight, index, offsets))
    bags, width = c.shape
    dtype = computed(c.dtype)
    buffer = c.context.buffer("bag", dtype, c.shape)
    begin, end = c.context.name("begin"), c.context.name("end")
    first = Polynomial({(opaque(local(begin, "i64")),): 1})
    last = Polynomial({(opaque(local(end, "i64")),): 1})

    def bounds(b: Polynomial) -> list[Statement]:
        stop: Expression
        if include_last:
            stop = cast(offsets.at([b + 1]), "i64")
        else:
            follows = compare("<", index_value(b), index_value(bags - 1))
            stop = select(follows, cast(offsets.at([b + 1]), "i64"), index_value(index.shape[0]), guard=True)
        return [Declare(begin, "i64", cast(offsets.at([b]), "i64"), True), Declare(end, "i64", stop, True)]

    def build(i: list[Polynomial], depth: int) -> list[Statement]:
        (b,) = i

        def zero(w: list[Polynomial], _: int) -> list[Statement]:
            return [Store(buffer, flatten([b, *w], c.shape), literal(0, dtype))]

        def row(k: list[Polynomial], depth: int) -> list[Statement]:
            def add(w: list[Polynomial], _: int) -> list[Statement]:
                at = element(index, [first + k[0]])
                v = cast(weight.at([at, *w]), dtype)
                place = flatten([b, *w], c.shape)
                if mode == 2:
                    from ..expression import load, maximum

                    now = load(buffer, place)
                    initial = compare("==", index_value(k[0]), literal(0, "i64"))
                    return [Store(buffer, place, select(initial, v, maximum(now, v)))]
                if each is not None:
                    v = binary("*", v, cast(each.at([first + k[0]]), dtype))
                return [Store(buffer, place, v, True)]

            return loops([width], depth, add)

        out: list[Statement] = [*bounds(b), *loops([width], depth, zero), *loops([last - first], depth, row)]
        if mode == 1:

            def divide(w: list[Polynomial], _: int) -> list[Statement]:
                from ..expression import load

                place = flatten([b, *w], c.shape)
                return [Store(buffer, place, div(load(buffer, place), cast(index_value(last - first), dtype)))]

            many = compare(">", index_value(last - first), literal(1, "i64"))
            out.append(If(many, loops([width], depth, divide)))
        return out

    c.context.nest([bags], build)
    made = of_buffer(buffer)
    made.dtype = c.dtype
    return made, None, None, None


def opaque(x: Expression) -> Any:
    """Returns a scalar as an atom of index expressions."""
    from ..index import interned

    return interned(Opaque(x))


@operator("bincount.default", "histc.default")
def _bincount(c: Call, *_: Any) -> Value:
    raise NotLowered("the result's shape follows from the values")


@operator("searchsorted.Tensor", "searchsorted.Scalar")
def _searchsorted(c: Call, edges: Value, x: Any, out_int32: bool = False, right: bool = False, **named: Any) -> Value:
    if named.get("sorter") is not None:
        raise NotLowered("a sorter")
    right = right or named.get("side") == "right"
    if not isinstance(x, Value):
        x = Value(edges.dtype, (), lambda i, x=x: literal(x, computed(edges.dtype)))
    return searched(c, edges, x, right)


@operator("bucketize.Tensor", "bucketize.Scalar")
def _bucketize(c: Call, x: Any, edges: Value, out_int32: bool = False, right: bool = False) -> Value:
    return _searchsorted(c, edges, x, out_int32, right)


def searched(c: Call, edges: Value, x: Value, right: bool) -> Value:
    """Returns how many edges stand before each value, by halves; edges are sorted along their last dim."""
    from ..statements import Text

    edges, x = c.context.realise(edges), c.context.cheap(x)
    n = edges.shape[-1]
    buffer = c.context.buffer("found", c.dtype, c.shape)
    ctx = c.context
    low, high, middle, wanted = ctx.name("low"), ctx.name("high"), ctx.name("middle"), ctx.name("wanted")
    dtype = "f64" if "f64" in (edges.dtype, x.dtype) else computed(edges.dtype if edges.dtype[0] in "fb" else x.dtype)
    at = Polynomial({(opaque(local(middle, "i64")),): 1})

    def build(i: list[Polynomial], depth: int) -> list[Statement]:
        row = list(i[:-1]) if edges.rank > 1 else []
        test = compare("<=" if right else "<", cast(edges.at([*row, at]), dtype), local(wanted, dtype))
        lines = [f"while ({low} < {high}) {{", f"  const int64_t {middle} = {low} + ({high} - {low}) / 2;", "  if ({0})",
                 f"    {low} = {middle} + 1;", "  else", f"    {high} = {middle};", "}"]  # fmt: skip
        return [Declare(wanted, dtype, cast(x.at(i), dtype), True), Declare(low, "i64", literal(0, "i64")), Declare(high, "i64", index_value(n)),
                Text(lines, [test], changes={low, high}), Store(buffer, flatten(i, c.shape), cast(local(low, "i64"), buffer.dtype))]  # fmt: skip

    return c.context.fill(buffer, c.shape, build, c.dtype)

