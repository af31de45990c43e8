"""Elementwise operators."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..expression import (
    both,
    cast,
    compare,
    computed,
    either,
    index_value,
    is_float,
    literal,
    make,
    maximum,
    minimum,  # fmt: skip
    negation,
    select,
    unary,
)
from ..index import ZERO, Polynomial, product
from ..values import CHEAP, Index, Value
from .arithmetic import (
    E,
    absolute,
    add,
    bits,
    clamp,
    div,
    elu,
    floor_divide,
    fn,
    gelu,
    is_infinite,
    is_nan,
    logic,
    mul,
    neg,
    num,
    power,
    remainder,  # fmt: skip
    shift,
    sigmoid,
    sign,
    softplus,
    sub,
    truncated_division,
    whole_rest,
)
from .registry import Call, operator


def broadcast(x: Value, shape: tuple) -> Callable[[Index], E]:
    """Returns the tensor as a function of the indices of a larger shape."""
    shift = len(shape) - x.rank
    fixed = [x.shape[d] == 1 and shape[d + shift] != 1 for d in range(x.rank)]
    return lambda index: x.at([ZERO if fixed[d] else index[d + shift] for d in range(x.rank)])


def elementwise(c: Call, f: Callable[..., E], args: list[Any], dtype: str, cost: int = 1) -> Value:
    """Returns the elementwise result of f over tensors and numbers converted to `dtype`."""
    dtype = computed(dtype)
    shape = c.shape
    count = product(shape)
    getters: list[Callable[[Index], E]] = []
    total, constant = cost, True
    for a in args:
        if isinstance(a, Value):
            if a.cost > CHEAP and a.count != count:
                c.context.realise(a)
            getters.append(broadcast(a, shape))
            total += a.cost
            constant = constant and a.constant
        elif a is None:
            getters.append(lambda index: None)  # type: ignore[arg-type, return-value]
        else:
            made = cast(index_value(a), dtype) if isinstance(a, Polynomial) else literal(a, dtype)
            getters.append(lambda index, made=made: made)
    out = c.dtype

    def at(index: Index) -> E:
        xs = [x if x is None or x.dtype == dtype else cast(x, dtype) for x in (g(index) for g in getters)]
        return cast(f(*xs), out)

    return Value(out, shape, at, total, constant=constant)


LIBM = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc", "lgamma"]
UNARY_FLOAT: dict[str, Callable[[E], E]] = {name: (lambda x, name=name: fn(name, x)) for name in LIBM} | {
    "rsqrt": lambda x: div(num(x, 1), fn("sqrt", x)),
    "reciprocal": lambda x: div(num(x, 1), x),
    "sigmoid": sigmoid,
    "silu": lambda x: div(x, add(num(x, 1), fn("exp", neg(x)))),
    "rad2deg": lambda x: mul(x, num(x, 180 / math.pi)),
    "deg2rad": lambda x: mul(x, num(x, math.pi / 180)),
    "sinc": lambda x: select(compare("==", x, num(x, 0)), num(x, 1), div(fn("sin", mul(x, num(x, math.pi))), mul(x, num(x, math.pi)))),
    "log_sigmoid": lambda x: sub(minimum(x, num(x, 0)), fn("log1p", fn("exp", neg(fn("fabs", x))))),
    "logit_none": lambda x: fn("log", div(x, sub(num(x, 1), x))),
}
UNARY: dict[str, Callable[[E], E]] = {
    "neg": neg,
    "abs": absolute,
    "sign": sign,
    "sgn": sign,
    "ceil": lambda x: fn("ceil", x) if is_float(x.dtype) else x,
    "floor": lambda x: fn("floor", x) if is_float(x.dtype) else x,
    "trunc": lambda x: fn("trunc", x) if is_float(x.dtype) else x,
    "round": lambda x: fn("rint", x) if is_float(x.dtype) else x,
    "frac": lambda x: sub(x, fn("trunc", x)),
    "relu": lambda x: select(compare("<", x, num(x, 0)), num(x, 0), x),
    "square": lambda x: mul(x, x),
    "positive": lambda x: x,
    "bitwise_not": lambda x: negation(x) if x.dtype == "bool" else unary("~", x),
    "clone": lambda x: x,
    "alias": lambda x: x,
    "detach": lambda x: x,
    "lift_fresh_copy": lambda x: x,
    "relu6": lambda x: clamp(x, num(x, 0), num(x, 6)),
}
TESTS: dict[str, Callable[[E], E]] = {
    "isnan": is_nan,
    "isinf": is_infinite,
    "isfinite": lambda x: compare("<", fn("fabs", x), num(x, math.inf)) if is_float(x.dtype) else literal(True, "bool"),
    "isposinf": lambda x: compare("==", x, num(x, math.inf)) if is_float(x.dtype) else literal(False, "bool"),
    "isneginf": lambda x: compare("==", x, num(x, -math.inf)) if is_float(x.dtype) else literal(False, "bool"),
    "logical_not": lambda x: negation(cast(x, "bool")),
    "signbit": lambda x: literal(False, "bool") if x.dtype in ("bool", "u8") else compare("<", x, num(x, 0)) if not is_float(x.dtype) else compare("!=", make("call", "i32", x, data="signbit"), literal(0, "i32")),
}


def or_nan(a: E, plain: E, keeping: E) -> E:
    """Returns `keeping`, which is b if b is no number, or a if that is none; whole numbers are always numbers."""
    return select(is_nan(a), a, keeping) if is_float(a.dtype) else plain


BINARY: dict[str, Callable[[E, E], E]] = {
    "maximum": lambda a, b: or_nan(a, maximum(a, b), select(compare(">", a, b), a, b)),
    "minimum": lambda a, b: or_nan(a, minimum(a, b), select(compare("<", a, b), a, b)),
    "fmax": maximum,
    "fmin": minimum,
    "atan2": lambda a, b: fn("atan2", a, b),
    "hypot": lambda a, b: fn("hypot", a, b),
    "copysign": lambda a, b: fn("copysign", a, b),
    "nextafter": lambda a, b: fn("nextafter", a, b),
    "fmod": lambda a, b: fn("fmod", a, b) if is_float(a.dtype) else whole_rest(a, b),
    "remainder": remainder,
    "floor_divide": floor_divide,
    "pow": power,
    "bitwise_and": bits("&"),
    "bitwise_or": bits("|"),
    "bitwise_xor": bits("^"),
    "bitwise_left_shift": shift("<<"),
    "bitwise_right_shift": shift(">>"),
    "logical_and": logic(both),
    "logical_or": logic(either),
    "logical_xor": logic(lambda a, b: compare("!=", a, b)),
    "xlogy": lambda a, b: select(compare("==", a, num(a, 0)), num(a, 0), mul(a, fn("log", b))),
    "heaviside": lambda a, b: select(compare("==", a, num(a, 0)), b, cast(compare(">", a, num(a, 0)), a.dtype)),
    "ldexp": lambda a, b: mul(a, fn("exp2", b)),
}
COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
COSTLY = 10


def _register() -> None:
    for name, f in UNARY_FLOAT.items():
        operator(f"{name}.default")(lambda c, x, f=f: elementwise(c, f, [x], c.dtype, COSTLY))
    for name, f in UNARY.items():
        operator(f"{name}.default")(lambda c, x, f=f, **_: elementwise(c, f, [x], c.dtype, 0 if f is UNARY["clone"] else 1))
    for name, f in TESTS.items():
        operator(f"{name}.default")(lambda c, x, f=f: elementwise(c, f, [x], x.dtype))
    for name, f in BINARY.items():
        cost = COSTLY if name in ("pow", "atan2", "hypot", "fmod", "remainder", "floor_divide", "xlogy") else 1
        for overload in ("default", "Tensor", "Scalar", "Tensor_Tensor", "Tensor_Scalar", "Scalar_Tensor", "Scalar_Self", "Scalar_Other",
                         "Other"):  # fmt: skip
            operator(f"{name}.{overload}")(lambda c, a, b, f=f, cost=cost: elementwise(c, f, [a, b], _type(c), 1 if _simple(b) else cost))
    for name, op in COMPARE.items():
        for overload in ("Tensor", "Scalar"):
            operator(f"{name}.{overload}")(lambda c, a, b, op=op: elementwise(c, lambda x, y: compare(op, x, y), [a, b], c.promoted))


def _type(c: Call) -> str:
    """Returns the type to compute in: the result's, or that of the operands where a truth value results."""
    return c.promoted if c.dtype == "bool" else c.dtype


