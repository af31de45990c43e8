"""Writes a module or function, with what it refers to, as a Python file that stands alone."""

from __future__ import annotations

import inspect
import io
import sys
import sysconfig
import textwrap
import tokenize
import types
from collections.abc import Iterable, Iterator
from typing import Any

from .errors import KevolveError

_SIMPLE = (bool, int, float, str, bytes, type(None))


def is_simple(x: Any) -> bool:
    return isinstance(x, _SIMPLE) or (isinstance(x, (tuple, list)) and all(is_simple(i) for i in x))


def _text_of(thing: Any) -> str:
    try:
        return textwrap.dedent(inspect.getsource(thing))
    except (OSError, TypeError) as error:
        raise KevolveError(
            f"the source of {getattr(thing, '__qualname__', thing)!r} cannot be read ({error}): define it in a file or a "
            "notebook's cell"
        ) from error


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _names(inner)


def _codes(thing: Any) -> Iterator[types.CodeType]:
    if isinstance(thing, type):
        for member in vars(thing).values():
            member = getattr(member, "__func__", member)
            member = getattr(member, "fget", None) or member
            if isinstance(member, types.FunctionType):
                yield member.__code__
    elif isinstance(thing, types.FunctionType):
        yield thing.__code__


class _Writer:
    def __init__(self) -> None:
        self.imports: dict[str, str] = {}
        self.parts: list[str] = []
        self.done: set[int] = set()

    def add(self, thing: Any) -> None:
        """Adds a class or function, after all that it refers to."""
        if id(thing) in self.done:
            return
        self.done.add(id(thing))
        names = dict.fromkeys(n for c in _codes(thing) for n in _names(c))
        scope = _scope_of(thing)
        for closed in _closed_over(thing):
            raise KevolveError(f"'{thing.__qualname__}' uses '{closed}' of the function that it is defined in: move it out")
        if isinstance(thing, type):
            for base in thing.__bases__:
                self.refer(base.__name__, base)
        text = _text_of(thing)
        names |= dict.fromkeys(n for n in scope if n in _words(text))
        for name in names:
            if name in scope and scope[name] is not thing:
                self.refer(name, scope[name])
        self.parts.append(text.rstrip() + "\n")

    def refer(self, name: str, value: Any) -> None:
        if isinstance(value, types.ModuleType):
            self.imports[name] = f"import {value.__name__} as {name}"
        elif is_simple(value):
            line = f"{name} = {value!r}\n"
            if line not in self.parts:
                self.parts.append(line)
        elif isinstance(value, (type, types.FunctionType)) and _is_own(value):
            self.add(value)
        elif getattr(value, "__module__", None) and getattr(value, "__qualname__", None) == getattr(value, "__name__", ""):
            if value.__module__ != "builtins":
                self.imports[name] = f"from {value.__module__} import {value.__name__} as {name}"
        elif type(value).__module__.startswith("torch") and type(value).__name__ in ("dtype", "device"):
            self.imports["torch"] = "import torch as torch"
            self.parts.append(f"{name} = {f'torch.device({str(value)!r})' if type(value).__name__ == 'device' else value}\n")
        # Anything else is found missing when the file is traced, with its line.


def _words(text: str) -> set[str]:
    try:
        return {t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.NAME}
    except (tokenize.TokenError, SyntaxError):
        return set()


def _scope_of(thing: Any) -> dict[str, Any]:
    function = thing if isinstance(thing, types.FunctionType) else None
    if function is not None:
        return function.__globals__
    found = inspect.getmodule(thing) or sys.modules.get("__main__")
    for member in vars(thing).values():
        if isinstance(member, types.FunctionType) and member.__module__ == thing.__module__:
            return member.__globals__
    return vars(found) if found is not None else {}


def _closed_over(thing: Any) -> Iterable[str]:
    return sorted({n for c in _codes(thing) for n in c.co_freevars} - {"__class__"})


def _is_own(value: Any) -> bool:
    """Returns true for what is defined by the user: not in an installed package, nor in Python's library."""
    module = sys.modules.get(value.__module__)
    file = getattr(module, "__file__", None)
    if value.__module__ == "__main__" or file is None:
        return value.__module__ not in sys.builtin_module_names
    paths = [sysconfig.get_path(k) for k in ("purelib", "platlib", "stdlib")]
    return "site-packages" not in file and not any(p and file.startswith(p) for p in paths)


def standalone(things: list[Any], tail: str) -> str:
    """Returns a file that defines the things; `tail` comes after them."""
    writer = _Writer()
    writer.imports["torch"] = "import torch as torch"
    for thing in things:
        if isinstance(thing, (type, types.FunctionType)) and _is_own(thing):
            writer.add(thing)
        else:
            writer.refer(thing.__name__, thing)
    lines = [v if not v.startswith(f"import {k} as {k}") else f"import {k}" for k, v in sorted(writer.imports.items())]
    text = "\n".join(lines) + "\n\n\n" + "\n\n".join(p.rstrip() + "\n" for p in writer.parts) + "\n\n" + tail
    compile(text, "module.py", "exec")
    return text
