"""Tensors made of indices and constants."""

from __future__ import annotations

from typing import Any

from ..expression import binary, cast, compare, computed, index_value, is_float, literal, select
from ..index import Polynomial
from ..values import Index, Value, filled
from .pointwise import elementwise
from .registry import Call, operator
from .views import axis


def _constant(c: Call, value: Any) -> Value:
    return filled(literal(value, c.dtype) if not isinstance(value, Polynomial) else cast(index_value(value), c.dtype), c.dtype, c.shape)


@operator("full.default", "full_like.default", "new_full.default")
def _full(c: Call, _: Any, value: Any, **__: Any) -> Value:
    return _constant(c, value)


@operator("zeros.default", "zeros_like.default", "new_zeros.default", "ones.default", "ones_like.default", "new_ones.default",
          "empty.memory_format", "empty_like.default", "new_empty.default", "empty_permuted.default", "empty_strided.default")  # fmt: skip
def _zeros(c: Call, *_: Any, **__: Any) -> Value:
    return _constant(c, 0)


@operator("fill.Scalar")
def _fill(c: Call, _: Value, value: Any) -> Value:
    return _constant(c, value)


@operator("fill.Tensor", "copy.default")
def _fill_tensor(c: Call, _: Value, value: Value, *__: Any) -> Value:
    return elementwise(c, lambda a: a, [value], value.dtype if c.dtype == "bool" else c.dtype, 0)


@operator("arange.start_step", "arange.start", "arange.default", "prims.iota.default")
def _arange(c: Call, *args: Any, **named: Any) -> Value:
    if "start" in named:  # prims.iota(length, start=, step=)
        start, step = named["start"], named.get("step", 1)
    else:
        start, step = (0, 1) if len(args) == 1 else (args[0], args[2] if len(args) > 2 else named.get("step", 1))
    if is_float(c.dtype) or isinstance(start, float) or isinstance(step, float):
        dtype = computed(c.dtype)

        def at(i: Index) -> Any:
            return binary("+", literal(start, dtype), binary("*", cast(index_value(i[0]), dtype), literal(step, dtype)))

        return Value(c.dtype, c.shape, at, 2, constant=True)
    return Value(c.dtype, c.shape, lambda i: cast(index_value(i[0] * step + start), computed(c.dtype)), constant=True)


@operator("linspace.default")
def _linspace(c: Call, start: float, end: float, steps: int, **_: Any) -> Value:
    step = (end - start) / max(steps - 1, 1)
    return _arange(c, float(start), float(end), float(step))


@operator("eye.default", "eye.m")
def _eye(c: Call, *_: Any, **__: Any) -> Value:
    return Value(c.dtype, c.shape, lambda i: cast(compare("==", index_value(i[0]), index_value(i[1])), c.dtype), 1, constant=True)


def _triangle(op: str) -> Any:
    def lower(c: Call, x: Value, diagonal: int = 0) -> Value:
        zero = literal(0, computed(x.dtype))
        keep = lambda i: compare(op, index_value(i[-1] - i[-2]), literal(diagonal, "i64"))
        return Value(c.dtype, c.shape, lambda i: select(keep(i), x.at(i), zero), x.cost + 1)

    return lower


@operator("sym_size.int")
def _size(c: Call, x: Value, d: int) -> Polynomial:
    return x.shape[axis(d, x.rank)]


operator("ones.default", "ones_like.default", "new_ones.default")(lambda c, *_, **__: _constant(c, 1))
operator("scalar_tensor.default")(lambda c, value, **_: _constant(c, value))
operator("tril.default")(_triangle("<="))
operator("triu.default")(_triangle(">="))
