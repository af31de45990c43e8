"""The table of operators: names of overloads and the functions that lower them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TABLE: dict[str, Callable[..., Any]] = {}


class NotLowered(Exception):
    """A form of an operator that has no lowering; the text says why."""


def operator(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function `f(call, *args, **kwargs)` for overloads such as "add.Tensor"."""

    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            TABLE[name] = f
        return f

    return register


class Call:
    """One call in the graph: the context, and what torch says about its results."""

    def __init__(self, context: Any, outputs: list[tuple[str, tuple]], promoted: str, read: set[int] | None) -> None:
        self.context = context
        self.outputs = outputs  # dtype and shape of each result
        self.promoted = promoted  # torch's common type of the tensor and number arguments
        self.read = read  # which results anything reads; None: the result is one tensor

    @property
    def dtype(self) -> str:
        return self.outputs[0][0]

    @property
    def shape(self) -> tuple:
        return self.outputs[0][1]

    def reads(self, n: int) -> bool:
        return self.read is None or n in self.read
