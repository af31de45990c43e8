"""Pooling: averages, maxima with and without their places, adaptive windows."""

from __future__ import annotations

from typing import Any

from ..expression import Expression, as_index, binary, cast, compare, computed, index_value, is_float, limits, literal, local, maximum, minimum
from ..index import Polynomial, constant, flatten
from ..statements import Declare, If, Statement, Store, Update, loops
from ..values import Value, of_buffer, reshaped
from .arithmetic import add, div
from .convolution import windows
from .reductions import with_nan
from .registry import Call, operator


def _each(v: Any, n: int, otherwise: Any = None) -> list[int]:
    v = otherwise if v is None or (isinstance(v, (list, tuple)) and not v) else v
    v = [v] if isinstance(v, int) else list(v)
    return v * n if len(v) == 1 else v


def _batched(x: Value, n: int, shape: tuple) -> tuple[Value, list[Polynomial]]:
    """Returns the input with its leading dims as one, and the result's dims likewise."""
    from ..index import product

    lead = product(x.shape[:-n])
    return reshaped(x, (lead, *x.shape[-n:])), [lead, *shape[-n:]]


def _average(n: int) -> Any:
    def lower(c: Call, x: Value, kernel: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, include: bool = True,
              divisor: int | None = None) -> Value:  # fmt: skip
        size, steps, pads = _each(kernel, n), _each(stride, n, kernel), _each(padding, n)
        x, dims = _batched(c.context.cheap(x, 2), n, c.shape)
        extents = x.shape[1:]
        buffer, name = c.context.buffer("pooled", c.dtype, dims), c.context.name("sum")
        dtype = computed(c.dtype)
        plain = all(p == 0 for p in pads) and not ceil_mode

        def build(index: list[Polynomial], depth: int) -> list[Statement]:
            b, *at = index
            begin = [at[d] * steps[d] - pads[d] for d in range(n)]

            def term(r: list[Polynomial], _: int) -> list[Statement]:
                places = [begin[d] + r[d] for d in range(n)]
                return [Update(name, dtype, "+", cast(x.at([b, *places]), dtype))]

            if divisor is not None or plain or (include and not ceil_mode):
                count: Expression = literal(divisor if divisor is not None else _product(size), dtype)
            else:
                count = literal(1, "i64")
                for d in range(n):
                    end = minimum(index_value(begin[d] + size[d]), index_value(extents[d] + (pads[d] if include else 0)))
                    low = index_value(begin[d]) if include else maximum(index_value(begin[d]), literal(0, "i64"))
                    count = binary("*", count, binary("-", end, low))
                count = cast(count, dtype)
            result = div(local(name, dtype), count)
            window = windows([constant(s) for s in size], depth, lambda d, r: begin[d] + r, extents, term)
            return [Declare(name, dtype, literal(0, dtype)), *window,
                    Store(buffer, flatten(index, dims), result)]  # fmt: skip

        return c.context.fill(buffer, dims, build, c.dtype, c.shape)

    return lower


def _product(values: list[int]) -> int:
    out = 1
    for v in values:
        out *= v
    return out


