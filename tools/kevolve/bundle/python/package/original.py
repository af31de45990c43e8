"""The reference as functions over tensors: the user's module, called with given parameters and buffers."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from . import reference
from .guards import CASES
from .plan import FIXED, GIVEN, OUTPUTS, PLAN

ENTRY: Any = getattr(reference, PLAN.module)
_lock = threading.RLock()  # functional_call changes the module while it runs


def initial() -> tuple[list[Any], dict[str, Any]]:
    """Returns the constructor's arguments for which the kernel was judged."""
    if PLAN.is_function:
        return [], {}
    made = getattr(reference, "get_init_inputs", list)()
    if isinstance(made, dict):
        return [], made
    if len(made) == 2 and isinstance(made[0], (list, tuple)) and isinstance(made[1], dict):
        return list(made[0]), dict(made[1])
    return list(made), {}


@functools.cache
def judged_module() -> torch.nn.Module:
    """Returns a module as it was judged. It is made once, and draws no random numbers from the user's generators."""
    with _lock, torch.random.fork_rng():
        positional, named = initial()
        module = ENTRY(*positional, **named)
        assert isinstance(module, torch.nn.Module)
        return module.train(PLAN.training)


def _holds_more() -> bool:
    """Returns true if the module has tensors that are no arguments of the operator, such as masks."""
    given = {path for _, path in STATE}
    names = {n for n, _ in judged_module().named_parameters()} | {n for n, _ in judged_module().named_buffers()}
    plain = (x for part in judged_module().modules() for x in vars(part).values())
    return not names <= given or any(isinstance(x, torch.Tensor) for x in plain)


@functools.cache
def module_on(device: torch.device) -> Any:
    """Returns the judged module with its own tensors on a device. The first call must not be one that is traced."""
    if PLAN.is_function:
        return None
    if device.type in ("cpu", "meta") or not _holds_more():
        return judged_module()
    with _lock:
        module = copy.deepcopy(judged_module()).to(device)
        for part in module.modules():
            for name, x in list(vars(part).items()):
                if isinstance(x, torch.Tensor):
                    setattr(part, name, x.to(device))
        return module


def forward_of(target: Any) -> Callable[..., Any]:
    out = target if PLAN.is_function else target.forward
    assert callable(out)
    return out


def parameter_names() -> tuple[str, ...]:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in inspect.signature(forward_of(ENTRY)).parameters.values() if p.kind in kinds]
    return tuple(names if PLAN.is_function else names[1:])


def defaults() -> dict[str, Any]:
    found = inspect.signature(forward_of(ENTRY)).parameters.values()
    return {p.name: p.default for p in found if p.default is not inspect.Parameter.empty}


def signature_of_method() -> inspect.Signature:
    """Returns the signature of forward(), with self."""
    found = inspect.signature(forward_of(ENTRY))
    this = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)] if PLAN.is_function else []
    return found.replace(parameters=[*this, *found.parameters.values()])


NAMES = parameter_names()
DEFAULTS = defaults()
INPUTS = tuple(a.index for a in GIVEN if a.origin == "input")  # positions in the call
STATE = tuple((i, a.path) for i, a in enumerate(GIVEN) if a.origin in ("parameter", "buffer"))


@functools.cache
def examples() -> tuple[Any, ...] | None:
    """Returns the call's arguments as the user's file gives them; None: it gives none."""
    make = getattr(reference, "get_inputs", None)
    if make is None:
        return None
    with torch.random.fork_rng():
        try:
            with torch.device("meta"):
                return tuple(make())
        except Exception:  # noqa: BLE001 - it names a device, or reads values
            return tuple(make())


@functools.cache
def other_values() -> dict[int, Any]:
    """Returns the judged values of the call's arguments that the kernel does not take, by position."""
    wanted = [i for i in range(len(NAMES)) if i not in INPUTS]
    if not wanted:
        return {}
    given = examples() or ()
    out = {i: given[i] if i < len(given) else FIXED.get(i, DEFAULTS.get(NAMES[i])) for i in wanted}
    return {i: x for i, x in out.items() if not isinstance(x, torch.Tensor)}


class Function(torch.nn.Module):
    """A reference that is a function, as a module."""

    def forward(self, *given: Any) -> Any:
        return ENTRY(*given)


