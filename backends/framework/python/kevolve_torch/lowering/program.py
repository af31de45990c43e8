"""The data that a lowering starts from and ends with: arguments, results, refusals, and torch's facts about a graph."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field
from typing import Any

import torch

from .index import Polynomial, Size, constant, of
from .operators import NotLowered
from .values import Context

DTYPES = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64", torch.int32: "i32",
          torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool"}  # fmt: skip


C_WORDS = set(["auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "main", "bool", "exp", "log", "sin", "cos", "tan", "sqrt", "pow", "abs", "floor", "ceil", "round", "erf", "free", "malloc", "y0", "y1", "yn", "j0", "j1", "jn", "gamma", "time", "read", "write", "index", "div", "remainder", "signal", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "copysign", "cosh", "erfc", "exp2", "expm1", "fabs", "fdim", "fma", "fmax", "fmin", "fmod", "frexp", "hypot", "ilogb", "ldexp", "lgamma", "llrint", "llround", "log10", "log1p", "log2", "logb", "lrint", "lround", "modf", "nan", "nearbyint", "nextafter", "rint", "scalbn", "sinh", "tanh", "tgamma", "trunc", "isnan", "isinf", "isfinite", "signbit", "select", "dup", "pipe", "link", "open", "close", "send", "bind", "random", "rand", "abort", "exit", "memcpy"])  # fmt: skip


@dataclass
class Argument:
    """A parameter of the C function. `origin` is as in a task file: "input 0", "parameter linear.weight"; empty for sizes."""

    name: str
    role: str
    dtype: str
    shape: list[str]
    origin: str = ""


@dataclass
class Lowered:
    text: str
    arguments: list[Argument]
    entry: str
    oracle: str | None = None  # the same in double, where the reference reads bits of floats (bf16)


@dataclass
class Refusal:
    """One operator that has no lowering, and the line of the module that calls it."""

    operator: str
    file: str
    line: int
    detail: str
    layer: str = ""  # the part of the module that calls it: "encoder.attention"

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        where = f" (in the layer '{self.layer}')" if self.layer else ""
        return f"{place}{self.operator}: {self.detail}{where}"


class Unsupported(Exception):
    """Names every operator of a program that cannot be lowered; the attributes are those of the first."""

    def __init__(self, refusals: list[Refusal]) -> None:
        super().__init__("\n".join(map(str, refusals)))
        self.refusals = refusals
        self.operator, self.file, self.line, self.detail = refusals[0].operator, refusals[0].file, refusals[0].line, refusals[0].detail


def place_of(node: Any) -> tuple[str, int]:
    """Returns the line of the user's code that a node comes from: the last outside torch."""
    found = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    own = [f for f in found if "/torch/" not in f[0]] or found
    return (own[-1][0], int(own[-1][1])) if own else ("", 0)


@dataclass
class Program:
    """The state of one lowering."""

    context: Context
    values: dict[Any, Any] = field(default_factory=dict)
    sizes: dict[str, Size] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)

    def extent(self, n: Any) -> Polynomial:
        if isinstance(n, int):
            return constant(n)
        return self.from_sympy(n.node.expr)

    def from_sympy(self, e: Any) -> Polynomial:
        if e.is_Integer:
            return constant(int(e))
        if e.is_Symbol:
            name = str(e)
            if name not in self.sizes:
                self.sizes[name] = Size(name)
            return of(self.sizes[name])
        if e.is_Add or e.is_Mul:
            out = constant(0 if e.is_Add else 1)
            for a in e.args:
                out = out + self.from_sympy(a) if e.is_Add else out * self.from_sympy(a)
            return out
        if type(e).__name__ in ("FloorDiv", "CleanDiv"):
            return self.from_sympy(e.args[0]) // self.from_sympy(e.args[1])
        if e.is_Pow and e.args[1].is_Integer and int(e.args[1]) > 0:
            out = constant(1)
            for _ in range(int(e.args[1])):
                out = out * self.from_sympy(e.args[0])
            return out
        raise NotLowered(f"the extent {e}")

    def described(self, meta: Any) -> list[tuple[str, tuple]]:
        if isinstance(meta, (list, tuple)):
            return [d for m in meta for d in self.described(m)]
        if isinstance(meta, torch.Tensor):
            if meta.dtype not in DTYPES:
                raise NotLowered(f"elements of type {meta.dtype}")
            return [(DTYPES[meta.dtype], tuple(self.extent(n) for n in meta.shape))]
        return [("i64", ())]

    def argument(self, a: Any) -> Any:
        if isinstance(a, torch.fx.Node):
            return self.values[a]
        if isinstance(a, (list, tuple)):
            return type(a)(self.argument(x) for x in a) if not isinstance(a, torch.Size) else list(a)
        return a


def promoted_type(node: Any) -> str:
    """Returns torch's common type of the tensor and number arguments."""
    metas = [a.meta["val"] if isinstance(a, torch.fx.Node) else a for a in node.args if isinstance(a, (torch.fx.Node, int, float, bool))]
    kinds = [m for m in metas if isinstance(m, (torch.Tensor, int, float, bool))]
    found: Any = None
    for m in kinds:
        found = m if found is None else torch.empty((), dtype=torch.result_type(_mild(found), _mild(m)))
    tensors = [m for m in kinds if isinstance(m, torch.Tensor)]
    if len(tensors) >= 2 and len(kinds) == len(tensors):
        return DTYPES.get(torch.result_type(_meta(tensors[0]), _meta(tensors[1])), "f32")
    if isinstance(found, torch.Tensor):
        return DTYPES.get(found.dtype, "f32")
    return "f32"


def _meta(t: torch.Tensor) -> torch.Tensor:
    return torch.empty([1] * t.dim(), dtype=t.dtype)


def _mild(m: Any) -> Any:
    return torch.empty([1] * max(m.dim(), 0), dtype=m.dtype) if isinstance(m, torch.Tensor) else m


def identifier(text: str, taken: set[str]) -> str:
    out = re.sub(r"\W", "_", text)
    if not out or out[0].isdigit():
        out = f"x{out}"
    if out in C_WORDS or keyword.iskeyword(out):
        out += "_"
    name, n = out, 1
    while name in taken:
        name, n = f"{out}_{n}", n + 1
    taken.add(name)
    return name
