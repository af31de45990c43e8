"""ModelNew: the user's module with another forward(), which calls the operator where the kernel was judged."""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd import forward_ad

from . import original
from .cuda_object import CUDA, warn_once
from .guards import device_of, judged_for, refusal
from .operator import has_kernel, operator, run
from .plan import GIVEN, PLAN
from .state import ModuleState

Base: Any = torch.nn.Module if PLAN.is_function else original.ENTRY
@dataclass
class Judged:
    """The facts that the kernel was judged with. `usable` is false where there is no kernel for this machine."""

    usable: bool = False
    state: ModuleState | None = None
    others: tuple[tuple[int, Any], ...] = ()  # arguments that are no tensors
    constants: tuple[tuple[str, torch.Tensor], ...] = ()
    form: Any = None  # puts the outputs into the reference's form


@functools.cache
def prepare() -> None:
    """Fills JUDGED, before the first call."""
    if CUDA is None and not has_kernel("cpu"):
        return
    if CUDA is not None and not CUDA.usable():
        return
    try:
        if CUDA is not None:
            original.module_on(torch.device("cuda", torch.cuda.current_device()))  # not while tracing
        JUDGED.constants = original.named_constants()
        if not PLAN.is_function:
            JUDGED.state = ModuleState(original.judged_module(), ModelNew, [n for n, _ in JUDGED.constants])
            if JUDGED.state.unknown:
                raise TypeError(f"a change of the module's attribute '{JUDGED.state.unknown[0]}' would not be noticed")
        if any(isinstance(x, (list, tuple, dict)) for x in original.examples() or ()):
            raise TypeError("an input is a list, a tuple or a dict")
        JUDGED.others = tuple(original.other_values().items())
        JUDGED.form = original.structure()
        JUDGED.usable = True
    except Exception as error:  # noqa: BLE001 - the module may raise anything
        warnings.warn(f"{PLAN.name}: the reference runs instead of the kernel: {error}", RuntimeWarning, stacklevel=4)


JUDGED = Judged()


_functorch = getattr(torch._C, "_are_functorch_transforms_active", lambda: False)


def has_own_rules() -> bool:
    """Returns true under autocast, forward-mode gradients and torch.func's transforms, which the operator has no rules for."""
    autocast = torch.is_autocast_enabled("cpu") or (CUDA is not None and torch.is_autocast_enabled("cuda"))
    return autocast or getattr(forward_ad, "_current_level", -1) >= 0 or _functorch()


def call_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
    """Returns all arguments of forward() by position; None: some is missing or unknown."""
    names = original.NAMES
    if len(args) > len(names):
        return None
    if not kwargs and len(args) == len(names):
        return args
    out = list(args)
    used = 0
    for name in names[len(args) :]:
        if name in kwargs:
            used += 1
            out.append(kwargs[name])
        elif name in original.DEFAULTS:
            out.append(original.DEFAULTS[name])
        else:
            return None
    return tuple(out) if used == len(kwargs) else None


def at_path(module: torch.nn.Module, path: str, otherwise: Any) -> Any:
    part: Any = module
    for name in path.split("."):
        part = getattr(part, name, None)
    return otherwise if part is None else part


def operator_arguments(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
    """Returns the operator's arguments if the kernel may serve this call."""
    given = call_arguments(args, kwargs)
    if given is None:
        return None
    for i, value in JUDGED.others:
        if type(given[i]) is not type(value) or given[i] != value:
            return None
    out: list[Any] = []
    constants = iter(JUDGED.constants)
    for a in GIVEN:
        if a.origin == "input":
            if a.index >= len(given) or given[a.index] is None:
                return None
            out.append(given[a.index])
        elif a.origin == "constant":
            path, value = next(constants)
            out.append(at_path(module, path, value))
        else:
            out.append(at_path(module, a.path, None))
    if judged_for(out) is None or not has_kernel(device_of(out)):
        tell(out)
        return None
    return out


def tell(values: list[Any]) -> None:
    """Warns once of each kind of calls that the reference computes, where the kernels are for GPUs."""
    if CUDA is None or torch.compiler.is_compiling():
        return
    device = device_of(values)
    kind, why = ("device", f"the tensors are on '{device}'") if not has_kernel(device) else refusal(values)
    if why:
        warn_once(kind, f"{why}; the reference runs")


_modes = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 1)
_function_modes = getattr(torch._C, "_len_torch_function_stack", lambda: 1)


def unobserved(values: list[Any]) -> bool:
    """Returns true if a GPU's result alone is asked for: then the operator's dispatch, longer than many kernels, is left out."""
    if CUDA is None or torch.compiler.is_compiling() or torch.jit.is_tracing() or _modes() or _function_modes():
        return False
    tensors = [x for x in values if isinstance(x, torch.Tensor)]
    if torch.is_grad_enabled() and any(x.requires_grad for x in tensors):
        return False
    return all(type(x) in (torch.Tensor, torch.nn.Parameter) and x.is_cuda for x in tensors)


class ModelNew(Base):  # type: ignore[misc]
    """Takes the constructor's arguments of the reference, and has its parameters, buffers and state_dict."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        prepare()

    def __setstate__(self, state: dict[str, Any]) -> None:
        prepare()
        super().__setstate__(state)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if JUDGED.usable and not has_own_rules() and (JUDGED.state is None or JUDGED.state.holds(self)):
            values = operator_arguments(self, args, kwargs)
            if values is not None:
                outputs = (run if unobserved(values) else operator)(*values)
                return JUDGED.form((outputs,) if isinstance(outputs, torch.Tensor) else outputs)
        return original.ENTRY(*args, **kwargs) if PLAN.is_function else super().forward(*args, **kwargs)

    forward.__doc__ = original.forward_of(original.ENTRY).__doc__
    forward.__signature__ = original.signature_of_method()  # type: ignore[attr-defined]
