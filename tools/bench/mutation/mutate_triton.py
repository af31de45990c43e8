"""Faults in Triton modules, at places of Python's own syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .mutants import Mutant

OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult}
COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
SYMBOLS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
           ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
SWAPPED = {"max": "min", "min": "max", "maximum": "minimum", "minimum": "maximum", "exp": "exp2", "exp2": "exp", "log": "log2",
           "rsqrt": "sqrt", "sqrt": "rsqrt"}
POINTERS = ("load", "store", "atomic_add", "arange", "program_id")


class Module:
    def __init__(self, source: str) -> None:
        self.source = source
        self.lines = source.splitlines(keepends=True)
        self.tree = ast.parse(source)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def offset(self, line: int, column: int) -> int:
        """Columns count bytes; these sources are ASCII where it matters."""
        return sum(len(text) for text in self.lines[:line - 1]) + len(self.lines[line - 1].encode()[:column].decode())

    def text(self, node: ast.AST) -> str:
        return ast.get_source_segment(self.source, node) or ""

    def replace(self, kind: str, name: str, node: ast.expr | ast.stmt, new: str) -> Mutant:
        start, end = self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)
        return Mutant(kind, name, node.lineno, self.source[start:end], new, self.source[:start] + new + self.source[end:])

    def in_index(self, node: ast.AST) -> bool:
        """Tells whether the value says where something lies: in the first argument of a load or store, or in a name like one."""
        below = node
        while (above := self.parents.get(below)) is not None:
            if isinstance(above, ast.Call) and isinstance(above.func, ast.Attribute):
                if above.func.attr in POINTERS:
                    return below is above.args[0] if above.args else False
                return False
            if isinstance(above, ast.Assign):
                name = above.targets[0]
                return isinstance(name, ast.Name) and (name.id in ("at", "offsets", "offs") or name.id.endswith(("_ptr", "_at", "r", "ptrs")))
            if isinstance(above, ast.stmt):
                return False
            below = above
        return False


def mutations(source: str) -> Iterator[Mutant]:
    m = Module(source)
    functions = [f for f in ast.walk(m.tree) if isinstance(f, ast.FunctionDef)]
    for node in (n for f in functions for s in f.body for n in ast.walk(s)):
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            kind = "index" if m.in_index(node) else "arithmetic"
            left, right = m.text(node.left), m.text(node.right)
            yield m.replace(kind, "operator", node, f"({left}) {SYMBOLS[OPERATORS[type(node.op)]]} ({right})")
            yield m.replace(kind, "drop right", node, f"({left})")
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
            left, right = m.text(node.left), m.text(node.comparators[0])
            yield m.replace("boundary", "comparison", node, f"({left}) {SYMBOLS[COMPARISONS[type(node.ops[0])]]} ({right})")
            yield m.replace("boundary", "one too few", node, f"({left}) {SYMBOLS[type(node.ops[0])]} (({right}) - 1)")
        elif isinstance(node, ast.Call):
            yield from calls(m, node)
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            target, value = m.text(node.target), m.text(node.value)
            yield m.replace("arithmetic", "compound operator", node, f"{target} -= {value}")
            yield m.replace("initialisation", "overwritten", node, f"{target} = {value}")
            yield m.replace("precision", "half sum", node, f"{target} = ({target} + ({value})).to(tl.float16).to(tl.float32)")
        elif isinstance(node, ast.Constant) and isinstance(node.value, float):
            yield m.replace("arithmetic", "constant", node, repr(node.value * 1.5) if node.value else "1.0")


def calls(m: Module, node: ast.Call) -> Iterator[Mutant]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    whole = m.text(node)
    if name in SWAPPED:
        yield m.replace("arithmetic", "function", node.func, m.text(node.func)[: -len(name)] + SWAPPED[name])
    if name in ("load", "store"):
        for k in node.keywords:
            if k.arg == "mask":
                yield m.replace("boundary", "no mask", k.value, f"({m.text(k.value)}) | True" if name == "store" else "None")
            if k.arg == "other" and name == "load":
                yield m.replace("initialisation", "other", k.value, "1.0")
        if name == "load" and node.args:
            yield m.replace("index", "one beyond", node.args[0], f"({m.text(node.args[0])}) + 1")
            yield m.replace("precision", "read as half", node, f"({whole}).to(tl.float16)")
        if name == "store" and len(node.args) > 1:
            yield m.replace("special", "capped", node.args[1], f"tl.minimum({m.text(node.args[1])}, 1.0)")
            yield m.replace("precision", "stored in bfloat16", node.args[1], f"({m.text(node.args[1])}).to(tl.bfloat16)")
    if name == "zeros":
        yield m.replace("initialisation", "wrong start", node, f"({whole} + 1)")
        yield m.replace("precision", "narrower variable", node, whole.replace("float32", "float16"))
    if name == "to" and "float32" in whole and isinstance(node.func, ast.Attribute):
        yield m.replace("precision", "no widening", node, m.text(node.func.value))
    if name in ("exp", "exp2", "rsqrt", "sqrt"):
        yield m.replace("precision", "approximation", node, f"({whole}).to(tl.float16).to(tl.float32)")
    if name == "debug_barrier":
        yield m.replace("synchronisation", "no barrier", node, "None")
    if name == "atomic_add" and len(node.args) > 1:
        pointer, value = m.text(node.args[0]), m.text(node.args[1])
        yield m.replace("synchronisation", "no atomic", node, f"tl.store({pointer}, tl.load({pointer}) + ({value}))")
