"""Reads a task file for tests: shapes and expressions, without the checks of config/."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "config" / "tasks" / "gpu"
Task = dict[str, Any]
Argument = dict[str, Any]


def shipped() -> dict[str, Task]:
    """Returns name → content of every task with a PyTorch reference."""
    files = sorted(FOLDER.glob("*.task.toml"))
    return {f.name.removesuffix(".task.toml"): tomllib.loads(f.read_text(encoding="utf-8")) for f in files}


def source_of(task: Task) -> Path:
    return FOLDER / task["reference"]["file"]


def written(task: Task) -> list[Argument]:
    return [a for a in task["argument"] if a["role"] in ("output", "inout")]


def read(task: Task) -> list[Argument]:
    return [a for a in task["argument"] if a["role"] in ("input", "inout", "weight")]


def sizes_of(task: Task, shape: dict[str, Any]) -> dict[str, int]:
    names = [a["name"] for a in task["argument"] if a["role"] == "size"]
    return {n: shape[n] for n in names if n in shape}


def evaluate(text: str, names: dict[str, Any]) -> int:
    """Evaluates an expression over the size symbols, with sum(argument) over the arrays among the names."""
    known = {"min": min, "max": max, "ceildiv": lambda a, b: -(-a // b), "sum": lambda a: int(a.sum())}
    return int(eval(text.replace("/", "//"), {"__builtins__": {}}, {**known, **names}))  # reads only our own files


def tolerance_of(task: Task, output: Argument) -> tuple[float, float]:
    """Returns the relative and absolute tolerance; integers are exact."""
    if not output["dtype"].startswith(("f", "bf")):
        return 0.0, 0.0
    t = task["tolerance"]
    return t["relative"], t["absolute"]
