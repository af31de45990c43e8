"""Tensors under construction: a lazy function from indices to an expression, or a flat array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .expression import Expression, computed, index_value, load
from .index import ZERO, Polynomial, as_polynomial, flatten, product, unflatten
from .statements import Body, Buffer, Nest, Statement, Store

CHEAP = 3  # operations that are rather done again than kept
Index = Sequence[Polynomial]


class Value:
    """A tensor. `cost` counts operations an element; `buffer` is set if it is exactly the elements of one, in order."""

    def __init__(self, dtype: str, shape: Sequence[Any], at: Callable[[Index], Expression], cost: int = 0,
                 buffer: Buffer | None = None, constant: bool = False) -> None:  # fmt: skip
        self.dtype = dtype
        self.shape = tuple(as_polynomial(n) for n in shape)
        self.compute = at
        self.cost = cost
        self.buffer = buffer
        self.constant = constant  # follows from indices alone
        self._known: dict[tuple, Expression] = {}

    def at(self, index: Index) -> Expression:
        key = tuple(index)
        if key not in self._known:
            self._known[key] = self.compute(key)
        return self._known[key]

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def count(self) -> Polynomial:
        return product(self.shape)


def of_buffer(buffer: Buffer, shape: Sequence[Any] | None = None) -> Value:
    shape = buffer.shape if shape is None else tuple(as_polynomial(n) for n in shape)
    return Value(buffer.dtype, shape, lambda index: load(buffer, flatten(index, shape)), 0, buffer)


def filled(expression: Expression, dtype: str, shape: Sequence[Any]) -> Value:
    return Value(dtype, shape, lambda index: expression, constant=True)


def reshaped(x: Value, shape: Sequence[Any]) -> Value:
    """Returns the same elements in row-major order under another shape."""
    shape = tuple(as_polynomial(n) for n in shape)
    if shape == x.shape:
        return x
    if x.buffer is not None:
        return of_buffer(x.buffer, shape)
    groups = grouped(list(shape), list(x.shape))

    def at(index: Index) -> Expression:
        out: list[Polynomial] = []
        for (a, b), (c, d) in groups:
            if shape[a:b] == x.shape[c:d]:
                out += index[a:b]
            else:
                out += unflatten(flatten(index[a:b], shape[a:b]), x.shape[c:d])
        return x.at(out)

    return Value(x.dtype, shape, at, x.cost, constant=x.constant)


def grouped(first: list[Polynomial], second: list[Polynomial]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Returns the shortest runs of dims of both shapes that hold equally many elements."""
    out, a, c = [], 0, 0
    while a < len(first) or c < len(second):
        best = None
        for total in range(1, len(first) - a + len(second) - c + 1):
            for taken in range(total + 1):
                b, d = a + taken, c + total - taken
                if b <= len(first) and d <= len(second) and product(first[a:b]) == product(second[c:d]):
                    best = (b, d)
                    break
            if best:
                break
        b, d = best or (len(first), len(second))
        out.append(((a, b), (c, d)))
        a, c = b, d
    return out


class Context:
    """The function under construction: its nests in order and the arrays that they fill."""

    def __init__(self, taken: set[str]) -> None:
        self.nests: list[Nest] = []
        self.temporaries: list[Buffer] = []
        self.taken = taken
        self.aliases: dict[int, Buffer] = {}

    def name(self, wanted: str) -> str:
        out, n = wanted, 1
        while out in self.taken:
            out, n = f"{wanted}_{n}", n + 1
        self.taken.add(out)
        return out

    def buffer(self, wanted: str, dtype: str, shape: Sequence[Any]) -> Buffer:
        dtype = computed(dtype)
        out = Buffer(self.name(wanted), dtype, tuple(as_polynomial(n) for n in shape))
        self.temporaries.append(out)
        return out

    def nest(self, dims: Sequence[Any], build: Body, fusable: bool = True) -> None:
        self.nests.append(Nest(tuple(as_polynomial(n) for n in dims), build, fusable))

    def fill(self, buffer: Buffer, dims: Sequence[Any], build: Body, dtype: str | None = None, shape: Sequence[Any] | None = None,
             fusable: bool = True) -> Value:  # fmt: skip
        """Adds a nest that fills the buffer, and returns it as a tensor."""
        self.nest(dims, build, fusable)
        out = of_buffer(buffer, shape)
        out.dtype = dtype or out.dtype
        return out

    def realise(self, x: Value, wanted: str = "t") -> Value:
        """Returns the tensor as an array of its own, filled by a nest, unless it is one."""
        if x.buffer is not None:
            return x
        buffer = self.buffer(wanted, x.dtype, x.shape)
        place = lambda index: flatten(index, x.shape)
        lazy = Value(x.dtype, x.shape, x.compute)

        def build(index: list[Polynomial], depth: int) -> list[Statement]:
            return [Store(buffer, place(index), lazy.at(index))]

        self.nest(x.shape, build)
        x.buffer = buffer
        x.compute = lambda index: load(buffer, place(index))
        x._known = {}
        x.cost = 0
        x.constant = False
        return x

    def cheap(self, x: Value, limit: int = CHEAP, wanted: str = "t") -> Value:
        """Returns the tensor in a form that may be read repeatedly."""
        return x if x.cost <= limit else self.realise(x, wanted)


def positions(extent: Any, dtype: str = "i64") -> Value:
    return Value(dtype, (extent,), lambda index: index_value(index[0]), constant=True)


def scalar_zero() -> Polynomial:
    return ZERO