@functools.cache
def named_constants() -> tuple[tuple[str, torch.Tensor], ...]:
    """Returns the tensors that are no parameters, in the order of the export from which the kernel was made.

    A name is that of a module's attribute, or one that the export gave to what forward() makes.
    """
    wanted = [a for a in GIVEN if a.origin == "constant"]
    if not wanted:
        return ()
    make = getattr(reference, "get_inputs", None)
    if make is None:
        raise RuntimeError(f"{PLAN.name}: reference.py has no get_inputs(), by which its constants are found")
    with torch.random.fork_rng():
        program = torch.export.export(Function() if PLAN.is_function else judged_module(), tuple(make()))
    names = list(program.graph_signature.inputs_to_lifted_tensor_constants.values())
    return tuple((names[a.index], program.constants[names[a.index]].detach().contiguous()) for a in wanted)


@contextlib.contextmanager
def _with_attributes(module: torch.nn.Module, values: Sequence[Any]) -> Iterator[None]:
    """Puts given constants in the place of the attributes that hold them; they may be without data, for tracing."""
    given = [x for a, x in zip(GIVEN, values) if a.origin == "constant"]
    before: list[tuple[Any, str, Any]] = []
    for (path, _), x in zip(named_constants(), given):
        part, _, name = path.rpartition(".")
        try:
            owner = module.get_submodule(part)
        except AttributeError:
            continue
        if name in vars(owner):
            before.append((owner, name, vars(owner)[name]))
            setattr(owner, name, x)
    try:
        yield
    finally:
        for owner, name, x in before:
            setattr(owner, name, x)


def _returned(values: Sequence[Any]) -> Any:
    """Returns what the reference returns for the operator's arguments."""
    others = other_values()
    given: dict[int, Any] = dict(others)
    for a, x in zip(GIVEN, values):
        if a.origin == "input":
            given[a.index] = x
    last = max(given, default=-1)
    call = tuple(given.get(i, DEFAULTS.get(NAMES[i]) if i < len(NAMES) else None) for i in range(last + 1))
    if PLAN.is_function:
        return ENTRY(*call)
    state = {path: values[i] for i, path in STATE}
    device = next((x.device for x in values if isinstance(x, torch.Tensor)), torch.device("cpu"))
    module = module_on(device)
    with _lock, _with_attributes(module, values):
        return torch.func.functional_call(module, state, call)


def leaves(x: Any) -> tuple[torch.Tensor, ...]:
    if isinstance(x, torch.Tensor):
        return (x,)
    found = tuple(x.values()) if isinstance(x, dict) else tuple(x)
    if not all(isinstance(t, torch.Tensor) for t in found):
        raise TypeError("the reference returns something else than tensors")
    return found


def call(values: Sequence[Any]) -> tuple[torch.Tensor, ...]:
    """Returns the reference's outputs for the operator's arguments."""
    return leaves(_returned(values))


def _without_data() -> list[Any]:
    """Returns arguments of the first judged case that hold no values."""
    shapes = iter(CASES[0].shapes)
    return [torch.empty(next(shapes), dtype=a.dtype, device="meta") if a.is_tensor else 1.0 for a in GIVEN]


@functools.cache
def structure() -> Callable[[Sequence[torch.Tensor]], Any]:
    """Returns a function that puts outputs into the form in which the reference returns them."""
    with torch.no_grad():
        values = _without_data()
        try:
            shape = _returned(values)
        except Exception:  # noqa: BLE001 - it has tensors of its own on a device
            shape = _returned([torch.zeros_like(x, device="cpu") if isinstance(x, torch.Tensor) else x for x in values])
    if len(leaves(shape)) != len(OUTPUTS):
        raise TypeError(f"the reference returns {len(leaves(shape))} tensors, and the kernel {len(OUTPUTS)}")
    if isinstance(shape, torch.Tensor):
        return lambda xs: xs[0]
    if isinstance(shape, dict):
        keys = tuple(shape)
        return lambda xs: dict(zip(keys, xs))
    kind: Any = type(shape)
    return (lambda xs: kind(*xs)) if hasattr(kind, "_fields") else (lambda xs: kind(xs))
