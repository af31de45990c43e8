"""Draws arguments of the operator, as the task's file says how they are distributed."""

from __future__ import annotations

from typing import Any

import torch

from . import original
from .guards import all_sizes, shape_of
from .plan import GIVEN, PLAN, Argument, Case

DEVICE = "cuda" if PLAN.device_kernels and torch.cuda.is_available() else "cpu"


def _whole(a: Argument, shape: tuple[int, ...], low: int, high: int, source: torch.Generator) -> torch.Tensor:
    return torch.randint(low, max(high, low) + 1, shape, generator=source, device=DEVICE).to(a.dtype)


def _drawn(a: Argument, shape: tuple[int, ...], earlier: dict[str, torch.Tensor], source: torch.Generator) -> torch.Tensor:
    fill = a.fill
    kind = fill["distribution"]
    count = 1
    for extent in shape:
        count *= extent
    if kind == "offsets":
        sums = torch.cumsum(earlier[fill["of"]].to(torch.int64), 0)
        return torch.cat([torch.zeros(1, dtype=torch.int64, device=DEVICE), sums]).to(a.dtype)
    if kind == "sample_of":
        table = earlier[fill["of"]].flatten()
        picked = table[torch.randint(0, max(table.numel(), 1), (count,), generator=source, device=DEVICE)]
        missed = torch.rand(count, generator=source, device=DEVICE) >= fill["hit"]
        return torch.where(missed, picked + 1, picked).reshape(shape).to(a.dtype)
    if kind == "sorted_unique":
        return (torch.arange(count, device=DEVICE) + int(fill["low"])).reshape(shape).to(a.dtype)
    if kind in ("integer", "lengths") or not a.dtype.is_floating_point:
        low, high = (0, 1) if a.dtype == torch.bool else (int(fill["low"]), int(fill["high"]))
        return _whole(a, shape, low, high, source)
    if kind == "uniform":
        return (torch.rand(shape, generator=source, device=DEVICE) * (fill["high"] - fill["low"]) + fill["low"]).to(a.dtype)
    return (torch.randn(shape, generator=source, device=DEVICE) * fill["std"] + fill["mean"]).to(a.dtype)


def drawn(case: Case, seed: int) -> list[Any]:
    """Returns values of GIVEN, on the kernel's device where there is one."""
    source = torch.Generator(DEVICE).manual_seed(seed)
    sizes = all_sizes(case.sizes)
    earlier: dict[str, torch.Tensor] = {}
    constants = iter([x for _, x in original.named_constants()])
    out: list[Any] = []
    for a in GIVEN:
        if not a.is_tensor:
            out.append(float(torch.rand((), generator=source, device=DEVICE)))
        elif a.origin == "constant":
            out.append(next(constants).to(DEVICE))
        else:
            out.append(_drawn(a, shape_of(a, sizes), earlier, source))
            earlier[a.name] = out[-1]
    return out


def model_and_call(kind: Any, case: Case, seed: int) -> tuple[torch.nn.Module, tuple[Any, ...]]:
    """Returns a module of that class with drawn parameters and buffers, and the arguments of a call of it."""
    values = drawn(case, seed)
    positional, named = original.initial()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = kind(*positional, **named).train(PLAN.training).to(DEVICE)
    with torch.no_grad():
        for i, path in original.STATE:
            part: Any = model
            for name in path.split("."):
                part = getattr(part, name)
            part.copy_(values[i])
    given = dict(original.other_values())
    given.update({a.index: x for a, x in zip(GIVEN, values) if a.origin == "input"})
    names = original.NAMES
    return model, tuple(given.get(i, original.DEFAULTS.get(names[i])) for i in range(max(given, default=-1) + 1))


def reference_class() -> Any:
    return original.Function if PLAN.is_function else original.ENTRY
