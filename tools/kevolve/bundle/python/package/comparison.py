"""Compares outputs with the exact result, by the task's tolerances."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch

from . import original
from .plan import OUTPUTS


def _double(x: Any) -> Any:
    return x.double() if isinstance(x, torch.Tensor) and x.dtype.is_floating_point else x


def exact(model: torch.nn.Module, call: Sequence[Any]) -> tuple[tuple[torch.Tensor, ...], bool]:
    """Returns the reference's outputs in float64, and true; where it cannot be had, its own outputs and false."""
    with torch.no_grad():
        try:
            return original.leaves(copy.deepcopy(model).double()(*map(_double, call))), True
        except RuntimeError:  # a reference that mixes in tensors of its own
            return original.leaves(model(*call)), False


def ulp_of(x: torch.Tensor, like: torch.dtype) -> torch.Tensor:
    step = torch.finfo(like).eps if like.is_floating_point else 0.0
    least = torch.finfo(like).tiny if like.is_floating_point else 0.0
    return x.abs().clamp_min(least) * step


def errors(model: torch.nn.Module, call: Sequence[Any], found: Sequence[torch.Tensor]) -> list[str]:
    """Returns a line for each output that is outside of its tolerance; `model` is the reference."""
    wanted, is_exact = exact(model, call)
    with torch.no_grad():
        own = original.leaves(model(*call))
    out = []
    for a, y, z, reference in zip(OUTPUTS, found, wanted, own):
        if y.shape != reference.shape or y.dtype != reference.dtype:
            out.append(f"{a.name}: {y.dtype}{list(y.shape)} instead of {reference.dtype}{list(reference.shape)}")
            continue
        rule = a.tolerance
        y, z, reference = y.detach().double(), z.double(), reference.double()
        room = torch.zeros_like(z)
        if rule["mode"] == "absrel":
            room = rule["absolute"] + rule["relative"] * z.abs()
        elif rule["mode"] == "ulp":
            room = rule["limit"] * ulp_of(z, a.dtype)
        elif rule["mode"] == "reference_error":
            room = rule["limit"] * (reference - z).abs().max() + ulp_of(z, a.dtype)
        if not is_exact:
            room = room * 2 + 4 * ulp_of(z, a.dtype)
        room = torch.maximum(room, (reference - z).abs())  # the reference's own error is allowed in any case
        wrong = ~(((y - z).abs() <= room) | (y == z) | (y.isnan() & z.isnan()))
        if bool(wrong.any()):
            at = int(wrong.flatten().nonzero()[0])
            out.append(
                f"{a.name}: {int(wrong.sum())} of {wrong.numel()} elements are outside the tolerance, the first at "
                f"{at}: {float(y.flatten()[at]):.9g} instead of {float(z.flatten()[at]):.9g}"
            )
    return out
