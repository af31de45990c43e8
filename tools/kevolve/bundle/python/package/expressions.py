"""Expressions over sizes, as a task's shapes use them: + - * / %, parentheses, min, max, ceildiv. Nothing is executed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|(.))")
_FUNCTIONS = ("min", "max", "ceildiv")


class _Parser:
    """Parses into nested tuples: ("number", 3), ("name", "n"), ("+", left, right), ("call", name, arguments)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [m.groups() for m in _TOKEN.finditer(text.strip())]
        self.at = 0

    def peek(self) -> str:
        return next((x for x in self.tokens[self.at] if x), "") if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        found = self.peek()
        if not found or (wanted and found != wanted):
            raise ValueError(f"'{self.text}' is no expression over sizes")
        self.at += 1
        return found

    def whole(self) -> Any:
        out = self.sum()
        if self.peek():
            raise ValueError(f"'{self.text}' is no expression over sizes")
        return out

    def sum(self) -> Any:
        out = self.product()
        while self.peek() in ("+", "-"):
            out = (self.take(), out, self.product())
        return out

    def product(self) -> Any:
        out = self.factor()
        while self.peek() in ("*", "/", "%"):
            out = (self.take(), out, self.factor())
        return out

    def factor(self) -> Any:
        word = self.take()
        if word == "-":
            return ("-", ("number", 0), self.factor())
        if word == "+":
            return self.factor()
        if word == "(":
            out = self.sum()
            self.take(")")
            return out
        if word.isdigit():
            return ("number", int(word))
        if self.peek() != "(":
            return ("name", word)
        if word not in _FUNCTIONS:
            raise ValueError(f"'{self.text}': there is no function '{word}'")
        self.take("(")
        arguments = [self.sum()]
        while self.peek() == ",":
            self.take(",")
            arguments.append(self.sum())
        self.take(")")
        return ("call", word, tuple(arguments))


def parse(text: str) -> Any:
    return _Parser(text).whole()


def evaluate(x: Any, sizes: Mapping[str, int]) -> int:
    """Returns the value of a parsed expression. KeyError: a size without a value. Division rounds down."""
    what = x[0]
    if what == "number":
        return x[1]
    if what == "name":
        return sizes[x[1]]
    if what == "call":
        values = [evaluate(a, sizes) for a in x[2]]
        if x[1] == "ceildiv":
            return -(-values[0] // values[1])
        return min(values) if x[1] == "min" else max(values)
    left, right = evaluate(x[1], sizes), evaluate(x[2], sizes)
    if what == "+":
        return left + right
    if what == "-":
        return left - right
    if what == "*":
        return left * right
    return left // right if what == "/" else left % right
