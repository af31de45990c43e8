"""Describes a module with its inputs as a file that kevolve reads: Model, get_inputs and get_init_inputs."""

from __future__ import annotations

import copy
import importlib.util
import inspect
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .errors import KevolveError
from .source import is_simple, standalone

Init = tuple[Sequence[Any], dict[str, Any]]
_ABSENT = object()


def input_text(x: Any) -> str:
    """Returns an expression that draws an input like `x`: its shape and type, and values of its range."""
    import torch

    if not isinstance(x, torch.Tensor):
        if is_simple(x):
            return repr(x)
        raise KevolveError(f"an input of the type {type(x).__name__} cannot be written down: give tensors and plain values")
    shape, kind = tuple(x.shape), str(x.dtype)
    if x.numel() == 0:
        return f"torch.empty({shape}, dtype={kind})"
    if x.dtype == torch.bool:
        return f"torch.rand({shape}) < 0.5"
    if x.dtype.is_floating_point:
        values = x.detach().double()
        mean, deviation = float(values.mean()), float(values.std(unbiased=False))
        if not (abs(mean) < 1e30 and deviation < 1e30):
            raise KevolveError("an input holds infinities or NaN: give ordinary values")
        if float(values.min()) >= 0.0:  # it may be a probability, a variance or a mask
            return f"torch.rand({shape}).to({kind}) * {float(values.max()):.6g}"
        return f"torch.randn({shape}).to({kind}) * {deviation or 1.0:.6g} + {mean:.6g}"
    if x.is_complex():
        raise KevolveError("complex inputs are not supported")
    return f"torch.randint({int(x.min())}, {int(x.max()) + 1}, {shape}, dtype={kind})"


def constructor_text(module: Any, init: Init | None) -> str:
    """Returns the arguments with which a module like this one is made, as they stand between parentheses."""
    if init is not None:
        given, named = init
        return ", ".join([*(_value_text(x) for x in given), *(f"{n}={_value_text(x)}" for n, x in named.items())])
    import torch

    if isinstance(module, (torch.nn.Sequential, torch.nn.ModuleList)) and type(module).__init__ in (
        torch.nn.Sequential.__init__,
        torch.nn.ModuleList.__init__,
    ):
        parts = [made_text(m) for m in module.children()]
        return ", ".join(parts) if isinstance(module, torch.nn.Sequential) else f"[{', '.join(parts)}]"
    out = []
    for p in list(inspect.signature(type(module).__init__).parameters.values())[1:]:
        if p.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        value = getattr(module, p.name, _ABSENT)
        if p.name == "bias" and (value is None or isinstance(value, torch.Tensor)):
            value = value is not None
        if isinstance(value, torch.nn.Module):
            out.append(f"{p.name}={made_text(value)}")
        elif value is not _ABSENT and is_simple(value):
            out.append(f"{p.name}={value!r}")
        elif p.default is inspect.Parameter.empty:
            raise KevolveError(
                f"{type(module).__name__}() was called with '{p.name}', which the module does not keep: "
                f"say it, as init=([…], {{…}}): the constructor's arguments"
            )
    return ", ".join(out)


def made_text(module: Any) -> str:
    return f"{type(module).__name__}({constructor_text(module, None)})"


def _value_text(x: Any) -> str:
    import torch

    if isinstance(x, torch.nn.Module):
        return made_text(x)
    if is_simple(x):
        return repr(x)
    raise KevolveError(f"init= holds a {type(x).__name__}, which cannot be written down")


def classes_of(module: Any) -> list[Any]:
    return list(dict.fromkeys(type(m) for m in module.modules()))


def describe(target: Any, inputs: Sequence[Any], init: Init | None = None) -> str:
    """Returns the file's text. `target` is a module or a plain function."""
    import torch

    tail = f"def get_inputs():\n    return [{', '.join(input_text(x) for x in inputs)}]\n\n\ndef get_init_inputs():\n    return []\n"
    if isinstance(target, torch.nn.Module):
        name = type(target).__name__
        arguments = constructor_text(target, init)
        mode = "" if target.training else "        self.eval()\n"
        base = f"_{name}" if name == "Model" else name
        rename = "_Model = Model\n\n\n" if name == "Model" else ""
        model = f"{rename}class KevolveModel({base}):\n    def __init__(self):\n        super().__init__({arguments})\n{mode}"
        return standalone(classes_of(target), f"{model}\n\n{tail}")
    if not isinstance(target, types.FunctionType):
        raise KevolveError(f"{target!r} is neither a torch.nn.Module nor a plain function")
    names = [p.name for p in inspect.signature(target).parameters.values()][: len(inputs)]
    given = ", ".join(names)
    model = f"class KevolveModel(torch.nn.Module):\n    def forward(self, {given}):\n        return {target.__name__}({given})\n"
    return standalone([target], f"{model}\n\n{tail}")


def load(file: Path, name: str) -> Any:
    """Returns the file as a Python module."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    return module


def check(target: Any, inputs: Sequence[Any], file: Path) -> None:
    """Raises KevolveError unless the file's module computes what the target computes."""
    import torch

    try:
        made = load(file, "kevolve_described").KevolveModel()
    except Exception as error:
        raise KevolveError(f"the module cannot be made again from its source: {error}; {_HINT}") from error
    if isinstance(target, torch.nn.Module):
        try:
            made.load_state_dict(target.state_dict())
        except RuntimeError as error:
            raise KevolveError(f"a module made from the source has other parameters: {error}; {_HINT}") from error
        made.train(target.training)
    with torch.no_grad(), torch.random.fork_rng():
        wanted: Any = None
        outputs: list[list[Any]] = []
        for function in (target, made):
            torch.manual_seed(0)
            outputs.append(flat(function(*inputs)))
        wanted, found = outputs
    for x, y in zip(wanted, found):
        if len(wanted) != len(found) or x.shape != y.shape or not torch.allclose(x, y, equal_nan=True):
            raise KevolveError(f"a module made from the source gives another result; {_HINT}")


def check_mode(target: Any, inputs: Sequence[Any]) -> None:
    """Raises KevolveError for a module in training mode that computes something else than in evaluation."""
    import torch

    if not isinstance(target, torch.nn.Module) or not target.training:
        return
    with torch.no_grad(), torch.random.fork_rng():
        outputs = []
        for mode in (True, False):
            torch.manual_seed(0)
            outputs.append(flat(copy.deepcopy(target).train(mode)(*inputs)))
    if any(x.shape != y.shape or not torch.allclose(x, y, equal_nan=True) for x, y in zip(*outputs)):
        raise KevolveError("the module is in training mode and computes something else there: call its eval() first")


_HINT = "give the constructor's arguments: init=([…], {…})"


def flat(x: Any) -> list[Any]:
    import torch

    if isinstance(x, torch.Tensor):
        return [x]
    if isinstance(x, dict):
        return [t for v in x.values() for t in flat(v)]
    return [t for v in x for t in flat(v)] if isinstance(x, (tuple, list)) else []
