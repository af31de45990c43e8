"""Scalar expressions: immutable, shared, each with the type that it is computed in."""

from __future__ import annotations

import math
from itertools import count
from typing import Any

from .index import Opaque, Polynomial, Variable, as_polynomial, of

FLOATS = ("f64", "f32", "f16", "bf16")
INTEGERS = ("i64", "i32", "i16", "i8", "u8", "bool")
C_TYPES = {"f64": "double", "f32": "float", "f16": "_Float16", "bf16": "uint16_t", "i64": "int64_t", "i32": "int32_t",
           "i16": "int16_t", "i8": "int8_t", "u8": "uint8_t", "bool": "uint8_t"}  # fmt: skip
# Smallest value, largest value; of floats, infinities.
LIMITS = {"i64": (-(2**63), 2**63 - 1), "i32": (-(2**31), 2**31 - 1), "i16": (-(2**15), 2**15 - 1),
          "i8": (-128, 127), "u8": (0, 255), "bool": (0, 1)}  # fmt: skip


def limits(dtype: str) -> tuple[Any, Any]:
    return (-math.inf, math.inf) if is_float(dtype) else LIMITS[dtype]


def is_float(dtype: str) -> bool:
    return dtype in FLOATS


def computed(dtype: str) -> str:
    """Returns the type in which values of an element type are computed."""
    return "f32" if dtype in ("f16", "bf16") else dtype


class Expression:
    """`op` is const, local, index, load, call, cast, select, or an operator of C; `data` is what is no operand."""

    __slots__ = ("__weakref__", "_variables", "data", "dtype", "op", "operands", "serial")

    def __init__(self, op: str, dtype: str, operands: tuple[Expression, ...], data: Any, serial: int) -> None:
        self.op, self.dtype, self.operands, self.data, self.serial = op, dtype, operands, data, serial
        self._variables: frozenset[Variable] | None = None

    def __repr__(self) -> str:
        return f"{self.op}<{self.data}>({', '.join(map(repr, self.operands))})"

    def variables(self) -> frozenset[Variable]:
        if self._variables is None:
            out: set[Variable] = set()
            for p in self.polynomials():
                out |= p.variables()
            for x in self.operands:
                out |= x.variables()
            self._variables = frozenset(out)
        return self._variables

    def polynomials(self) -> list[Polynomial]:
        """Returns the index expressions that stand in it directly."""
        if self.op == "load":
            return [self.data[1]]
        return [self.data] if self.op == "index" else []


_known: dict[tuple, Expression] = {}
_serials = count()


def make(op: str, dtype: str, *operands: Expression, data: Any = None) -> Expression:
    key = (op, dtype, tuple(x.serial for x in operands), repr(data) if op == "const" else data)
    if key not in _known:
        _known[key] = Expression(op, dtype, operands, data, next(_serials))
    return _known[key]


def forget() -> None:
    """Drops what earlier functions were made of."""
    _known.clear()


def literal(value: Any, dtype: str) -> Expression:
    dtype = computed(dtype)
    value = float(value) if is_float(dtype) else int(value)
    return make("const", dtype, data=value)


def local(name: str, dtype: str) -> Expression:
    return make("local", computed(dtype), data=name)


def index_value(p: Any) -> Expression:
    p = as_polynomial(p)
    return literal(p.value, "i64") if p.value is not None else make("index", "i64", data=p)


def as_index(x: Expression) -> Polynomial:
    """Returns a whole number as an index expression."""
    if x.op == "index":
        return x.data
    if x.op == "const":
        return as_polynomial(int(x.data))
    if x.op == "cast" and x.operands[0].op in ("index", "const") and not is_float(x.operands[0].dtype):
        return as_index(x.operands[0])
    return of(Opaque(x))


def load(buffer: Any, place: Polynomial) -> Expression:
    return make("load", computed(buffer.dtype), data=(buffer, place))


def is_const(x: Expression, value: float | None = None) -> bool:
    return x.op == "const" and (value is None or x.data == value)


