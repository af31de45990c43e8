"""Expressions over sizes, as a task's shapes and a launch plan use them: + - * / // %, parentheses, min, max, ceildiv.

The grammar and its values are those of kevolve's runtime/base/expression.hpp. Nothing is executed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_TOKEN = re.compile(r"[ \t]*([0-9]+(?![0-9A-Za-z_.])|[A-Za-z_][A-Za-z_0-9]*|//|[-+*/%(),])")
_FUNCTIONS = ("min", "max", "ceildiv")
_LEAST, _MOST = -(2**63), 2**63 - 1


class _Parser:
    """Parses into nested tuples: ("number", 3), ("name", "n"), ("+", left, right), ("call", name, arguments)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = []
        self.at = 0
        at, end = 0, len(text.rstrip(" \t"))
        while at < end:
            found = _TOKEN.match(text, at)
            if found is None:
                raise ValueError(f"'{text}' is no expression over sizes")
            self.tokens.append(found[1])
            at = found.end()

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        found = self.peek()
        if not found or (wanted and found != wanted):
            raise ValueError(f"'{self.text}' is no expression over sizes")
        self.at += 1
        return found

    def whole(self) -> Any:
        out = self.sum()
        if self.at < len(self.tokens):
            raise ValueError(f"'{self.text}' is no expression over sizes")
        return out

    def sum(self) -> Any:
        out = self.product()
        while self.peek() in ("+", "-"):
            out = (self.take(), out, self.product())
        return out

    def product(self) -> Any:
        out = self.factor()
        while self.peek() in ("*", "/", "//", "%"):
            out = (self.take(), out, self.factor())
        return out

    def factor(self) -> Any:
        word = self.take()
        if word == "-":
            return ("-", ("number", 0), self.factor())
        if word == "(":
            out = self.sum()
            self.take(")")
            return out
        if word[0] in "0123456789":
            if (number := int(word)) > _MOST:
                raise ValueError(f"'{self.text}': a number does not fit 64 bits")
            return ("number", number)
        if not word.isidentifier():
            raise ValueError(f"'{self.text}' is no expression over sizes")
        if self.peek() != "(":
            return ("name", word)
        if word not in _FUNCTIONS:
            raise ValueError(f"'{self.text}': there is no function '{word}'")
        self.take("(")
        left = self.sum()
        self.take(",")
        right = self.sum()
        self.take(")")
        return ("call", word, (left, right))


def parse(text: str) -> Any:
    """Returns the parsed expression. ValueError: it is none."""
    return _Parser(text).whole()


def _fits(x: int) -> int:
    if not _LEAST <= x <= _MOST:
        raise OverflowError("the result does not fit 64 bits")
    return x


def evaluate(x: Any, sizes: Mapping[str, int]) -> int:
    """Returns the value of a parsed expression. KeyError: a size without a value; ArithmeticError: there is no value.

    Division (/ and // are the same) and remainder round towards minus infinity.
    """
    what = x[0]
    if what == "number":
        return x[1]
    if what == "name":
        return sizes[x[1]]
    if what == "call":
        left, right = (evaluate(a, sizes) for a in x[2])
        if x[1] == "ceildiv":
            return _fits(-(-left // right))
        return min(left, right) if x[1] == "min" else max(left, right)
    left, right = evaluate(x[1], sizes), evaluate(x[2], sizes)
    if what == "+":
        return _fits(left + right)
    if what == "-":
        return _fits(left - right)
    if what == "*":
        return _fits(left * right)
    return _fits(left // right) if what in ("/", "//") else left % right
