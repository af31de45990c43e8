"""Prints statements as a C99 function."""

from __future__ import annotations

import re
from collections import Counter

from .contract import Home, homes
from .expression import Expression, is_float
from .statements import Array, Buffer, Declare, If, Loop, Statement, Store, Text, Update, expressions, opaque_parts, walk
from .text import UNARY, Printer

STACK_BYTES = 256 * 1024  # of all temporaries together; the others are static
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


class Emitter(Printer):
    """Prints statements, a function's declarations around them."""

    def __init__(self, taken: set[str], exact: bool = False) -> None:
        super().__init__(taken, exact)
        self.lines: list[str] = []
        self.by_loop: dict[int, list[tuple[Buffer, Home]]] = {}

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
        if dtype == "bf16":
            self.helpers.add("narrowed")
            value = f"narrowed({f'(float)({value})' if self.exact else value})"
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
        self.lines = without_unused(self.lines)
        tops = [t.replace(f"{{{id(b)}}}", self.place(b.count)) for t in tops for b in temporaries if f"{{{id(b)}}}" in t] + [
            t for t in tops if "malloc" not in t]
        lines = [*wrapped(f"void {name}(", parameters), *(f"  {t}" for t in tops), *self.lines, *(f"  {t}" for t in ends), "}"]
        return lines


def without_unused(lines: list[str]) -> list[str]:
    """Returns the lines without constants that are used nowhere, since they cancelled in an index."""
    while True:
        words = Counter(w for line in lines for w in re.findall(r"\w+", line))
        named = [re.match(r"\s*const \w+ (\w+) = ", line) for line in lines]
        kept = [line for line, m in zip(lines, named, strict=True) if m is None or words[m.group(1)] > 1]
        if len(kept) == len(lines):
            return kept
        lines = kept


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

