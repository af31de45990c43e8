"""Writes task files: TOML text of a task whose reference is a C function."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def toml(value: Any) -> str:
    """Returns a value as TOML; floats keep every digit."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        text = repr(value)
        return text if any(c in text for c in ".ein") else f"{text}.0"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + " }"
    return "[" + ", ".join(toml(v) for v in value) + "]"


def table(head: str, rows: Sequence[tuple[str, Any]]) -> str:
    return "\n".join([head, *(f"{k} = {toml(v)}" for k, v in rows if v is not None)]) + "\n"


def extent(text: str) -> Any:
    return int(text) if text.isdigit() else text


def task_text(name: str, family: str, summary: str, arguments: Sequence[Any], *, reference: str, fills: Mapping[str, Any],
              tolerances: Mapping[str, tuple[float, float]], shapes: Sequence[Mapping[str, Any]] = ({},), module: Mapping[str, str] | None = None,
              oracle: str | None = None, nonfinite: Sequence[str] = (), sizes: str = "declared") -> str:  # fmt: skip
    """Returns the text of a task. `arguments` are those of lowering.Lowered; `fills` maps inputs to distributions,
    `tolerances` floating outputs to (relative, absolute). Origins are written if there is a module."""
    parts = [table("[task]", [("name", name), ("family", family), ("summary", summary), ("sizes", sizes)])]
    if module is not None:
        parts.append(table("[module]", list(module.items())))
    for a in arguments:
        rows: list[tuple[str, Any]] = [("name", a.name), ("role", a.role)]
        if a.role != "size":
            rows += [("dtype", a.dtype), ("shape", [extent(n) for n in a.shape] or [1])]
            rows += [("fill", fills.get(a.name)), ("origin", a.origin if module is not None else None)]
            rows += [("nonfinite", "match" if a.name in nonfinite else None)]
        parts.append(table("[[argument]]", rows))
    parts += [table("[[shape]]", list(s.items())) for s in shapes]
    parts.append(table("[reference]", [("language", "c"), ("file", reference), ("entry", name)]))
    if oracle is not None:
        parts.append(table("[oracle]", [("file", oracle), ("entry", name)]))
    for output, (relative, absolute) in tolerances.items():
        parts.append(table("[[tolerance]]", [("argument", output), ("relative", relative), ("absolute", absolute)]))
    return "\n".join(parts)