def _largest(n: int) -> Any:
    def lower(c: Call, x: Value, kernel: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Any:
        size, steps, pads, gaps = _each(kernel, n), _each(stride, n, kernel), _each(padding, n), _each(dilation, n)
        x, dims = _batched(c.context.cheap(x, 2), n, c.shape)
        extents = x.shape[1:]
        dtype = computed(x.dtype)
        places_read = c.reads(1)
        values = c.context.buffer("pooled", x.dtype, dims)
        indices = c.context.buffer("place", "i64", dims) if places_read else None
        top, where = c.context.name("largest"), c.context.name("at")
        lost, each = c.context.name("lost"), c.context.name("v")

        def build(index: list[Polynomial], depth: int) -> list[Statement]:
            b, *at = index

            def term(r: list[Polynomial], _: int) -> list[Statement]:
                places = [at[d] * steps[d] - pads[d] + r[d] * gaps[d] for d in range(n)]
                v = cast(x.at([b, *places]), dtype)
                if not places_read:
                    return with_nan(top, lost, each, dtype, "max", v) if is_float(dtype) else [Update(top, dtype, "max", v)]
                better = compare(">", v, local(top, dtype))
                update = [Update(top, dtype, "=", v), Update(where, "i64", "=", index_value(flatten(places, extents)))]
                return [If(better, update)]

            out: list[Statement] = [Declare(top, dtype, literal(limits(dtype)[0], dtype))]
            if places_read:
                first = [at[d] * steps[d] - pads[d] for d in range(n)]
                begin = literal(0, "i64") if any(pads) else index_value(flatten(first, extents))
                out.append(Declare(where, "i64", begin))
            out += windows([constant(s) for s in size], depth, lambda d, r: at[d] * steps[d] - pads[d] + r * gaps[d], extents, term)
            found = local(top, dtype)
            if is_float(dtype) and not places_read:
                out.insert(0, Declare(lost, dtype, literal(0, dtype)))
                found = add(found, local(lost, dtype))
            out.append(Store(values, flatten(index, dims), found))
            if indices is not None:
                out.append(Store(indices, flatten(index, dims), local(where, "i64")))
            return out

        c.context.nest(dims, build)
        made = of_buffer(values, c.shape)
        made.dtype = x.dtype
        if len(c.outputs) == 1:
            return made
        return made, of_buffer(indices, c.outputs[1][1]) if indices is not None else None

    return lower


for _n in (1, 2, 3):
    operator(f"avg_pool{_n}d.default")(_average(_n))
    operator(f"max_pool{_n}d_with_indices.default", f"max_pool{_n}d.default")(_largest(_n))


def _windows(extent: Polynomial, count: Polynomial, at: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Returns the first place and the length of an adaptive window."""
    if extent.value is not None and count.value is not None and extent.value % count.value == 0:
        each = extent.value // count.value
        return at * each, Polynomial({(): each})
    begin = (at * extent) // count
    return begin, ((at + 1) * extent + count - 1) // count - begin


def _adaptive(n: int, largest: bool) -> Any:
    def lower(c: Call, x: Value, *_: Any) -> Any:
        x, dims = _batched(c.context.cheap(x, 2), n, c.shape)
        extents = x.shape[1:]
        dtype = computed(x.dtype)
        buffer = c.context.buffer("pooled", x.dtype, dims)
        indices = c.context.buffer("place", "i64", dims) if largest and c.reads(1) else None
        name, where = c.context.name("largest" if largest else "sum"), c.context.name("at")
        names = [(c.context.name("begin"), c.context.name("length")) for _ in range(n)]

        def build(index: list[Polynomial], depth: int) -> list[Statement]:
            b, *at = index
            windows = [_windows(extents[d], dims[d + 1], at[d]) for d in range(n)]
            named: list[Statement] = []
            for d, window in enumerate(windows):
                if window[1].value is None:
                    for part, text in zip(window, names[d], strict=True):
                        named.append(Declare(text, "i64", index_value(part), True))
                    windows[d] = (as_index(local(names[d][0], "i64")), as_index(local(names[d][1], "i64")))

            def term(r: list[Polynomial], _: int) -> list[Statement]:
                places = [windows[d][0] + r[d] for d in range(n)]
                v = cast(x.at([b, *places]), dtype)
                if not largest:
                    return [Update(name, dtype, "+", v)]
                if indices is None:
                    return [Update(name, dtype, "max", v)]
                better = compare(">", v, local(name, dtype))
                return [If(better, [Update(name, dtype, "=", v), Update(where, "i64", "=", index_value(flatten(places, extents)))])]

            out: list[Statement] = [*named, Declare(name, dtype, literal(limits(dtype)[0] if largest else 0, dtype))]
            if indices is not None:
                out.append(Declare(where, "i64", index_value(flatten([w[0] for w in windows], extents))))
            out += loops([w[1] for w in windows], depth, term)
            result = local(name, dtype)
            if not largest:
                count = index_value(1)
                for _, length in windows:
                    count = binary("*", count, index_value(length))
                result = div(result, cast(count, dtype))
            out.append(Store(buffer, flatten(index, dims), result))
            if indices is not None:
                out.append(Store(indices, flatten(index, dims), local(where, "i64")))
            return out

        c.context.nest(dims, build)
        made = of_buffer(buffer, c.shape)
        made.dtype = x.dtype
        if not largest:
            return made
        return made, of_buffer(indices, c.outputs[1][1]) if indices is not None else None

    return lower


for _n in (1, 2, 3):
    operator(f"_adaptive_avg_pool{_n}d.default", f"adaptive_avg_pool{_n}d.default")(_adaptive(_n, False))
    operator(f"adaptive_max_pool{_n}d.default")(_adaptive(_n, True))