def _simple(b: Any) -> bool:
    return isinstance(b, (int, float)) and b in (2, 3, 1, -1)


_register()


@operator("add.Tensor", "add.Scalar")
def _sum(c: Call, a: Any, b: Any, alpha: Any = 1) -> Value:
    return elementwise(c, lambda x, y: add(x, y if alpha == 1 else mul(y, literal(alpha, y.dtype))), [a, b], c.dtype)


def _difference(swapped: bool) -> Callable[..., Value]:
    def lower(c: Call, a: Any, b: Any, alpha: Any = 1) -> Value:
        a, b = (b, a) if swapped else (a, b)
        return elementwise(c, lambda x, y: sub(x, y if alpha == 1 else mul(y, literal(alpha, y.dtype))), [a, b], c.dtype)

    return lower


operator("sub.Tensor", "sub.Scalar")(_difference(False))
operator("rsub.Tensor", "rsub.Scalar")(_difference(True))


@operator("mul.Tensor", "mul.Scalar")
def _product(c: Call, a: Any, b: Any) -> Value:
    return elementwise(c, mul, [a, b], c.dtype)


@operator("div.Tensor", "div.Scalar", "true_divide.Tensor")
def _quotient(c: Call, a: Any, b: Any) -> Value:
    return elementwise(c, div, [a, b], c.dtype, 2)


