"""The operator: the kernel where it was judged, else the reference; with shapes for tracing, and gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from . import original
from .cpu_object import CPU
from .cuda_object import CUDA
from .guards import device_of, holds_judged_values, judged_for
from .plan import GIVEN, OUTPUTS, PLAN

_SCHEMA_TYPES = {"scalar": "float"}
SCHEMA = "({}) -> {}".format(
    ", ".join(f"{_SCHEMA_TYPES.get(a.role, 'Tensor')} {a.name}" for a in GIVEN),
    "Tensor" if len(OUTPUTS) == 1 else f"({', '.join(['Tensor'] * len(OUTPUTS))})",
)
KERNELS: dict[str, Any] = {"cpu": CPU, "cuda": CUDA}  # by the type of the device


def has_kernel(device: str) -> bool:
    return KERNELS.get(device) is not None


def _fresh(outputs: Sequence[torch.Tensor], values: Sequence[Any]) -> list[torch.Tensor]:
    """Returns outputs that are contiguous and share no memory with an argument or with one another."""
    taken = {x.untyped_storage().data_ptr() for x in values if isinstance(x, torch.Tensor)}
    out: list[torch.Tensor] = []
    for x in outputs:
        fresh = x.detach().contiguous()
        place = fresh.untyped_storage().data_ptr()
        out.append(fresh.clone() if place in taken else fresh)
        taken.add(place)
    return out


def _returned(outputs: Sequence[torch.Tensor]) -> Any:
    return outputs[0] if len(OUTPUTS) == 1 else tuple(outputs)


def run(*values: Any) -> Any:
    kernel = KERNELS.get(device_of(values))
    case = judged_for(values) if kernel is not None else None
    if kernel is not None and case is not None and kernel.serves(values) and holds_judged_values(values):
        return _returned(kernel(values, case))
    return _returned(_fresh(original.call(values), values))


operator = torch.library.custom_op(f"{PLAN.name}::{PLAN.name}", run, mutates_args=(), schema=SCHEMA)


@operator.register_fake
def _(*values: Any) -> Any:
    case = judged_for(values) if has_kernel(device_of(values)) else None
    like = next((x for x in values if isinstance(x, torch.Tensor)), None)
    if case is not None and like is not None and all(isinstance(n, int) for x in values if isinstance(x, torch.Tensor) for n in x.shape):
        return _returned([like.new_empty(shape, dtype=a.dtype) for shape, a in zip(case.outputs, OUTPUTS)])
    outputs = original.call(values)
    return _returned([x.new_empty(x.shape) for x in outputs])


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.numbers = [None if isinstance(x, torch.Tensor) else x for x in inputs]
    ctx.save_for_backward(*(x for x in inputs if isinstance(x, torch.Tensor)))


def _gradients(ctx: Any, *gradients: Any) -> Any:
    """Computes the reference again, with gradients. Under create_graph these can be differentiated, too."""
    saved = iter(ctx.saved_tensors)
    values = [next(saved) if x is None else x for x in ctx.numbers]
    higher = torch.is_grad_enabled()
    with torch.enable_grad():
        for i, x in enumerate(values):
            if isinstance(x, torch.Tensor) and ctx.needs_input_grad[i]:
                values[i] = x.view_as(x) if higher else x.detach().requires_grad_()
        wanted = [i for i, x in enumerate(values) if isinstance(x, torch.Tensor) and ctx.needs_input_grad[i]]
        outputs = [(y, g) for y, g in zip(original.call(values), gradients) if g is not None and y.requires_grad]
        found = iter(())
        if outputs:
            ys, gs = zip(*outputs)
            found = iter(torch.autograd.grad(ys, [values[i] for i in wanted], gs, create_graph=higher, allow_unused=True))
    return tuple(next(found, None) if i in wanted else None for i in range(len(values)))


operator.register_autograd(_gradients, setup_context=_keep)
