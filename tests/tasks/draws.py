"""Draws a task's inputs by its distributions, as the judge does, but in a simpler way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from task_file import Argument, Task, evaluate, read, sizes_of

DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}
LARGE = {"f16": 16.0, "f32": 1e12}  # factor of large values in edge cases


@dataclass
class Draw:
    """The inputs of one call."""

    sizes: dict[str, int]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    scalars: dict[str, float] = field(default_factory=dict)

    def arguments(self) -> dict[str, Any]:
        return {**self.arrays, **self.scalars, **self.sizes}


def fill(a: Argument, shape: tuple[int, ...], edge: str, drawn: dict[str, np.ndarray],
         random: np.random.Generator) -> np.ndarray:
    rule = a.get("fill", {"distribution": "normal", "mean": 0.0, "std": 1.0})
    kind = rule["distribution"]
    if edge in a.get("edge", []):
        values = LARGE[a["dtype"]] * random.standard_normal(shape) if edge == "large" else np.zeros(shape)
    elif kind == "normal":
        values = rule["mean"] + rule["std"] * random.standard_normal(shape)
    elif kind in ("integer", "lengths"):
        values = random.integers(rule["low"], rule["high"], shape, endpoint=True)
    elif kind == "sorted_unique":
        values = np.cumsum(random.integers(1, 1000, shape))
    elif kind == "sample_of":
        table = drawn[rule["argument"]]
        near = random.choice(table, shape)
        values = np.where(random.random(shape) < rule["hit"], near, near + random.integers(-3, 3, shape))
    else:
        raise NotImplementedError(kind)
    return values.astype(DTYPES[a["dtype"]])


def draw(task: Task, shape: dict[str, int], seed: int, edge: str = "") -> Draw:
    random = np.random.default_rng(seed)
    out = Draw(sizes_of(task, shape))
    names: dict[str, Any] = dict(out.sizes)
    waiting = dict(task.get("derived", {}))
    for a in read(task):
        # A size derived from a sum is known once its array is drawn.
        for symbol in [s for s, e in waiting.items() if "sum(" not in e or e[4:-1] in out.arrays]:
            names[symbol] = evaluate(waiting.pop(symbol), {**names, **out.arrays})
        extents = tuple(evaluate(e, names) for e in a["shape"])
        out.arrays[a["name"]] = fill(a, extents, edge, out.arrays, random)
    out.scalars = {a["name"]: a["value"] for a in task["argument"] if a["role"] == "scalar"}
    return out
