"""Prints statements as a C99 function."""

from __future__ import annotations

import math
from collections import Counter

from .contract import Home, homes
from .expression import C_TYPES, Expression, is_float
from .index import Opaque, Polynomial, Quotient, Size, Variable, as_polynomial, split_remainder
from .statements import Array, Buffer, Declare, If, Loop, Statement, Store, Text, Update, expressions, opaque_parts, walk

STACK_BYTES = 256 * 1024  # of all temporaries together; the others are static
INDICES = "ijklmnpqrstuvw"
RANK = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7, "<<": 8, ">>": 8,
        "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}  # fmt: skip
UNARY, PRIMARY = 11, 12
BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "u8": 1, "bool": 1}
BF16 = """/* A bfloat16 is the upper half of a float. */
static inline float widened(uint16_t bits) {
  const uint32_t whole = (uint32_t)bits << 16;
  float x;
  memcpy(&x, &whole, sizeof x);
  return x;
}
"""
BF16_STORE = """static inline uint16_t narrowed(float x) {
  uint32_t whole;
  memcpy(&whole, &x, sizeof whole);
  if (x != x)
    return 0x7fc0;
  return (uint16_t)((whole + 0x7fff + (whole >> 16 & 1)) >> 16);
}
"""


class Emitter:
    """`exact`: computes in double, as an oracle of bf16 tasks does; other outputs than bf16 are double there."""

    def __init__(self, taken: set[str], exact: bool = False) -> None:
        self.taken = set(taken)
        self.exact = exact
        self.lines: list[str] = []
        self.homes: dict[int, Home] = {}
        self.array_names: dict[int, str] = {}
        self.scalars: dict[int, str] = {}
        self.hoisted: dict[int, str] = {}
        self.helpers: set[str] = set()
        self.by_loop: dict[int, list[tuple[Buffer, Home]]] = {}
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

    # Statements.

    def out(self, level: int, text: str) -> None:
        self.lines.append("  " * level + text)

    def block(self, body: list[Statement], level: int) -> None:
        for s in body:
            self.statement(s, level)

    def loop_header(self, loop: Loop) -> str:
        v = self.index_name(loop.variable.depth)
        return f"for (int64_t {v} = 0; {v} < {self.place(loop.variable.extent, 8)}; ++{v})"

    def statement(self, s: Statement, level: int) -> None:
        if isinstance(s, Loop):
            header = self.loop_header(s)
            start = len(self.lines)
            self.declare_locals(s, level + 1)
            self.block(s.body, level + 1)
            made = len(self.lines) - start
            if made == 1 or (len(s.body) == 1 and isinstance(s.body[0], Loop) and not self.by_loop.get(id(s))):
                self.lines.insert(start, "  " * level + header)
            else:
                self.lines.insert(start, "  " * level + header + " {")
                self.out(level, "}")
            return
        saved = dict(self.hoisted)
        if not isinstance(s, Array):
            self.hoist(s, level)
        self.simple(s, level)
        self.hoisted = saved

    def simple(self, s: Statement, level: int) -> None:
        if isinstance(s, Declare):
            self.out(level, f"{'const ' if s.fixed else ''}{self.value_type(s.dtype)} {s.name} = {self.text(s.value)};")
        elif isinstance(s, Update):
            self.update(s, level)
        elif isinstance(s, Store):
            self.store(s, level)
        elif isinstance(s, If):
            start = len(self.lines)
            self.block(s.body, level + 1)
            one = len(self.lines) - start == 1
            self.lines.insert(start, "  " * level + f"if ({self.text(s.condition)})" + ("" if one else " {"))
            if not one:
                self.out(level, "}")
        elif isinstance(s, Array):
            self.out(level, f"{self.value_type(s.dtype)} {s.name}[{self.place(s.count)}];")
        elif isinstance(s, Text):
            named = {name: self.array(b) for b, name in s.writes}
            for line in s.lines:
                for n, x in enumerate(s.values):
                    if "{%d}" % n in line:
                        line = line.replace("{%d}" % n, self.text(x, 1))
                for name, mine in named.items():
                    line = line.replace("{%s}" % name, mine)
                if self.exact:
                    line = line.replace("float ", "double ")
                self.out(level, line)

    def update(self, s: Update, level: int) -> None:
        if s.op in ("+", "*", "|", "&", "^"):
            self.out(level, f"{s.name} {s.op}= {self.text(s.value)};")
        elif s.op == "=" or is_float(s.dtype):
            self.out(level, f"{s.name} = {self.text(s.result())};")
        else:
            sign = ">" if s.op == "max" else "<"
            self.out(level, f"if ({self.text(s.value, 8)} {sign} {s.name})")
            self.out(level + 1, f"{s.name} = {self.text(s.value)};")

    def store(self, s: Store, level: int) -> None:
        home = self.homes.get(id(s.buffer))
        value = self.text(s.value)
        dtype = s.buffer.dtype
        if home is not None and home.is_scalar:
            if home.store is s:
                if s.value.op == "local":  # the accumulator itself
                    self.scalars[id(s.buffer)] = value
                    return
                self.out(level, f"const {self.value_type(dtype)} {self.scalars[id(s.buffer)]} = {value};")
                return
            self.out(level, f"{self.scalars[id(s.buffer)]} {'+' if s.adds else ''}= {value};")
            return
        if dtype == "bf16" and not self.exact:
            self.helpers.add("narrowed")
            value = f"narrowed({value})"
        elif dtype == "f16" and not self.exact:
            value = f"(_Float16){self.text(s.value, UNARY)}"
        place = self.place(self.local_place(s.buffer, s.place))
        self.out(level, f"{self.array(s.buffer)}[{place}] {'+' if s.adds else ''}= {value};")

    def hoist(self, s: Statement, level: int) -> None:
        """Names what stands in a statement more than once, as far as it is computed in any case."""
        seen: Counter[int] = Counter()
        order: list[Expression] = []

        def visit(x: Expression) -> None:
            if x.serial in self.hoisted:
                return
            seen[x.serial] += 1
            if seen[x.serial] > 1:
                return
            for p in x.polynomials():
                for y in opaque_parts(p):
                    visit(y)
            operands = x.operands[:1] if x.op == "select" and x.data else x.operands
            if x.op in ("&&", "||"):
                operands = x.operands[:1]
            for y in operands:
                visit(y)
            order.append(x)

        roots = expressions(s)
        if isinstance(s, Store):
            roots = roots + opaque_parts(s.place)
        if isinstance(s, Text):
            return
        if isinstance(s, Update) and s.op in ("max", "min") and not is_float(s.dtype) and s.value.op != "local":
            seen[s.value.serial] += 1
            for y in s.value.operands:
                visit(y)
            order.append(s.value)
            seen[s.value.serial] += 1
        else:
            for x in roots:
                visit(x)
        chosen = [x for x in order if self.worth(x, seen[x.serial])]
        for x in chosen:
            text = self.text(x)
            name = self.name("at" if x.dtype == "i64" else "t")
            self.out(level, f"const {self.value_type(x.dtype)} {name} = {text};")
            self.hoisted[x.serial] = name

    def worth(self, x: Expression, times: int) -> bool:
        if times < 2 or x.op in ("const", "local", "index"):
            return False
        if x.op == "load" and id(x.data[0]) in self.scalars:
            return False
        return not (x.op == "cast" and x.operands[0].op in ("const", "local", "index"))

    # The function.

    def declare_locals(self, loop: Loop | None, level: int) -> None:
        for buffer, home in self.by_loop.get(id(loop), []):
            dtype = buffer.dtype
            if home.is_scalar:
                if home.store is None:
                    self.out(level, f"{self.value_type(dtype)} {self.scalars[id(buffer)]};")
                continue
            self.out(level, f"{self.c_type(dtype)} {self.array(buffer)}[{self.place(home.count)}];")

    def function(self, name: str, parameters: list[str], body: list[Statement], temporaries: list[Buffer]) -> list[str]:
        self.homes = homes(body)
        stack = 0
        for s in walk(body):
            if isinstance(s, (Declare,)):
                self.taken.add(s.name)
        tops: list[str] = []
        ends: list[str] = []
        for b in temporaries:
            home = self.homes.get(id(b))
            if home is None:
                continue
            if home.is_scalar:
                self.scalars[id(b)] = b.name
                if home.loop is None:
                    tops += [] if home.store is not None else [f"{self.value_type(b.dtype)} {b.name};"]
                    continue
                self.by_loop.setdefault(id(home.loop), []).append((b, home))
                continue
            self.array_names[id(b)] = b.name
            if home.loop is not None:
                self.by_loop.setdefault(id(home.loop), []).append((b, home))
                continue
            count = home.count.value
            size = None if count is None else count * BYTES[b.dtype]
            declared = f"{self.c_type(b.dtype)} {self.array(b)}"
            if size is None:
                self.helpers.add("malloc")
                tops.append(f"{self.c_type(b.dtype)} *{self.array(b)} = malloc(sizeof(*{self.array(b)}) * (size_t)({{{id(b)}}}));")
                ends.append(f"free({self.array(b)});")
            elif size + stack <= STACK_BYTES:
                stack += size
                tops.append(f"{declared}[{max(count or 0, 1)}];")
            else:
                tops.append(f"static {declared}[{count}];")
        self.block(body, 1)
        tops = [t.replace(f"{{{id(b)}}}", self.place(b.count)) for t in tops for b in temporaries if f"{{{id(b)}}}" in t] + [
            t for t in tops if "malloc" not in t]
        lines = [*wrapped(f"void {name}(", parameters), *(f"  {t}" for t in tops), *self.lines, *(f"  {t}" for t in ends), "}"]
        return lines


def wrapped(head: str, parameters: list[str]) -> list[str]:
    """Returns the function's first lines, at most 120 columns wide."""
    out, line = [], head
    for n, p in enumerate(parameters):
        piece = p + (", " if n + 1 < len(parameters) else ") {")
        if len(line) + len(piece.rstrip()) > 120:
            out.append(line.rstrip())
            line = " " * len(head)
        line += piece
    if not parameters:
        line += "void) {"
    return [*out, line]


def shortest(value: float, dtype: str) -> str:
    """Returns the shortest decimal text that reads back as the value in its type."""
    if dtype == "f32":
        import struct

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


__all__ = ["Emitter", "BF16", "BF16_STORE", "as_polynomial"]
