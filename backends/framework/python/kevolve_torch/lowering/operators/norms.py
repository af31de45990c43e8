"""Softmax and normalisations, by their parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..expression import Expression, cast, computed, is_float, literal
from ..index import ZERO, Polynomial, as_polynomial
from ..values import CHEAP, Index, Value, filled, of_buffer, reshaped
from .arithmetic import add, div, fn, mul, num, sub
from .reductions import axes, extreme, mean, reduced, squares
from .registry import Call, operator


def dropped(index: Index, dims: list[int]) -> list[Polynomial]:
    return [p for d, p in enumerate(index) if d not in dims]


def softmax(c: Call, x: Value, dim: int, log: bool) -> Value:
    dtype = c.dtype
    computing = computed(dtype)
    dims = axes(dim, x.rank)
    x = c.context.cheap(x)
    top = extreme(c, x, dims, "max", keeps_nan=False)  # exp() of a NaN is one
    far = lambda i: sub(cast(x.at(i), computing), cast(top.at(dropped(i, dims)), computing))
    powers = Value(dtype, x.shape, lambda i: fn("exp", far(i)), 20)
    if not log:
        c.context.realise(powers, "weight")
    total = reduced(c, powers, dims, "total", "+", lambda d: 0, computing, out=computing)
    if log:
        logs = c.context.realise(Value(computing, total.shape, lambda i: fn("log", total.at(i)), 20), "level")
        return Value(dtype, c.shape, lambda i: sub(far(i), logs.at(dropped(i, dims))), 2)
    return Value(dtype, c.shape, lambda i: div(powers.at(i), total.at(dropped(i, dims))), 2)


operator("_softmax.default", "softmax.int", "_safe_softmax.default")(lambda c, x, dim, *_: softmax(c, x, dim, False))
operator("_log_softmax.default", "log_softmax.int")(lambda c, x, dim, *_: softmax(c, x, dim, True))


def scale_of(c: Call, variance: Value, eps: float, wanted: str = "scale") -> Value:
    dtype = computed(variance.dtype)
    made = Value(dtype, variance.shape, lambda i: div(literal(1, dtype), fn("sqrt", add(cast(variance.at(i), dtype), literal(eps, dtype)))), 20)
    return c.context.realise(made, wanted)


def scaled(x: Value, weight: Value | None, bias: Value | None, at: Callable[[Index], Any], centre: Callable[[Index], Expression],
           scale: Callable[[Index], Expression]) -> Callable[[Index], Expression]:  # fmt: skip
    """Returns (x - centre) * scale * weight + bias as a function of the index; `at` gives weight's index."""
    dtype = computed(x.dtype)

    def value(i: Index) -> Expression:
        out = mul(sub(cast(x.at(i), dtype), centre(i)), scale(i))
        if weight is not None:
            out = mul(out, cast(weight.at(at(i)), dtype))
        return out if bias is None else add(out, cast(bias.at(at(i)), dtype))

    return value


@operator("native_layer_norm.default")
def _layer_norm(c: Call, x: Value, shape: list[int], weight: Value | None, bias: Value | None, eps: float) -> tuple:
    dims = list(range(x.rank - len(shape), x.rank))
    x = c.context.cheap(x)
    middle = mean(c, x, dims)
    scale = scale_of(c, squares(c, x, middle, dims, 0), eps)
    outer = lambda i: list(i[: dims[0]])
    f = scaled(x, weight, bias, lambda i: list(i[dims[0] :]), lambda i: middle.at(outer(i)), lambda i: scale.at(outer(i)))
    out = Value(c.dtype, x.shape, f, 4)
    return out, _like(middle, c, 1), _like(scale, c, 2)


def _like(x: Value, c: Call, n: int) -> Value:
    return of_buffer(x.buffer, c.outputs[n][1]) if x.buffer is not None else reshaped(x, c.outputs[n][1])


@operator("native_group_norm.default")
def _group_norm(c: Call, x: Value, weight: Value | None, bias: Value | None, batch: Any, channels: Any, area: Any, groups: int, eps: float) -> tuple:
    del area
    each = as_polynomial(channels) // groups
    x = c.context.cheap(x)
    view = reshaped(x, (batch, groups, each, *x.shape[2:]))
    dims = list(range(2, view.rank))
    middle = mean(c, view, dims)
    scale = scale_of(c, squares(c, view, middle, dims, 0), eps)
    f = scaled(view, weight, bias, lambda i: [i[1] * each + i[2]], lambda i: middle.at(i[:2]), lambda i: scale.at(i[:2]))
    out = _kept(c, Value(c.dtype, view.shape, f, 4), x.shape)
    return out, _like(middle, c, 1), _like(scale, c, 2)


def _kept(c: Call, x: Value, shape: tuple) -> Value:
    """Returns the tensor filled by loops over its own dims, under another shape."""
    made = c.context.realise(x, "normed")
    return reshaped(made, shape)


@operator("_native_batch_norm_legit_no_training.default", "_native_batch_norm_legit_functional.default", "_native_batch_norm_legit.no_stats",
          "native_batch_norm.default", "_batch_norm_no_update.default")  # fmt: skip
def _batch_norm(c: Call, x: Value, weight: Value | None, bias: Value | None, *rest: Any) -> tuple:
    if isinstance(rest[0], Value):
        middle, variance, *settings = rest
        training = settings[0] if isinstance(settings[0], bool) else False
        eps = settings[-1]
    else:
        middle = variance = None
        training, eps = True, [r for r in rest if isinstance(r, float)][-1]
    if training or middle is None:
        x = c.context.cheap(x)
        dims = [d for d in range(x.rank) if d != 1]
        middle = mean(c, x, dims)
        variance = squares(c, x, middle, dims, 0)
    scale = scale_of(c, variance, eps)
    dtype = computed(x.dtype)
    channel = lambda i: [i[1]]
    f = scaled(x, weight, bias, channel, lambda i: cast(middle.at(channel(i)), dtype), lambda i: scale.at(channel(i)))
    saved = [filled(literal(0, d), d, n) if n == (ZERO,) else v for v, (d, n) in zip((middle, scale), c.outputs[1:3], strict=False)]
    return Value(c.dtype, x.shape, f, 4 + x.cost), *saved, None, None


@operator("_fused_rms_norm.default", "rms_norm.default")
def _rms_norm(c: Call, x: Value, shape: list[int], weight: Value | None = None, eps: float | None = None) -> Any:
    dims = list(range(x.rank - len(shape), x.rank))
    x = c.context.cheap(x)
    dtype = computed(x.dtype)
    eps = eps if eps is not None else {"f64": 2.220446049250313e-16}.get(x.dtype, 1.1920928955078125e-07)
    from ..expression import index_value
    from ..index import product

    count = product(x.shape[d] for d in dims)
    total = reduced(c, x, dims, "scale", "+", lambda d: 0, dtype, term=lambda e: mul(e, e), out=dtype,
                    final=lambda e: div(num(e, 1), fn("sqrt", add(div(e, cast(index_value(count), dtype)), num(e, eps)))))  # fmt: skip

    def at(i: Index) -> Expression:
        out = mul(cast(x.at(i), dtype), total.at(i[: dims[0]]))
        return out if weight is None else mul(out, cast(weight.at(i[dims[0] :]), dtype))

    out = Value(c.dtype, x.shape, at, 2)
    return (out, _like(total, c, 1)) if len(c.outputs) > 1 else out


__all__ = ["CHEAP", "is_float"]
