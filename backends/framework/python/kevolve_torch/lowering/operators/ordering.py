"""Sorts, the k largest, and running sums along a dim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..expression import Expression, binary, cast, compare, computed, either, index_value, is_float, limits, literal, load, local, maximum, minimum
from ..index import Opaque, Polynomial, flatten, interned, product
from ..statements import Array, Buffer, Declare, If, Loop, Statement, Store, Text, Update, loops
from ..values import Value, of_buffer, reshaped
from .arithmetic import add, fn, mul, sub
from .reductions import around
from .registry import Call, NotLowered, operator
from .views import axis


def _rows(x: Value, d: int) -> tuple[list[Polynomial], Callable[[list[Polynomial], Polynomial], list[Polynomial]]]:
    return [n for e, n in enumerate(x.shape) if e != d], lambda i, k: [*i[:d], k, *i[d:]]


def _named(name: str) -> Polynomial:
    return Polynomial({(interned(Opaque(local(name, "i64"))),): 1})


def sorted_rows(c: Call, x: Value, d: int, descending: bool, take: Polynomial | None = None, stable: bool = True) -> tuple:
    """Returns values and their places, by a bottom-up merge of each row in scratch arrays; stable."""
    del stable
    x = c.context.cheap(x)
    rest, index_of = _rows(x, d)
    n = x.shape[d]
    if n.value is None:
        raise NotLowered("a sort of rows of a symbolic length")
    if n.value > 65536:
        raise NotLowered("a sort of rows of more than 65536 elements")
    dtype = computed(x.dtype)
    ctx = c.context
    shape = c.outputs[0][1]
    values = ctx.buffer("ordered", x.dtype, shape)
    places = ctx.buffer("place", "i64", shape)
    keys, at, other_keys, other_at = (ctx.name(w) for w in ("keys", "at", "other_keys", "other_at"))
    width, low, a, b, k = (ctx.name(w) for w in ("width", "low", "a", "b", "next"))
    before = "<" if not descending else ">"
    key_buffer, at_buffer = Buffer(keys, dtype, (n,), "scratch"), Buffer(at, "i64", (n,), "scratch")

    def build(i: list[Polynomial], depth: int) -> list[Statement]:
        def copy(r: list[Polynomial], _: int) -> list[Statement]:
            return [Store(key_buffer, r[0], cast(x.at(index_of(i, r[0])), dtype)), Store(at_buffer, r[0], index_value(r[0]))]

        size = n.value
        lines = [f"for (int64_t {width} = 1; {width} < {size}; {width} *= 2) {{",
                 f"  for (int64_t {low} = 0; {low} < {size}; {low} += 2 * {width}) {{",
                 f"    const int64_t {low}_middle = {low} + {width} < {size} ? {low} + {width} : {size};",
                 f"    const int64_t {low}_end = {low} + 2 * {width} < {size} ? {low} + 2 * {width} : {size};",
                 f"    int64_t {a} = {low}, {b} = {low}_middle;",
                 f"    for (int64_t {k} = {low}; {k} < {low}_end; ++{k}) {{",
                 f"      const int {k}_second = {a} >= {low}_middle || ({b} < {low}_end && {keys}[{b}] {before} {keys}[{a}]);",
                 f"      {other_keys}[{k}] = {k}_second ? {keys}[{b}] : {keys}[{a}];",
                 f"      {other_at}[{k}] = {k}_second ? {at}[{b}] : {at}[{a}];",
                 f"      {b} += {k}_second;",
                 f"      {a} += 1 - {k}_second;",
                 "    }", "  }",
                 f"  for (int64_t {k} = 0; {k} < {size}; ++{k}) {{",
                 f"    {keys}[{k}] = {other_keys}[{k}];",
                 f"    {at}[{k}] = {other_at}[{k}];",
                 "  }", "}"]  # fmt: skip

        def write(r: list[Polynomial], _: int) -> list[Statement]:
            where = flatten(index_of(i, r[0]), shape)
            return [Store(values, where, load(key_buffer, r[0])), Store(places, where, load(at_buffer, r[0]))]

        arrays = [Array(keys, dtype, n), Array(at, "i64", n), Array(other_keys, dtype, n), Array(other_at, "i64", n)]
        return [*arrays, *loops([n], depth, copy), Text(lines, [load(key_buffer, Polynomial({}))], [(key_buffer, keys), (at_buffer, at)]),
                *loops([n if take is None else take], depth, write)]  # fmt: skip

    ctx.nest(rest, build, fusable=False)
    made = of_buffer(values)
    made.dtype = x.dtype
    return made, of_buffer(places)


def _sort(c: Call, x: Value, dim: int = -1, descending: bool = False) -> tuple:
    if x.rank == 0:
        return x, Value("i64", (), lambda i: literal(0, "i64"))
    return sorted_rows(c, x, axis(dim, x.rank), descending)


operator("sort.default")(_sort)
operator("sort.stable")(lambda c, x, stable=None, dim=-1, descending=False: _sort(c, x, dim, descending))


@operator("topk.default")
def _topk(c: Call, x: Value, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple:
    if x.rank == 0:
        return x, Value("i64", (), lambda i: literal(0, "i64"))
    d = axis(dim, x.rank)
    if k > 32:
        return sorted_rows(c, x, d, largest, Polynomial({(): k}))
    x = c.context.cheap(x)
    rest, index_of = _rows(x, d)
    dtype = computed(x.dtype)
    ctx = c.context
    shape = c.shape
    values, places = ctx.buffer("ordered", x.dtype, shape), ctx.buffer("place", "i64", shape)
    best, at, value, r = (ctx.name(w) for w in ("best", "at", "value", "r"))
    best_buffer, at_buffer = Buffer(best, dtype, (Polynomial({(): k}),), "scratch"), Buffer(at, "i64", (Polynomial({(): k}),), "scratch")
    sign = ">" if largest else "<"

    def build(i: list[Polynomial], depth: int) -> list[Statement]:
        def begin(s: list[Polynomial], _: int) -> list[Statement]:
            return [Store(best_buffer, s[0], literal(limits(dtype)[0 if largest else 1], dtype)), Store(at_buffer, s[0], literal(-1, "i64"))]

        def look(s: list[Polynomial], _: int) -> list[Statement]:
            lines = [f"int64_t {r} = {k - 1};",
                     f"while ({r} > 0 && ({at}[{r} - 1] < 0 || {best}[{r} - 1] {'<' if largest else '>'} {value})) {{",
                     f"  {best}[{r}] = {best}[{r} - 1];", f"  {at}[{r}] = {at}[{r} - 1];", f"  {r} = {r} - 1;", "}",
                     f"{best}[{r}] = {value};", f"{at}[{r}] = {{0}};"]  # fmt: skip
            last = Polynomial({(): k - 1})
            better = either(compare(sign, local(value, dtype), load(best_buffer, last)), compare("<", load(at_buffer, last), literal(0, "i64")))
            text = Text(lines, [index_value(s[0]), local(value, dtype)], [(best_buffer, best), (at_buffer, at)])
            return [Declare(value, dtype, cast(x.at(index_of(i, s[0])), dtype), True), If(better, [text])]

        def write(s: list[Polynomial], _: int) -> list[Statement]:
            where = flatten(index_of(i, s[0]), shape)
            return [Store(values, where, load(best_buffer, s[0])), Store(places, where, load(at_buffer, s[0]))]

        count = Polynomial({(): k})
        return [Array(best, dtype, count), Array(at, "i64", count), *loops([count], depth, begin), *loops([x.shape[d]], depth, look),
                *loops([count], depth, write)]  # fmt: skip

    ctx.nest(rest, build, fusable=False)
    made = of_buffer(values)
    made.dtype = x.dtype
    return made, of_buffer(places)


@operator("kthvalue.default")
def _kthvalue(c: Call, x: Value, k: int, dim: int = -1, keepdim: bool = False) -> tuple:
    return _ranked(c, x, axis(dim, x.rank), k - 1)


@operator("median.dim")
def _median(c: Call, x: Value, dim: int, keepdim: bool = False) -> tuple:
    d = axis(dim, x.rank)
    n = x.shape[d].value if x.rank else 1
    return _ranked(c, x, d, ((n or 1) - 1) // 2)


@operator("median.default")
def _median_all(c: Call, x: Value) -> Value:
    line = reshaped(x, (x.count,))
    return _ranked(c, line, 0, ((line.shape[0].value or 1) - 1) // 2)[0]


def _ranked(c: Call, x: Value, d: int, k: int) -> tuple:
    if x.rank == 0:
        return x, Value("i64", (), lambda i: literal(0, "i64"))
    full = Call(c.context, [(c.dtype, x.shape), ("i64", x.shape)], c.promoted, None)
    values, places = sorted_rows(full, x, d, False)
    rest = [n for e, n in enumerate(x.shape) if e != d]
    pick = lambda v: reshaped(Value(v.dtype, rest, lambda i: v.at([*i[:d], Polynomial({(): k}), *i[d:]])), c.shape)
    return pick(values), pick(places)


def running(c: Call, x: Value, dim: int, start: Any, step: Callable[[Expression, Expression], Expression], wanted: str) -> Value:
    """Returns what `step` makes of all elements so far along a dim."""
    if x.rank == 0:
        dtype0 = computed(c.dtype)
        return Value(c.dtype, c.shape, lambda i: cast(x.at(i), dtype0), x.cost)
    d = axis(dim, x.rank)
    rest, index_of = _rows(x, d)
    dtype = computed(c.dtype)
    buffer, name = c.context.buffer(wanted, c.dtype, x.shape), c.context.name("so_far")
    begin = literal(start(dtype) if callable(start) else start, dtype)
    behind = product(x.shape[d + 1 :])
    if behind != 1 and (behind.value or ROW + 1) <= ROW:
        return beside(c, x, d, buffer, name, begin, step)

    def build(i: list[Polynomial], depth: int) -> list[Statement]:
        def body(r: list[Polynomial], _: int) -> list[Statement]:
            at = index_of(i, r[0])
            return [Update(name, dtype, "=", step(local(name, dtype), cast(x.at(at), dtype))), Store(buffer, flatten(at, x.shape), local(name, dtype))]

        made = loops([x.shape[d]], depth, body)
        for s in made:
            if isinstance(s, Loop):
                s.carried = True
        return [Declare(name, dtype, begin), *made]

    return c.context.fill(buffer, rest, build, c.dtype, x.shape)


ROW = 4096  # running values that stand beside each other


def beside(c: Call, x: Value, d: int, buffer: Buffer, name: str, begin: Expression, step: Callable[[Expression, Expression], Expression]) -> Value:
    """Returns the running values of all columns at once, a row of them for each step."""
    dtype = begin.dtype
    lead, after = list(x.shape[:d]), list(x.shape[d + 1 :])
    row = Buffer(name, dtype, (product(after),), "scratch")

    def build(i: list[Polynomial], depth: int) -> list[Statement]:
        def clear(r: list[Polynomial], _: int) -> list[Statement]:
            return [Store(row, r[0], begin)]

        def along(k: list[Polynomial], depth: int) -> list[Statement]:
            def column(r: list[Polynomial], _: int) -> list[Statement]:
                at, place = [*i, k[0], *r], flatten(r, after)
                now = step(load(row, place), cast(x.at(at), dtype))
                return [Store(row, place, now), Store(buffer, flatten(at, x.shape), load(row, place))]

            return around(after, depth, column)

        return [Array(name, dtype, product(after)), *loops([product(after)], depth, clear), *loops([x.shape[d]], depth, along)]

    return c.context.fill(buffer, lead, build, c.dtype, x.shape)


operator("cumsum.default")(lambda c, x, dim, **_: running(c, x, dim, 0, add, "running"))
operator("cumprod.default")(lambda c, x, dim, **_: running(c, x, dim, 1, mul, "running"))


@operator("logcumsumexp.default")
def _logcumsumexp(c: Call, x: Value, dim: int) -> Value:
    def step(s: Expression, v: Expression) -> Expression:
        high, low = maximum(s, v), minimum(s, v)
        return add(high, fn("log1p", fn("exp", sub(low, high))))

    return running(c, x, dim, lambda d: limits(d)[0], step, "running")


def _running_best(sign: str) -> Callable[..., tuple]:
    def lower(c: Call, x: Value, dim: int) -> tuple:
        if x.rank == 0:
            return x, Value("i64", (), lambda i: literal(0, "i64"))
        d = axis(dim, x.rank)
        rest, index_of = _rows(x, d)
        dtype = computed(x.dtype)
        ctx = c.context
        values, places = ctx.buffer("running", x.dtype, x.shape), ctx.buffer("place", "i64", x.shape)
        top, at = ctx.name("best"), ctx.name("at")
        zero = Polynomial({})

        def build(i: list[Polynomial], depth: int) -> list[Statement]:
            def body(r: list[Polynomial], _: int) -> list[Statement]:
                where = index_of(i, r[0])
                v = cast(x.at(where), dtype)
                test = compare(sign, v, local(top, dtype))
                return [If(test, [Update(top, dtype, "=", v), Update(at, "i64", "=", index_value(r[0]))]),
                        Store(values, flatten(where, x.shape), local(top, dtype)), Store(places, flatten(where, x.shape), local(at, "i64"))]  # fmt: skip

            first = cast(x.at(index_of(i, zero)), dtype)
            return [Declare(top, dtype, first), Declare(at, "i64", literal(0, "i64")), *loops([x.shape[d]], depth, body)]

        ctx.nest(rest, build)
        made = of_buffer(values)
        made.dtype = x.dtype
        return made, of_buffer(places)

    return lower


operator("cummax.default")(_running_best(">="))
operator("cummin.default")(_running_best("<="))


__all__ = ["binary", "is_float"]