@operator("div.Tensor_mode", "div.Scalar_mode")
def _quotient_mode(c: Call, a: Any, b: Any, rounding_mode: str | None = None) -> Value:
    f = {None: div, "floor": floor_divide, "trunc": truncated_division}[rounding_mode]
    return elementwise(c, f, [a, b], c.dtype, COSTLY)


@operator("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def where(c: Call, condition: Value, a: Any, b: Any) -> Value:
    mask = broadcast(condition, c.shape)
    if condition.cost > CHEAP and condition.count != product(c.shape):
        c.context.realise(condition)
    inner = elementwise(c, lambda x, y: x, [a, b], c.dtype)
    left, right = (elementwise(c, lambda x: x, [x], c.dtype, 0) for x in (a, b))
    out = Value(c.dtype, c.shape, lambda i: select(cast(mask(i), "bool"), left.at(i), right.at(i)), inner.cost + condition.cost)
    out.constant = condition.constant and left.constant and right.constant
    return out


@operator("clamp.default", "clamp.Tensor", "clamp_min.default", "clamp_min.Tensor", "hardtanh.default")
def _clamp(c: Call, x: Value, low: Any = None, high: Any = None, **named: Any) -> Value:
    low, high = named.get("min", named.get("min_val", low)), named.get("max", named.get("max_val", high))
    return elementwise(c, clamp, [x, low, high], c.dtype, 2)


operator("hardtanh.default")(lambda c, x, low=-1.0, high=1.0: elementwise(c, clamp, [x, low, high], c.dtype, 2))


@operator("clamp_max.default", "clamp_max.Tensor")
def _clamp_max(c: Call, x: Value, high: Any) -> Value:
    return elementwise(c, lambda a, b: clamp(a, None, b), [x, high], c.dtype)


@operator("gelu.default")
def _gelu(c: Call, x: Value, approximate: str = "none") -> Value:
    return elementwise(c, lambda a: gelu(a, approximate), [x], c.dtype, COSTLY)


@operator("elu.default")
def _elu(c: Call, x: Value, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Value:
    return elementwise(c, lambda a: elu(a, alpha, scale, input_scale), [x], c.dtype, COSTLY)


@operator("leaky_relu.default")
def _leaky_relu(c: Call, x: Value, slope: float = 0.01) -> Value:
    return elementwise(c, lambda a: select(compare(">", a, num(a, 0)), a, mul(a, num(a, slope))), [x], c.dtype)


@operator("softplus.default")
def _softplus(c: Call, x: Value, beta: float = 1.0, threshold: float = 20.0) -> Value:
    return elementwise(c, lambda a: softplus(a, beta, threshold), [x], c.dtype, COSTLY)


@operator("hardsigmoid.default")
def _hardsigmoid(c: Call, x: Value) -> Value:
    return elementwise(c, lambda a: div(clamp(add(a, num(a, 3)), num(a, 0), num(a, 6)), num(a, 6)), [x], c.dtype, 4)


@operator("hardswish.default")
def _hardswish(c: Call, x: Value) -> Value:
    return elementwise(c, lambda a: div(mul(a, clamp(add(a, num(a, 3)), num(a, 0), num(a, 6))), num(a, 6)), [x], c.dtype, 4)


@operator("mish.default")
def _mish(c: Call, x: Value) -> Value:
    return elementwise(c, lambda a: mul(a, fn("tanh", fn("log1p", fn("exp", a)))), [x], c.dtype, COSTLY)


@operator("threshold.default")
def _threshold(c: Call, x: Value, threshold: float, value: float) -> Value:
    return elementwise(c, lambda a: select(compare("<=", a, num(a, threshold)), num(a, value), a), [x], c.dtype)


@operator("logit.default")
def _logit(c: Call, x: Value, eps: float | None = None) -> Value:
    def f(a: E) -> E:
        a = a if eps is None else clamp(a, num(a, eps), num(a, 1 - eps))
        return fn("log", div(a, sub(num(a, 1), a)))

    return elementwise(c, f, [x], c.dtype, COSTLY)


@operator("round.decimals")
def _round(c: Call, x: Value, decimals: int = 0) -> Value:
    def f(a: E) -> E:
        ten = num(a, 10.0 ** abs(decimals))
        return div(fn("rint", mul(a, ten)), ten) if decimals > 0 else mul(fn("rint", div(a, ten)), ten) if decimals else fn("rint", a)

    return elementwise(c, f, [x], c.dtype, COSTLY)


@operator("nan_to_num.default")
def _nan_to_num(c: Call, x: Value, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Value:
    def f(a: E) -> E:
        if not is_float(a.dtype):
            return a
        largest = 3.4028234663852886e38 if a.dtype == "f32" else 1.7976931348623157e308
        a = select(is_nan(a), num(a, nan or 0.0), a)
        a = select(compare("==", a, num(a, math.inf)), num(a, largest if posinf is None else posinf), a)
        return select(compare("==", a, num(a, -math.inf)), num(a, -largest if neginf is None else neginf), a)

    return elementwise(c, f, [x], c.dtype, 4)


@operator("lerp.Scalar", "lerp.Tensor")
def _lerp(c: Call, a: Value, b: Value, w: Any) -> Value:
    return elementwise(c, lambda x, y, t: add(x, mul(t, sub(y, x))), [a, b, w], c.dtype, 3)


@operator("addcmul.default", "addcdiv.default")
def _addcmul(c: Call, a: Value, b: Value, d: Value, value: Any = 1) -> Value:
    return elementwise(c, lambda x, y, z: add(x, mul(num(x, value), mul(y, z))), [a, b, d], c.dtype, 3)


operator("addcdiv.default")(
    lambda c, a, b, d, value=1: elementwise(c, lambda x, y, z: add(x, div(mul(num(x, value), y), z)), [a, b, d], c.dtype, 4)
)


@operator("_to_copy.default", "to.dtype", "_assert_tensor_metadata.default", "prims.convert_element_type.default")
def _converted(c: Call, x: Value, *_: Any, **__: Any) -> Value:
    if x.dtype == c.dtype:
        return x
    out, low = c.dtype, is_float(x.dtype) and not is_float(c.dtype)
    return elementwise(c, lambda a: cast(a, out), [x], x.dtype, 1 if low else 0)

