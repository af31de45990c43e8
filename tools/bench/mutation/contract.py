"""Reads a task file by itself: arguments, sizes, tolerances, and the expressions of shapes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FLOATING = {"f16", "bf16", "f32", "f64"}
C_TYPES = {"f16": "_Float16", "bf16": "uint16_t", "f32": "float", "f64": "double", "i8": "int8_t", "u8": "uint8_t",
           "i32": "int32_t", "i64": "int64_t", "bool": "uint8_t"}


@dataclass(frozen=True)
class Argument:
    name: str
    role: str
    dtype: str
    shape: tuple[str, ...] = ()
    fill: Mapping[str, Any] = field(default_factory=dict)
    extent: str | None = None
    tail: str = "unspecified"
    edge: tuple[str, ...] = ()
    nonfinite: bool = False
    value: float | None = None
    range: tuple[float, float] = (0.0, 1.0)
    strides: tuple[str, ...] = ()
    minimum: int = 1  # of a size, as multiple is
    multiple: int = 1

    @property
    def is_array(self) -> bool:
        return self.role not in ("size", "scalar")

    @property
    def is_read(self) -> bool:
        return self.role in ("input", "inout", "weight")

    @property
    def is_written(self) -> bool:
        return self.role in ("output", "inout")

    @property
    def floating(self) -> bool:
        return self.dtype in FLOATING


@dataclass(frozen=True)
class Tolerance:
    mode: str = "absrel"
    relative: float = 0.0
    absolute: float = 0.0
    limit: float = 0.0


@dataclass(frozen=True)
class Contract:
    name: str
    entry: str
    path: Path
    language: str
    reference: Path
    oracle: Path | None
    arguments: tuple[Argument, ...]
    derived: tuple[tuple[str, str], ...]
    shapes: tuple[Mapping[str, int], ...]
    held_out: tuple[bool, ...]
    tolerances: Mapping[str | None, Tolerance]
    declared_only: bool = False
    threads: bool = False
    libraries: tuple[str, ...] = ()

    @property
    def sizes(self) -> list[str]:
        return [a.name for a in self.arguments if a.role == "size"]

    def argument(self, name: str) -> Argument:
        return next(a for a in self.arguments if a.name == name)

    def allows(self, sizes: Mapping[str, int]) -> bool:
        """Tells whether the contract allows these sizes, as far as its rules for sizes say."""
        if sizes in self.shapes:
            return True
        return not self.declared_only and all(sizes[a.name] >= a.minimum and sizes[a.name] % a.multiple == 0
                                              for a in self.arguments if a.role == "size")

    def tolerance(self, a: Argument) -> Tolerance:
        if a.name in self.tolerances:
            return self.tolerances[a.name]
        if not a.floating:
            return self.tolerances.get(None, Tolerance("exact"))
        return self.tolerances.get(None, Tolerance("absrel", 1e-5, 1e-6))

    def prototype(self, name: str | None = None) -> str:
        parameters = []
        for a in self.arguments:
            if a.is_array:
                parameters.append(("" if a.is_written else "const ") + C_TYPES[a.dtype] + " *" + a.name)
            else:
                parameters.append(("int64_t" if a.role == "size" else C_TYPES[a.dtype]) + " " + a.name)
        return f"void {name or self.entry}({', '.join(parameters)})"


def load(path: Path) -> Contract:
    t = tomllib.loads(path.read_text(encoding="utf-8"))
    arguments = []
    for a in t["argument"]:
        arguments.append(Argument(
            a["name"], a["role"], a.get("dtype", "i64"), tuple(a.get("shape", ())), a.get("fill", {"distribution": "normal"}),
            a.get("extent"), a.get("tail", "unspecified"), tuple(a.get("edge", ())), a.get("nonfinite") == "match",
            a.get("value"), tuple(a.get("range", (0.0, 1.0))), tuple(a.get("strides", ())),
            a.get("minimum", 1), a.get("multiple", 1)))
    given = t.get("tolerance", [])
    tolerances = {x.get("argument"): Tolerance(x.get("mode", "absrel"), x.get("relative", 0.0), x.get("absolute", 0.0),
                                               x.get("limit", 0.0))
                  for x in (given if isinstance(given, list) else [given])}
    names = [a.name for a in arguments if a.role == "size"]
    permissions = t.get("permissions", {})
    oracle = t.get("oracle", {}).get("file")
    return Contract(
        t["task"]["name"], t["reference"]["entry"], path, t["reference"]["language"], path.parent / t["reference"]["file"],
        path.parent / oracle if oracle else None, tuple(arguments), tuple(t.get("derived", {}).items()),
        tuple({n: s[n] for n in names} for s in t["shape"]), tuple(s.get("held_out", False) for s in t["shape"]), tolerances,
        t["task"].get("sizes") == "declared", permissions.get("threads", False), tuple(permissions.get("libraries", ())))


_token = re.compile(r"\s*(\d+|[A-Za-z_]\w*|[-+*/%(),])")


def tokens(text: str) -> list[str]:
    out, at = [], 0
    while at < len(text.rstrip()):
        m = _token.match(text, at)
        if not m:
            raise ValueError(f"not an expression: {text}")
        out.append(m.group(1))
        at = m.end()
    return out


def evaluate(text: str, sizes: Mapping[str, int], total: Callable[[str], int] | None = None) -> int:
    """Returns the expression's value; KeyError if a name is not known yet. `total` sums an argument."""
    words = tokens(text)
    at = 0

    def peek() -> str:
        return words[at] if at < len(words) else ""

    def take(expected: str | None = None) -> str:
        nonlocal at
        word = peek()
        if not word or (expected and word != expected):
            raise ValueError(f"not an expression: {text}")
        at += 1
        return word

    def additive() -> int:
        left = multiplicative()
        while peek() in ("+", "-"):
            left = left + multiplicative() if take() == "+" else left - multiplicative()
        return left

    def multiplicative() -> int:
        left = unary()
        while peek() in ("*", "/", "%"):
            op = take()
            right = unary()
            left = left * right if op == "*" else left // right if op == "/" else left % right
        return left

    def unary() -> int:
        if peek() == "-":
            take()
            return -unary()
        return primary()

    def primary() -> int:
        word = take()
        if word == "(":
            inner = additive()
            take(")")
            return inner
        if word.isdigit():
            return int(word)
        if peek() != "(":
            return sizes[word]
        take("(")
        if word == "sum":
            name = take()
            take(")")
            if total is None:
                raise KeyError(name)
            return total(name)
        first = additive()
        take(",")
        second = additive()
        take(")")
        functions: dict[str, Callable[[int, int], int]] = {"min": min, "max": max, "ceildiv": lambda a, b: -(-a // b)}
        return functions[word](first, second)

    value = additive()
    if at != len(words):
        raise ValueError(f"not an expression: {text}")
    return value
