"""Statements of a function under construction, and the nests that tensors are computed by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Union
from weakref import WeakKeyDictionary

from .expression import Expression, binary, local, make, maximum, minimum
from .index import Polynomial, Variable, of, product, variable


@dataclass(eq=False)
class Buffer:
    """A flat array: a parameter of the function, or a temporary."""

    name: str
    dtype: str
    shape: tuple[Polynomial, ...]
    kind: str = "temporary"  # or input, output, scratch (declared by an Array)

    @property
    def count(self) -> Polynomial:
        return product(self.shape)


@dataclass
class Declare:
    """A scalar that later statements change, unless it is `fixed`."""

    name: str
    dtype: str
    value: Expression
    fixed: bool = False


@dataclass
class Update:
    """`name = name op value`; op is + * max min | & or = for an assignment."""

    name: str
    dtype: str
    op: str
    value: Expression

    def result(self) -> Expression:
        now = local(self.name, self.dtype)
        if self.op == "=":
            return self.value
        if self.op in ("max", "min"):
            return (maximum if self.op == "max" else minimum)(now, self.value)
        if self.op in ("|", "&", "^"):
            return make(self.op, self.dtype, now, self.value)
        return binary(self.op, now, self.value)


@dataclass
class Store:
    """`buffer[place] = value`, or += where it adds."""

    buffer: Buffer
    place: Polynomial
    value: Expression
    adds: bool = False


@dataclass
class Loop:
    variable: Variable
    body: list[Statement]
    carried: bool = False  # its iterations must run in order, alone


@dataclass
class If:
    condition: Expression
    body: list[Statement]


@dataclass
class Array:
    """A local array."""

    name: str
    dtype: str
    count: Polynomial


@dataclass
class Text:
    """Lines that no pass looks into; `{0}`, `{1}` … stand for expressions, and arrays of its own stay in it."""

    lines: list[str]
    values: list[Expression] = field(default_factory=list)
    writes: list[tuple[Buffer, str]] = field(default_factory=list)  # buffers that it stores to, by name in the lines
    changes: set[str] = field(default_factory=set)  # scalars that it assigns


Statement = Union[Declare, Update, Store, Loop, If, Array, Text]


def expressions(s: Statement) -> list[Expression]:
    """Returns the values that a statement computes, without those of statements inside it."""
    if isinstance(s, (Declare, Update, Store)):
        return [s.value]
    if isinstance(s, If):
        return [s.condition]
    return list(s.values) if isinstance(s, Text) else []


def inner(s: Statement) -> list[Statement]:
    return s.body if isinstance(s, (Loop, If)) else []


def walk(body: list[Statement]) -> Iterator[Statement]:
    for s in body:
        yield s
        yield from walk(inner(s))


def parts(roots: list[Expression]) -> Iterator[Expression]:
    """Yields each expression in them once, those inside indices among them."""
    seen: set[int] = set()
    waiting = list(roots)
    while waiting:
        x = waiting.pop()
        if x.serial in seen:
            continue
        seen.add(x.serial)
        yield x
        waiting.extend(x.operands)
        for p in x.polynomials():
            waiting.extend(opaque_parts(p))


def opaque_parts(p: Polynomial) -> list[Expression]:
    from .index import Opaque, Quotient

    out: list[Expression] = []
    for a in p.atoms():
        if isinstance(a, Opaque):
            out.append(a.expression)
        elif isinstance(a, Quotient):
            out += opaque_parts(a.numerator) + opaque_parts(a.denominator)
    return out


@dataclass
class Accesses:
    """Places that statements read and write; None as a place stands for anywhere in the buffer."""

    reads: list[tuple[Buffer, Polynomial | None]] = field(default_factory=list)
    writes: list[tuple[Buffer, Polynomial | None]] = field(default_factory=list)
    uses: set[str] = field(default_factory=set)  # scalars
    sets: set[str] = field(default_factory=set)


def accesses(body: list[Statement]) -> Accesses:
    out = Accesses()
    for s in walk(body):
        roots = expressions(s)
        if isinstance(s, Store):
            roots = roots + opaque_parts(s.place)
            (out.writes).append((s.buffer, s.place))
            if s.adds:
                out.reads.append((s.buffer, s.place))
        if isinstance(s, Loop):
            roots = roots + opaque_parts(s.variable.extent)
        if isinstance(s, Text):
            out.writes += [(b, None) for b, _ in s.writes]
            out.sets |= s.changes
            out.uses |= s.changes
        if isinstance(s, (Declare, Update)):
            out.sets.add(s.name)
            if isinstance(s, Update):
                out.uses.add(s.name)
        for x in roots:
            loads, names = contents(x)
            out.reads += [(b, None) for b, _ in loads] if isinstance(s, Text) else loads
            out.uses |= names
    return out


_contents: WeakKeyDictionary[Expression, tuple[list[tuple[Buffer, Polynomial | None]], set[str]]] = WeakKeyDictionary()


def contents(x: Expression) -> tuple[list[tuple[Buffer, Polynomial | None]], set[str]]:
    """Returns the elements that an expression loads, and the scalars that it uses."""
    if x not in _contents:
        found = list(parts([x]))
        _contents[x] = [y.data for y in found if y.op == "load"], {y.data for y in found if y.op == "local"}
    return _contents[x]


def conflict(a: Accesses, b: Accesses) -> bool:
    """Returns true if b may not run before a."""
    written, read = {id(x) for x, _ in a.writes}, {id(x) for x, _ in a.reads}
    return (any(id(x) in written for x, _ in b.reads + b.writes) or any(id(x) in read for x, _ in b.writes)
            or bool(a.sets & (b.uses | b.sets)) or bool(a.uses & b.sets))  # fmt: skip


Body = Callable[[list[Polynomial], int], list[Statement]]


@dataclass(eq=False)
class Nest:
    """Loops over `dims`, each iteration of which runs what `build(indices, depth)` returns; iterations are independent."""

    dims: tuple[Polynomial, ...]
    build: Body
    fusable: bool = True


def loops(extents: list[Polynomial], depth: int, build: Body) -> list[Statement]:
    """Returns loops over the extents around what `build` returns; loops of one iteration are left out."""
    chosen = [variable(depth + n, e) for n, e in enumerate(x for x in extents if x != 1)]
    rest = iter(chosen)
    index = [of(next(rest)) if e != 1 else Polynomial({}) for e in extents]
    body = build(index, depth + len(chosen))
    for v in reversed(chosen):
        body = [Loop(v, body)]
    return body


def indices_in(body: list[Statement]) -> list[Polynomial]:
    """Returns every index expression in statements."""
    out: list[Polynomial] = []
    for s in walk(body):
        if isinstance(s, Store):
            out.append(s.place)
        if isinstance(s, Loop):
            out.append(s.variable.extent)
        roots = expressions(s) + (opaque_parts(s.place) if isinstance(s, Store) else [])
        for x in parts(roots):
            out += x.polynomials()
    return out


def may_merge(a: Variable, b: Variable, places: list[Polynomial]) -> bool:
    """Returns true if loop b, right inside a, may be one with it: all indices depend on a * extent + b alone."""
    for p in places:
        seen = p.variables()
        if a not in seen and b not in seen:
            continue
        first, second = p.coefficient(a), p.coefficient(b)
        if first is None or second is None or first != second * b.extent:
            return False
    return True


def merged(extents: list[Polynomial], body_of: Callable[[list[Polynomial]], list[Statement]], depth: int) -> list[Polynomial]:
    """Returns the extents with neighbours joined where the body allows."""
    extents = [e for e in extents if e != 1]
    if len(extents) < 2:
        return extents
    chosen = [variable(depth + n, e) for n, e in enumerate(extents)]
    places = indices_in(body_of([of(v) for v in chosen]))
    out = [extents[0]]
    for n in range(1, len(extents)):
        if may_merge(chosen[n - 1], chosen[n], places):
            out[-1] = out[-1] * extents[n]
        else:
            out.append(extents[n])
    return out


def spread(index: list[Polynomial], dims: tuple[Polynomial, ...]) -> list[Polynomial]:
    """Returns the indices of `dims` that belong to those of loops over the same number of iterations."""
    from .index import flatten, unflatten

    extents = []
    for p in index:
        (v,) = p.atoms()
        extents.append(v.extent)  # type: ignore[union-attr]
    out: list[Polynomial] = []
    left, sizes, pending = list(index), list(extents), list(dims)
    while pending:  # groups of loops and dims with equal numbers of iterations
        group = [pending.pop(0)]
        if group[0] == 1:
            out.append(Polynomial({}))
            continue
        taken: list[int] = [0]
        while product(sizes[: taken[0]]) != product(group):
            want, have = product(group), product(sizes[: taken[0]])
            if taken[0] < len(sizes) and (have.value or 0) < (want.value or 1):
                taken[0] += 1
            elif pending:
                group.append(pending.pop(0))
            elif taken[0] < len(sizes):
                taken[0] += 1
            else:
                raise ValueError("the loops do not cover the dims")
        out += unflatten(flatten(left[: taken[0]], sizes[: taken[0]]), group)
        left, sizes = left[taken[0] :], sizes[taken[0] :]
    return out
