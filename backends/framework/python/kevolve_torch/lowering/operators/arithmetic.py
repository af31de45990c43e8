"""Scalar arithmetic as torch means it: powers, rounding divisions, activations."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..expression import (
    Expression,
    as_index,
    binary,
    both,
    call,
    cast,
    compare,
    either,
    index_value,
    is_float,
    literal,
    make,
    narrowed,
    select,  # fmt: skip
    unary,
)
from ..index import is_nonnegative

E = Expression


def num(x: E, value: float) -> E:
    return literal(value, x.dtype)


def add(a: E, b: E) -> E:
    return either(a, b) if a.dtype == "bool" else binary("+", a, b)


def sub(a: E, b: E) -> E:
    return binary("-", a, b)


def mul(a: E, b: E) -> E:
    return both(a, b) if a.dtype == "bool" else binary("*", a, b)


def div(a: E, b: E) -> E:
    return binary("/", a, b)


def neg(a: E) -> E:
    return unary("-", a)


def fn(name: str, *args: E) -> E:
    return call(name, args[0].dtype, *args)


def sigmoid(x: E) -> E:
    return div(num(x, 1), add(num(x, 1), fn("exp", neg(x))))


def power(a: E, b: E) -> E:
    if b.op == "const" and b.data in (0.5, -0.5):
        root = fn("sqrt", a)
        return root if b.data > 0 else div(num(a, 1), root)
    if b.op == "const" and float(b.data).is_integer() and 0 <= abs(b.data) <= 8 and (is_float(a.dtype) or b.data >= 0):
        n = int(abs(b.data))
        out: E | None = None
        base = a
        while n:  # by squares
            if n & 1:
                out = base if out is None else mul(out, base)
            n >>= 1
            base = mul(base, base) if n else base
        out = num(a, 1) if out is None else out
        return out if b.data >= 0 else div(num(a, 1), out)
    if not is_float(a.dtype):
        return cast(call("pow", "f64", cast(a, "f64"), cast(b, "f64")), a.dtype)
    return fn("pow", a, b)


def floor_divide(a: E, b: E) -> E:
    if is_float(a.dtype):
        rest = fn("fmod", a, b)
        whole = div(sub(a, rest), b)
        off = both(compare("!=", rest, num(a, 0)), compare("!=", compare("<", b, num(a, 0)), compare("<", rest, num(a, 0))))
        whole = select(off, sub(whole, num(a, 1)), whole)
        down = fn("floor", whole)
        return select(compare(">", sub(whole, down), num(a, 0.5)), add(down, num(a, 1)), down)
    if b.op == "const" and b.data > 0 and a.op in ("index", "const"):
        if is_nonnegative(as_index(a)):
            return index_value(as_index(a) // int(b.data))
    if b.op == "const" and b.data > 0:
        short = binary("/", a, b)
        return select(both(compare("<", a, num(a, 0)), compare("!=", make("%", a.dtype, a, b), num(a, 0))), sub(short, num(a, 1)), short)
    off = both(compare("!=", make("%", a.dtype, a, b), num(a, 0)), compare("!=", compare("<", a, num(a, 0)), compare("<", b, num(a, 0))))
    return sub(narrowed(make("/", a.dtype, a, b)), cast(off, a.dtype))


def remainder(a: E, b: E) -> E:
    if not is_float(a.dtype) and b.op == "const" and b.data > 0 and a.op == "index":
        return sub(a, mul(b, floor_divide(a, b)))
    rest = fn("fmod", a, b) if is_float(a.dtype) else narrowed(make("%", a.dtype, a, b))
    off = both(compare("!=", rest, num(a, 0)), compare("!=", compare("<", rest, num(a, 0)), compare("<", b, num(a, 0))))
    return select(off, add(rest, b), rest)


def whole_rest(a: E, b: E) -> E:
    """Returns C's remainder, as an index expression where a is an index that is not negative."""
    if a.op == "index" and b.op == "const" and b.data > 0 and is_nonnegative(a.data):
        return remainder(a, b)
    return narrowed(make("%", a.dtype, a, b))


def absolute(a: E) -> E:
    if is_float(a.dtype):
        return fn("fabs", a)
    return a if a.dtype in ("u8", "bool") else select(compare("<", a, num(a, 0)), neg(a), a)


def sign(a: E) -> E:
    zero = num(a, 0)
    return sub(cast(compare(">", a, zero), a.dtype), cast(compare("<", a, zero), a.dtype)) if a.dtype != "bool" else a


def is_nan(a: E) -> E:
    return compare("!=", a, a) if is_float(a.dtype) else literal(False, "bool")


def is_infinite(a: E) -> E:
    return compare("==", fn("fabs", a), num(a, math.inf)) if is_float(a.dtype) else literal(False, "bool")


def clamp(x: E, low: E | None, high: E | None) -> E:
    if low is not None:
        x = select(compare("<", x, low), low, x)
    if high is not None:
        x = select(compare(">", x, high), high, x)
    return x


def gelu(x: E, approximate: str) -> E:
    half = mul(num(x, 0.5), x)
    if approximate == "tanh":
        inner = mul(num(x, math.sqrt(2 / math.pi)), add(x, mul(num(x, 0.044715), mul(mul(x, x), x))))
        return mul(half, add(num(x, 1), fn("tanh", inner)))
    return mul(half, add(num(x, 1), fn("erf", mul(x, num(x, math.sqrt(0.5))))))


def elu(x: E, alpha: float, scale: float, input_scale: float) -> E:
    negative = mul(num(x, alpha * scale), fn("expm1", mul(x, num(x, input_scale))))
    return select(compare(">", x, num(x, 0)), mul(x, num(x, scale)), negative)


def softplus(x: E, beta: float, threshold: float) -> E:
    scaled = mul(x, num(x, beta))
    return select(compare(">", scaled, num(x, threshold)), x, div(fn("log1p", fn("exp", scaled)), num(x, beta)))


def truncated_division(a: E, b: E) -> E:
    return fn("trunc", div(a, b)) if is_float(a.dtype) else narrowed(make("/", a.dtype, a, b))


def logic(f: Callable[[E, E], E]) -> Callable[[E, E], E]:
    return lambda a, b: f(cast(a, "bool"), cast(b, "bool"))


def bits(op: str) -> Callable[[E, E], E]:
    if op in "&|":
        return lambda a, b: (both if op == "&" else either)(a, b) if a.dtype == "bool" else make(op, a.dtype, a, b)
    return lambda a, b: compare("!=", a, b) if a.dtype == "bool" else make(op, a.dtype, a, b)


def shift(op: str) -> Callable[[E, E], E]:
    return lambda a, b: narrowed(make(op, a.dtype, a, b))