def cast(x: Expression, dtype: str) -> Expression:
    """Returns the value in another type, as torch converts it."""
    target = computed(dtype)
    if x.dtype == target:
        return x
    if x.op == "const" and not (isinstance(x.data, float) and not math.isfinite(x.data)):
        return literal(x.data != 0 if target == "bool" else x.data, target)
    if target == "bool":
        return compare("!=", x, literal(0, x.dtype))
    return make("cast", target, x)


def binary(op: str, a: Expression, b: Expression) -> Expression:
    """Returns `a op b` for operands of one type, in which neutral operands and sums of indices are resolved."""
    dtype = a.dtype
    if not is_float(dtype):
        if dtype == "i64" and op in "+-*" and a.op in ("index", "const") and b.op in ("index", "const"):
            p, q = as_index(a), as_index(b)
            return index_value(p + q if op == "+" else p - q if op == "-" else p * q)
    if op in "+-" and is_const(b, 0) and not (is_float(dtype) and math.copysign(1, b.data) < 0):
        return a
    if op in "*/" and is_const(b, 1):
        return a
    if op == "*" and is_const(a, 1):
        return b
    if op == "+" and is_const(a, 0):
        return b
    return narrowed(make(op, dtype, a, b))


def narrowed(x: Expression) -> Expression:
    """Returns a result of whole numbers wrapped to its type, since C computes in int."""
    return make("cast", x.dtype, x) if x.dtype in ("i16", "i8", "u8") else x


def unary(op: str, a: Expression) -> Expression:
    if op == "-" and a.op == "const":
        return literal(-a.data, a.dtype)
    if op == "-" and a.op == "index":
        return index_value(-a.data)
    return narrowed(make(op, a.dtype, a))


OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def compare(op: str, a: Expression, b: Expression) -> Expression:
    if a.op in ("index", "const") and b.op in ("index", "const") and not is_float(a.dtype):
        known = decided(op, as_index(a) - as_index(b))
        if known is not None:
            return literal(known, "bool")
    return make(op, "bool", a, b)


def decided(op: str, difference: Polynomial) -> bool | None:
    """Returns what a comparison of a difference with zero gives, if that is always the same."""
    from .index import is_nonnegative

    if op in ("<", ">="):
        known = False if is_nonnegative(difference) else True if is_nonnegative(-difference - 1) else None
        return known if op == "<" or known is None else not known
    if op in (">", "<="):
        return decided("<" if op == ">" else ">=", -difference)
    if difference.value is not None:
        return (difference.value == 0) == (op == "==")
    return None


def both(a: Expression, b: Expression) -> Expression:
    """Returns the conjunction of truth values."""
    if a.op == "const":
        return b if a.data else a
    if b.op == "const":
        return a if b.data else b
    return make("&&", "bool", a, b)


def either(a: Expression, b: Expression) -> Expression:
    if a.op == "const":
        return a if a.data else b
    if b.op == "const":
        return b if b.data else a
    return make("||", "bool", a, b)


def negation(a: Expression) -> Expression:
    if a.op == "const":
        return literal(not a.data, "bool")
    if a.op in OPPOSITE and not is_float(a.operands[0].dtype):
        return make(OPPOSITE[a.op], "bool", *a.operands)
    return make("!", "bool", a)


def call(function: str, dtype: str, *operands: Expression) -> Expression:
    """Returns a call of a function of libm; its name is the one for double."""
    return make("call", dtype, *operands, data=function)


def select(condition: Expression, a: Expression, b: Expression, guard: bool = False) -> Expression:
    """Returns `condition ? a : b`. With `guard`, a or b may only be computed if it is chosen."""
    if condition.op == "const":
        return a if condition.data else b
    if a is b:
        return a
    return make("select", a.dtype, condition, a, b, data=guard)


def maximum(a: Expression, b: Expression) -> Expression:
    if is_float(a.dtype):
        return call("fmax", a.dtype, a, b)
    return select(compare(">", a, b), a, b)


def minimum(a: Expression, b: Expression) -> Expression:
    if is_float(a.dtype):
        return call("fmin", a.dtype, a, b)
    return select(compare("<", a, b), a, b)
