"""Decides whether a kernel may serve a call: by dtype, layout, device and sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .expressions import evaluate
from .plan import GIVEN, OUTPUTS, PLAN, TENSORS, Argument

Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Judged:
    """Sizes for which the kernel was judged, and the shapes that arguments and outputs then have."""

    shapes: Shapes
    outputs: Shapes
    sizes: dict[str, int]
    index: int = 0  # of the case


def all_sizes(sizes: Mapping[str, int]) -> dict[str, int]:
    """Returns the sizes with those that are derived from them."""
    out = dict(sizes)
    for name, node in PLAN.derived:
        out[name] = evaluate(node, out)
    return out


def shape_of(a: Argument, sizes: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(evaluate(node, sizes) for node in a.shape)


def judged_at(sizes: Mapping[str, int], index: int = 0) -> Judged:
    every = all_sizes(sizes)
    return Judged(tuple(shape_of(a, every) for a in TENSORS), tuple(shape_of(a, every) for a in OUTPUTS), every, index)


CASES = tuple(judged_at(c.sizes, i) for i, c in enumerate(PLAN.cases))
TABLE = [c.kernel for c in PLAN.cases]  # by case: the kernel that runs; None: the reference. Changed by own measurements.


def bind(shapes: Shapes) -> Judged | None:
    """Returns the sizes for which the arguments have these shapes; None: there are none."""
    sizes: dict[str, int] = {}
    derived = {name for name, _ in PLAN.derived}
    for a, found in zip(TENSORS, shapes):
        if len(a.shape) != len(found):
            return None
        for node, extent in zip(a.shape, found):
            if node[0] == "name" and node[1] not in derived and sizes.setdefault(node[1], extent) != extent:
                return None
    try:
        out = judged_at(sizes)
    except (KeyError, ZeroDivisionError):
        return None
    return out if out.shapes == shapes and all(x > 0 for x in sizes.values()) else None


def judged_for(values: Sequence[Any]) -> Judged | None:
    """Returns the sizes if a kernel was judged for arguments like these. None: the reference computes them."""
    found = []
    for a, x in zip(GIVEN, values):
        if a.is_tensor:
            if not isinstance(x, torch.Tensor) or x.dtype != a.dtype or x.layout != torch.strided:
                return None
            if not x.is_contiguous():
                return None
            found.append(tuple(x.shape))
    shapes = tuple(found)
    if PLAN.any_size:
        return bind(shapes)
    for case in CASES:
        if shapes == case.shapes:
            return case if TABLE[case.index] is not None else None
    return None


def refusal(values: Sequence[Any]) -> tuple[str, str]:
    """Returns why judged_for() takes no kernel, for a person: a kind and a sentence. Empty: the reference is as fast."""
    for a, x in zip(GIVEN, values):
        if not a.is_tensor:
            continue
        if not isinstance(x, torch.Tensor) or x.layout != torch.strided:
            return "layout", f"'{a.name}' is no dense tensor"
        if x.dtype != a.dtype:
            return "dtype", f"'{a.name}' is {x.dtype}, and {a.dtype} was judged"
        if not x.is_contiguous():
            return "layout", f"'{a.name}' is not contiguous"
    shapes = tuple(tuple(x.shape) for x in values if isinstance(x, torch.Tensor))
    if any(shapes == case.shapes for case in CASES):
        return "", ""
    return "shapes", f"the shapes {', '.join(map(str, shapes))} were not judged"


# Integer arguments by their place, with what the judge drew: they may be places in other arrays, where no value but a
# judged one is safe.
_WHOLE = tuple(
    (i, a.fill)
    for i, a in enumerate(GIVEN)
    if a.is_tensor and not a.dtype.is_floating_point and a.dtype != torch.bool and a.origin != "constant"
)


def reads_values() -> bool:
    """Returns true if holds_judged_values() reads from tensors, which waits for a GPU."""
    return any(fill["distribution"] in ("integer", "lengths", "offsets") for _, fill in _WHOLE)


def holds_judged_values(values: Sequence[Any]) -> bool:
    """Returns true if integer arguments hold only values of the judged range. Reads them, so it is not for tracing."""
    for i, fill in _WHOLE:
        x = values[i]
        if x.numel() == 0:
            continue
        if fill["distribution"] in ("integer", "lengths"):
            low, high = torch.aminmax(x)
            if low < fill["low"] or high > fill["high"]:
                return False
        elif fill["distribution"] == "offsets":
            of = next((v for a, v in zip(GIVEN, values) if a.name == fill["of"]), None)
            if of is None or x[0] != 0 or not torch.equal(x[1:].to(torch.int64), of.to(torch.int64).cumsum(0)):
                return False
    return True


def device_of(values: Sequence[Any]) -> str:
    """Returns the type of the device on which all tensors are; empty if there are several."""
    kind = ""
    for x in values:
        if isinstance(x, torch.Tensor):
            if kind not in ("", x.device.type):
                return ""
            kind = x.device.type
    return kind
