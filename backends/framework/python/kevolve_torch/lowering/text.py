"""Prints index expressions and values as C."""

from __future__ import annotations

import math
import struct

from .contract import Home
from .expression import C_TYPES, Expression, is_float, literal
from .index import Opaque, Polynomial, Quotient, Size, Variable, split_remainder
from .statements import Buffer

INDICES = "ijklmnpqrstuvw"


RANK = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8, ">>": 8,
        "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}  # fmt: skip
UNARY, PRIMARY = 11, 12


class Printer:
    """`exact`: computes in double, as an oracle of bf16 tasks does; other outputs than bf16 are double there."""

    def __init__(self, taken: set[str], exact: bool = False) -> None:
        self.taken = set(taken)
        self.exact = exact
        self.homes: dict[int, Home] = {}
        self.array_names: dict[int, str] = {}
        self.scalars: dict[int, str] = {}
        self.hoisted: dict[int, str] = {}
        self.helpers: set[str] = set()
        self.index_names: dict[int, str] = {}

    # Names and types.

    def name(self, wanted: str) -> str:
        out, n = wanted, 1
        while out in self.taken:
            out, n = f"{wanted}_{n}", n + 1
        self.taken.add(out)
        return out

    def c_type(self, dtype: str) -> str:
        return "double" if self.exact and dtype in ("f32", "f16") else C_TYPES[dtype]

    def value_type(self, dtype: str) -> str:
        return "int" if dtype == "bool" else "double" if self.exact and is_float(dtype) else C_TYPES[dtype]

    def index_name(self, depth: int) -> str:
        if depth not in self.index_names:
            free = [c for c in INDICES if c not in self.taken]
            self.index_names[depth] = self.name(free[0] if free else f"i{depth}")
        return self.index_names[depth]

    # Index expressions.

    def atom(self, a: object) -> tuple[str, int]:
        if isinstance(a, Variable):
            return self.index_name(a.depth), PRIMARY
        if isinstance(a, Size):
            return a.name, PRIMARY
        if isinstance(a, Quotient):
            return f"{self.place(a.numerator, 10)} / {self.place(a.denominator, 11)}", 10
        assert isinstance(a, Opaque)
        return self.value(a.expression)

    def place(self, p: Polynomial, rank: int = 0) -> str:
        text, mine = self.place_ranked(p)
        return f"({text})" if mine < rank else text

    def place_ranked(self, p: Polynomial) -> tuple[str, int]:
        if p.value is not None:
            return str(p.value), PRIMARY if p.value >= 0 else UNARY
        terms: list[tuple[int, str, int]] = []  # coefficient, text, rank
        while (found := split_remainder(p)) is not None:
            factor, x, d, p = found
            text = f"{self.place(x, 10)} % {self.place(d, 11)}"
            terms.append((factor, text, 10))
        order = sorted(p.terms.items(), key=lambda item: (not item[0], self._order(item[0]), -abs(item[1])))
        plain: list[tuple[int, str, int]] = []
        for m, c in order:
            texts = [self.atom(a) for a in m]
            if len(texts) == 1:
                plain.append((c, *texts[0]))
            else:
                plain.append((c, " * ".join(t if r > 9 and "/" not in t and "%" not in t else f"({t})" for t, r in texts), 10))
        constants = [t for t in plain if not t[1]]
        terms = [t for t in plain if t[1]] + terms + constants
        if len(terms) > 1 and terms[0][0] < 0:  # a leading minus is harder to read
            first = next((t for t in terms if t[0] > 0), terms[0])
            terms.remove(first)
            terms.insert(0, first)
        out, rank = "", 9 if len(terms) > 1 else 10
        for n, (c, text, mine) in enumerate(terms):
            size = abs(c)
            if not text:
                piece, r = str(size), PRIMARY
            elif size == 1:
                piece, r = text, mine
            else:
                piece, r = f"{text if mine > 10 or (mine == 10 and '/' not in text and '%' not in text) else f'({text})'} * {size}", 10
            if n == 0:
                out, rank = (f"-{piece if r >= 11 else f'({piece})'}", UNARY) if c < 0 else (piece, r)
            else:
                out += (" - " if c < 0 else " + ") + (piece if r > 9 else f"({piece})")
        return out, 9 if len(terms) > 1 else rank

    def _order(self, m: tuple) -> tuple:
        return tuple(a.depth if isinstance(a, Variable) else 99 for a in m)

    # Values.

    def text(self, x: Expression, rank: int = 0) -> str:
        out, mine = self.value(x)
        return f"({out})" if mine < rank else out

    def value(self, x: Expression) -> tuple[str, int]:
        if x.serial in self.hoisted:
            return self.hoisted[x.serial], PRIMARY
        if x.op == "const":
            return self.number(x)
        if x.op == "local":
            return x.data, PRIMARY
        if x.op == "index":
            return self.place_ranked(x.data)
        if x.op == "load":
            return self.loaded(x)
        if x.op == "call":
            suffix = "f" if x.dtype == "f32" and not self.exact else ""
            return f"{x.data}{suffix}({', '.join(self.text(a) for a in x.operands)})", PRIMARY
        if x.op == "cast":
            return f"({self.value_type(x.dtype)}){self.text(x.operands[0], UNARY)}", UNARY
        if x.op == "select":
            c, a, b = x.operands
            return f"{self.text(c, 1)} ? {self.text(a, 1)} : {self.text(b, 0)}", 0
        if len(x.operands) == 1:
            inner = self.text(x.operands[0], UNARY)
            return f"{x.op}{f'({inner})' if inner.startswith('-') and x.op == '-' else inner}", UNARY
        mine = RANK[x.op]
        a, b = x.operands
        if x.op == "+" and b.op == "const" and b.data < 0:
            return f"{self.side(x, a, mine)} - {self.text(literal(-b.data, b.dtype))}", mine
        return f"{self.side(x, a, mine)} {x.op} {self.side(x, b, mine + 1)}", mine

    def side(self, x: Expression, operand: Expression, rank: int) -> str:
        """Returns an operand; other operators beside those of truth values and bits get parentheses, as compilers wish."""
        if operand.serial not in self.hoisted and operand.op in RANK:
            if x.op in ("&&", "||") and operand.op == x.op:
                return self.text(operand)
            if (x.op in ("||", "&", "|", "^", "<<", ">>") and operand.op != x.op and RANK[operand.op] != 7) or (
                x.op in ("==", "!=", "<", ">", "<=", ">=") and RANK[operand.op] in (6, 7)):
                return f"({self.text(operand)})"
            if x.op in ("&", "|", "^"):
                return f"({self.text(operand)})"
        return self.text(operand, rank)

    def number(self, x: Expression) -> tuple[str, int]:
        v = x.data
        if not is_float(x.dtype):
            if v == -(2**63):
                return "INT64_MIN", PRIMARY
            text = str(v) if -(2**31) < v < 2**31 else f"INT64_C({abs(v)})" if v >= 0 else f"-INT64_C({-v})"
            return text, PRIMARY if v >= 0 else UNARY
        suffix = "f" if x.dtype == "f32" and not self.exact else ""
        if math.isnan(v):
            return "NAN", PRIMARY
        if math.isinf(v):
            return ("INFINITY", PRIMARY) if v > 0 else ("-INFINITY", UNARY)
        text = shortest(abs(v), x.dtype)
        return (f"-{text}{suffix}", UNARY) if math.copysign(1, v) < 0 else (f"{text}{suffix}", PRIMARY)

    def loaded(self, x: Expression) -> tuple[str, int]:
        buffer, place = x.data
        if id(buffer) in self.scalars:
            return self.scalars[id(buffer)], PRIMARY
        element = f"{self.array(buffer)}[{self.place(self.local_place(buffer, place))}]"
        if buffer.dtype == "bf16":
            self.helpers.add("widened")
            return f"widened({element})", PRIMARY
        if buffer.dtype == "f16":
            return f"({self.value_type('f32')}){element}", UNARY
        return element, PRIMARY

    def array(self, buffer: Buffer) -> str:
        return self.array_names.get(id(buffer), buffer.name)

    def local_place(self, buffer: Buffer, place: Polynomial) -> Polynomial:
        home = self.homes.get(id(buffer))
        return place - home.offset if home is not None else place


def shortest(value: float, dtype: str) -> str:
    """Returns the shortest decimal text that reads back as the value in its type."""
    if dtype == "f32":
        value32 = struct.unpack("f", struct.pack("f", value))[0] if value < 3.5e38 else value
        for digits in range(1, 10):
            text = f"{value32:.{digits}g}"
            if abs(float(text)) < 3.4028235677973366e38 and struct.unpack("f", struct.pack("f", float(text)))[0] == value32:
                break
        else:
            text = f"{value32:.9g}"
    else:
        text = repr(value)
    if "e" in text:
        mantissa, exponent = text.split("e")
        if 0 <= int(exponent) < 9:
            text = f"{float(text):.1f}"
        else:
            return f"{mantissa}e{int(exponent)}"
    return text if "." in text else f"{text}.0"
