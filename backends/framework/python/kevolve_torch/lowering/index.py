"""Whole-number index expressions: polynomials over loop variables, sizes, quotients and opaque values.

A remainder is never stored: `x % d` is `x - d * (x / d)`, so that flattening what was unflattened gives back the index.
"""

from __future__ import annotations

from functools import cache
from math import gcd
from typing import Any, Union


class Variable:
    """The index of a loop, which runs from 0 to below `extent`. One object stands for all loops of a depth and extent."""

    def __init__(self, depth: int, extent: Polynomial) -> None:
        self.depth = depth
        self.extent = extent
        self.key = (1, depth, str(extent.key))

    def __repr__(self) -> str:
        return f"i{self.depth}<{self.extent}>"


class Size:
    """A size parameter of the function, at least 1."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.key = (0, 0, name)

    def __repr__(self) -> str:
        return self.name


class Quotient:
    """A quotient of two polynomials, both of which are not negative, rounded down."""

    def __init__(self, numerator: Polynomial, denominator: Polynomial) -> None:
        self.numerator = numerator
        self.denominator = denominator
        self.key = (2, 0, f"({numerator.key}/{denominator.key})")

    def __repr__(self) -> str:
        return f"({self.numerator})/({self.denominator})"


class Opaque:
    """A whole number that is computed by an expression, such as an element of an index array."""

    def __init__(self, expression: Any) -> None:
        self.expression = expression
        self.key = (3, 0, str(expression.serial))

    def __repr__(self) -> str:
        return f"[{self.expression!r}]"


Atom = Union[Variable, Size, Quotient, Opaque]
Monomial = tuple[Atom, ...]
Number = Union[int, "Polynomial"]

_atoms: dict[tuple, Atom] = {}


def interned(atom: Atom) -> Atom:
    return _atoms.setdefault((type(atom).__name__, atom.key), atom)


class Polynomial:
    """An immutable sum of whole multiples of products of atoms."""

    __slots__ = ("_hash", "key", "terms")

    def __init__(self, terms: dict[Monomial, int]) -> None:
        self.terms = {m: c for m, c in terms.items() if c}
        self.key = tuple(sorted((tuple(a.key for a in m), c) for m, c in self.terms.items()))
        self._hash = hash(self.key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            other = constant(other)
        return isinstance(other, Polynomial) and self.key == other.key

    def __repr__(self) -> str:
        return " + ".join(f"{c}*{m}" if m else str(c) for m, c in self.terms.items()) or "0"

    def __add__(self, other: Number) -> Polynomial:
        out = dict(self.terms)
        for m, c in as_polynomial(other).terms.items():
            out[m] = out.get(m, 0) + c
        return Polynomial(out)

    __radd__ = __add__

    def __neg__(self) -> Polynomial:
        return Polynomial({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Number) -> Polynomial:
        return self + -as_polynomial(other)

    def __rsub__(self, other: Number) -> Polynomial:
        return as_polynomial(other) - self

    def __mul__(self, other: Number) -> Polynomial:
        out: dict[Monomial, int] = {}
        for m, c in self.terms.items():
            for n, d in as_polynomial(other).terms.items():
                product = tuple(sorted(m + n, key=lambda a: a.key))
                out[product] = out.get(product, 0) + c * d
        return Polynomial(out)

    __rmul__ = __mul__

    def __floordiv__(self, other: Number) -> Polynomial:
        return divide(self, as_polynomial(other))

    def __mod__(self, other: Number) -> Polynomial:
        return self - other * (self // other)

    @property
    def value(self) -> int | None:
        """Returns the number if it is one, else None."""
        if not self.terms:
            return 0
        return self.terms[()] if set(self.terms) == {()} else None

    def atoms(self) -> set[Atom]:
        return {a for m in self.terms for a in m}

    def variables(self) -> set[Variable]:
        """Returns the loop variables in it, those inside quotients and opaque values among them."""
        out: set[Variable] = set()
        for a in self.atoms():
            if isinstance(a, Variable):
                out.add(a)
            elif isinstance(a, Quotient):
                out |= a.numerator.variables() | a.denominator.variables()
            elif isinstance(a, Opaque):
                out |= a.expression.variables()
        return out

    def coefficient(self, variable: Variable) -> Polynomial | None:
        """Returns the factor of a variable that stands in it linearly, or None if it stands elsewhere as well."""
        out: dict[Monomial, int] = {}
        for m, c in self.terms.items():
            if variable in m:
                rest = list(m)
                rest.remove(variable)
                if Polynomial({tuple(rest): 1}).variables():
                    return None
                out[tuple(rest)] = c
            elif variable in Polynomial({m: 1}).variables():
                return None
        return Polynomial(out)


def constant(value: int) -> Polynomial:
    return Polynomial({(): value} if value else {})


ZERO, ONE = constant(0), constant(1)


def as_polynomial(value: Number) -> Polynomial:
    return value if isinstance(value, Polynomial) else constant(int(value))


def of(atom: Atom) -> Polynomial:
    return Polynomial({(interned(atom),): 1})


def variable(depth: int, extent: Number) -> Variable:
    return interned(Variable(depth, as_polynomial(extent)))  # type: ignore[return-value]


def product(factors: Any) -> Polynomial:
    out = ONE
    for f in factors:
        out = out * f
    return out


def flatten(index: Any, shape: Any) -> Polynomial:
    """Returns the row-major place of an element."""
    out = ZERO
    for i, n in zip(index, shape, strict=True):
        out = out * n + i
    return out


def unflatten(place: Polynomial, shape: Any) -> list[Polynomial]:
    """Returns the indices of the element at a row-major place."""
    out: list[Polynomial] = []
    for n in reversed(list(shape)[1:]):
        out.append(place % n)
        place = place // n
    return [place, *reversed(out)] if len(list(shape)) else []


def split_remainder(p: Polynomial) -> tuple[int, Polynomial, Polynomial, Polynomial] | None:
    """Returns (c, x, d, rest) with p = c * (x % d) + rest, if such a remainder stands in it."""
    for m, c in p.terms.items():
        if len(m) == 0 or not isinstance(q := m[-1], Quotient):
            continue
        ((unit, number),) = q.denominator.terms.items() if len(q.denominator.terms) == 1 else (((), 0),)
        if not number or c % number or m[:-1] != unit:
            continue
        factor = -c // number
        rest = p - factor * (q.numerator - q.denominator * of(q))
        if len(rest.terms) < len(p.terms):
            return factor, q.numerator, q.denominator, rest
    return None


def bound(p: Polynomial, upper: bool) -> Polynomial | None:
    """Returns the least or largest value as a polynomial of the sizes, or None if it is unknown."""
    if (found := split_remainder(p)) is not None:
        factor, x, d, rest = found
        if (factor > 0) != upper:
            return bound(rest, upper)
        top = bound(x, True)
        end = top if top is not None and is_nonnegative(d - 1 - top) else d - 1
        return bound(rest + factor * end, upper)
    for a in sorted(p.atoms(), key=lambda a: a.key, reverse=True):
        if isinstance(a, Size):
            continue
        if isinstance(a, Opaque):
            return None
        factors: dict[Monomial, int] = {}
        others: dict[Monomial, int] = {}
        for m, c in p.terms.items():
            if a in m:
                short = list(m)
                short.remove(a)
                factors[tuple(short)] = c
            else:
                others[m] = c
        slope = Polynomial(factors)
        if is_nonnegative(slope):
            high = upper
        elif is_nonnegative(-slope):
            high = not upper
        else:
            return None
        if isinstance(a, Variable):
            end = a.extent - 1 if high else ZERO
        elif high:
            top = bound(a.numerator, True)
            if top is None:
                return None
            end = divide(top, a.denominator)
            if end.value is None and any(isinstance(x, Quotient) and x is a for x in end.atoms()):
                return None
        else:
            end = ZERO
        return bound(Polynomial(others) + slope * end, upper)
    return p


@cache
def is_nonnegative(p: Polynomial) -> bool:
    """Returns true if it is never negative, as far as can be seen."""
    low = bound(p, False) if any(not isinstance(a, Size) for a in p.atoms()) else p
    if low is None:
        return False
    shifted = ZERO  # sizes are at least 1: with size = 1 + rest, no coefficient may be negative
    for m, c in low.terms.items():
        if any(isinstance(a, Quotient) for a in m):
            return False
        shifted = shifted + c * product(of(a) + 1 for a in m)
    return all(c >= 0 for c in shifted.terms.values())


def is_within(p: Polynomial, extent: Number) -> bool:
    """Returns true if it is surely from 0 to below the extent."""
    high = bound(p, True)
    return high is not None and is_nonnegative(p) and is_nonnegative(as_polynomial(extent) - 1 - high)


@cache
def divide(p: Polynomial, d: Polynomial) -> Polynomial:
    """Returns the quotient rounded down, simplified by the ranges of what stands in it."""
    if d == 1 or not p.terms:
        return p
    if len(d.terms) != 1:
        if p == d:
            return ONE
        return ZERO if is_within(p, d) else of(Quotient(p, d))
    ((divisor, number),) = d.terms.items()
    whole: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for m, c in p.terms.items():
        left = list(m)
        try:
            for a in divisor:
                left.remove(a)
        except ValueError:
            rest[m] = c
            continue
        if c // number:
            whole[tuple(left)] = c // number
        if c % number:
            rest[m] = c % number
    quotient, remainder = Polynomial(whole), Polynomial(rest)
    if is_within(remainder, d):
        return quotient
    if not is_nonnegative(remainder) and is_nonnegative(p):
        quotient, remainder = ZERO, p
    if not divisor:
        for g in sorted({gcd(c, number) for c in remainder.terms.values()} - {1}, reverse=True):
            aligned = Polynomial({m: c // g for m, c in remainder.terms.items() if c % g == 0})
            if is_within(Polynomial({m: c for m, c in remainder.terms.items() if c % g}), g):
                return quotient + divide(aligned, constant(number // g))
        if len(remainder.terms) == 1:
            ((monomial, c),) = remainder.terms.items()
            if c == 1 and len(monomial) == 1 and isinstance(monomial[0], Quotient):
                inner = monomial[0]
                if inner.denominator.value:
                    return quotient + divide(inner.numerator, inner.denominator * d)
    return quotient + of(Quotient(remainder, d))
