"""Decides whether a kernel may serve a call: by dtype, layout, device and sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .expressions import evaluate, parse
from .plan import GIVEN, OUTPUTS, PLAN, TENSORS, Argument

Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Judged:
    """Sizes for which the kernel was judged, and the shapes that arguments and outputs then have."""

    shapes: Shapes
    outputs: Shapes
    sizes: dict[str, int]


def all_sizes(sizes: Mapping[str, int]) -> dict[str, int]:
    """Returns the sizes with those that are derived from them."""
    out = dict(sizes)
    for name, text in PLAN.derived:
        out[name] = evaluate(text, out)
    return out


def shape_of(a: Argument, sizes: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(evaluate(text, sizes) for text in a.shape)


def judged_at(sizes: Mapping[str, int]) -> Judged:
    every = all_sizes(sizes)
    return Judged(tuple(shape_of(a, every) for a in TENSORS), tuple(shape_of(a, every) for a in OUTPUTS), every)


CASES = tuple(judged_at(c.sizes) for c in PLAN.cases)


def bind(shapes: Shapes) -> Judged | None:
    """Returns the sizes for which the arguments have these shapes; None: there are none."""
    sizes: dict[str, int] = {}
    derived = {name for name, _ in PLAN.derived}
    for a, found in zip(TENSORS, shapes):
        if len(a.shape) != len(found):
            return None
        for text, extent in zip(a.shape, found):
            node = parse(text)
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
            return case
    return None


def device_of(values: Sequence[Any]) -> str:
    """Returns the type of the device on which all tensors are; empty if there are several."""
    kind = ""
    for x in values:
        if isinstance(x, torch.Tensor):
            if kind not in ("", x.device.type):
                return ""
            kind = x.device.type
    return kind
