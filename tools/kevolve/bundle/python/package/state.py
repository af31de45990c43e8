"""Facts beside its tensors that a module's result depends on. They are checked before each call of a kernel."""

from __future__ import annotations

import enum
import copyreg
import functools
import sys
import types
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

_VALUES = (bool, int, float, complex, str, bytes, type(None), range, slice, torch.dtype, torch.device, torch.layout, torch.memory_format)
_SAME = (type, types.ModuleType, types.BuiltinFunctionType, enum.Enum)
_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
_ABSENT = object()
_MOST = 4096  # facts of a module


Steps = tuple[tuple[bool, Any], ...]


@dataclass(frozen=True)
class Fact:
    """A part of a module, and what it was. Each step is an attribute's name, or an item's key behind True."""

    steps: Steps
    kind: str
    value: Any


def _is_value(x: Any) -> bool:
    return isinstance(x, _VALUES) or (isinstance(x, (tuple, frozenset)) and all(_is_value(i) for i in x))


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


def _own_classes(kind: type) -> list[type]:
    """Returns the class and its bases without PyTorch's and object."""
    return [c for c in kind.__mro__ if c is not object and c.__module__.partition(".")[0] != "torch"]


@functools.cache
def _names_read(kind: type) -> frozenset[str]:
    """Returns the names, and texts that may be names, in the code of a class and its bases."""
    out: set[str] = set()
    for base in kind.__mro__:
        for name, member in vars(base).items() if issubclass(base, torch.nn.Module) and base is not torch.nn.Module else ():
            code = getattr(getattr(member, "__func__", member), "__code__", None)
            for c in _codes(code) if code is not None else ():
                if name != "__init__" or c is not code:  # what it sets is not read yet, but by functions that it makes
                    out.update(c.co_names, (x for x in c.co_consts if isinstance(x, str)))
    return frozenset(out)


def asks_for_mode(kind: type) -> bool:
    """Returns true if the class computes something else in training than in evaluation: it reads `training`."""
    return "training" in _names_read(kind)


def _at(module: Any, steps: Iterable[tuple[bool, Any]]) -> Any:
    for is_item, name in steps:
        module = module[name] if is_item else getattr(module, name, _ABSENT)
    return module


def _none_of(parameters: dict[str, Any]) -> list[tuple[str, bool]]:
    return [(n, p is None) for n, p in parameters.items()]


class ModuleState:
    """The facts of a module as it was judged, for instances of a class `root` that has its methods. Tensors whose paths are
    passed to the kernel are no facts. `unknown` names attributes that the module's code reads and that no fact describes.
    """

    def __init__(self, judged: torch.nn.Module, root: type | None = None, passed: Iterable[str] = ()) -> None:
        self.training = judged.training
        self.root = root or type(judged)
        self.facts: list[Fact] = []
        self.tensors: list[tuple[Steps, torch.Tensor]] = []
        self.unknown: list[str] = []
        self.classes: dict[type, dict[str, Any]] = {}
        self.names: dict[Steps, set[str]] = {}  # of each module's attributes
        self._passed = frozenset(passed)
        self._above: list[tuple[Steps, Any]] = []
        self._seen: weakref.WeakKeyDictionary[torch.nn.Module, _Watch] = weakref.WeakKeyDictionary()
        self._describe((), judged)
        self._remember(self.root)

    def asks_for_mode(self) -> bool:
        """Returns true if a part of the module computes something else in training than in evaluation."""
        return any(f.value[1] for f in self.facts if f.kind == "module")

    def holds(self, module: torch.nn.Module) -> bool:
        """Returns true if each fact holds. A compiler traces all facts; else only what changed since the last call counts."""
        if torch.compiler.is_compiling():
            return self._all_hold(module)
        seen = self._seen.get(module)
        if seen is None or not seen.is_as_it_was():
            holds = self._all_hold(module) and self._has_same_names(module) and self._has_same_tensors(module)
            seen = self._seen[module] = _Watch(self, module, holds)
        return seen.holds and not _has_global_hooks() and all(_equal(vars(c), was) for c, was in self.classes.items())

    def _all_hold(self, module: torch.nn.Module) -> bool:
        for fact in self.facts:
            if not self._holds(module, fact):
                return False
        return True

    def _has_same_names(self, module: torch.nn.Module) -> bool:
        return all(set(_attributes(_at(module, steps))) == names for steps, names in self.names.items())

    def _has_same_tensors(self, module: torch.nn.Module) -> bool:
        found = ((_at(module, steps), was) for steps, was in self.tensors)
        return all(isinstance(x, torch.Tensor) and x.dtype == was.dtype and torch.equal(x.to(was.device), was) for x, was in found)

    def _holds(self, module: torch.nn.Module, fact: Fact) -> bool:
        x, kind, value = _at(module, fact.steps), fact.kind, fact.value
        if kind == "same":
            return x is value
        if kind == "value":
            return type(x) is type(value) and x == value
        if kind == "type":
            return type(x) is value
        if kind == "length":
            return type(x) is value[0] and len(x) == value[1]
        if kind == "keys":
            return type(x) is value[0] and list(x.keys()) == value[1]
        if kind == "code":
            return getattr(x, "__code__", None) is value
        if kind == "method":
            return isinstance(x, types.MethodType) and x.__func__ is value
        if kind == "above":
            return x is _at(module, value)
        expected, by_mode, parameters, buffers, parts = value
        if type(x) is not (expected if fact.steps else self.root) or (by_mode and x.training != self.training):
            return False
        hooks = fact.steps and (x._forward_hooks or x._forward_pre_hooks or x._backward_hooks or x._backward_pre_hooks)
        return (
            not hooks
            and _none_of(x._parameters) == parameters
            and list(x._buffers.keys()) == buffers
            and list(x._modules.keys()) == parts
        )

    def _add(self, steps: Steps, kind: str, value: Any) -> None:
        self.facts.append(Fact(steps, kind, value))

    def _describe(self, steps: Steps, x: Any) -> bool:
        """Adds the facts of a value. Returns false if they do not tell of every change."""
        if len(self.facts) > _MOST:
            return False
        if _is_value(x):
            self._add(steps, "value", x)
        elif isinstance(x, _SAME):
            self._add(steps, "same", x)
        elif isinstance(x, torch.Tensor):
            if ".".join(str(n) for _, n in steps) not in self._passed:
                self.tensors.append((steps, x.detach().clone()))
        elif isinstance(x, types.FunctionType) and getattr(sys.modules.get(x.__module__), x.__name__, None) is x:
            self._add(steps, "same", x)
        elif isinstance(x, types.FunctionType):
            self._add(steps, "code", x.__code__)
            return not (x.__closure__ or x.__defaults__ or x.__kwdefaults__)
        else:
            same = next((where for where, y in self._above if y is x), None)
            if same is not None:
                self._add(steps, "above", same)
                return True
            self._above.append((steps, x))
            told = self._describe_parts(steps, x)
            self._above.pop()
            return told
        return True

    def _describe_parts(self, steps: Steps, x: Any) -> bool:
        if isinstance(x, torch.nn.Module):
            self._describe_module(steps, x)
            return True
        if isinstance(x, (list, tuple)):
            self._add(steps, "length", (type(x), len(x)))
            return all([self._describe((*steps, (True, i)), y) for i, y in enumerate(x)])
        if isinstance(x, dict):
            self._add(steps, "keys", (type(x), list(x)))
            return all(_is_value(k) for k in x) and all([self._describe((*steps, (True, k)), y) for k, y in x.items()])
        if type(x) is functools.partial:
            self._add(steps, "type", functools.partial)
            return all([self._describe((*steps, (False, n)), getattr(x, n)) for n in ("func", "args", "keywords")])
        if type(x).__basicsize__ == _Plain.__basicsize__ and hasattr(x, "__dict__"):
            self._add(steps, "type", type(x))
            self._describe_class(steps, x)
            return all([self._describe((*steps, (False, n)), y) for n, y in vars(x).items()])
        return False

    def _describe_module(self, steps: Steps, x: torch.nn.Module) -> None:
        kind = type(x)
        names = (_none_of(x._parameters), list(x._buffers), list(x._modules))
        self._add(steps, "module", (kind, asks_for_mode(kind), *names))
        self._describe_class(steps, x)
        for name, y in _attributes(x).items():
            at = (*steps, (False, name))
            if not self._describe(at, y) and name in _names_read(kind):
                self.unknown.append(".".join(str(n) for _, n in at))
        for name, part in x._modules.items():
            self._describe((*steps, (False, name)), part)

    def _remember(self, kind: type) -> None:
        copyreg._slotnames(kind)  # type: ignore[attr-defined]  # fills in what copying an instance would add to the class
        self.classes[kind] = dict(vars(kind))

    def _describe_class(self, steps: Steps, x: Any) -> None:
        kind = type(x)
        self.names[steps] = set(_attributes(x))
        for c in (*_own_classes(kind), kind):
            self._remember(c)
        members = {n: m for c in reversed(_own_classes(kind)) for n, m in vars(c).items() if not n.startswith("__")}
        if isinstance(x, torch.nn.Module):
            members["forward"] = kind.forward
        for name, member in members.items():
            if isinstance(member, types.FunctionType) and (steps or name != "forward"):
                self._add((*steps, (False, name)), "method", member)
            elif name not in vars(x) and _is_value(member):
                self._add((*steps, (False, name)), "value", member)


def _attributes(x: Any) -> dict[str, Any]:
    """Returns the attributes that the user's code has set, without those that PyTorch gives to each module."""
    if not isinstance(x, torch.nn.Module):
        return vars(x)
    return {n: y for n, y in vars(x).items() if n not in _PYTORCHS}


# torch.compile and Module.compile() set the first two on what they compile, kevolve.optimize() the last on what it returns.
_PYTORCHS = frozenset(vars(torch.nn.Module())) | {"_compiled_call_impl", "_is_torch_compile", "kevolve_status"}


class _Plain:
    """Its instances are as large as those of each class that keeps all that it has in a dict."""


def _has_global_hooks() -> bool:
    of = torch.nn.modules.module
    return bool(of._global_forward_hooks or of._global_forward_pre_hooks)


def _equal(x: Any, was: Any) -> bool:
    """Returns true if containers hold the same. Arrays that were replaced may refuse to be compared: they differ then."""
    try:
        return bool(x == was)
    except Exception:  # noqa: BLE001 - an element's own comparison may raise anything
        return False


class _Watch:
    """The containers that a module's facts are in, as they were when the facts were checked."""

    def __init__(self, state: ModuleState, module: torch.nn.Module, holds: bool) -> None:
        self.holds = holds
        self.pairs: list[tuple[Any, Any]] = []
        self.hooks: list[Any] = []
        self.objects: list[Any] = []
        for fact in state.facts:
            try:
                x = _at(module, fact.steps)
            except Exception:  # noqa: BLE001 - what held it is another kind of object now
                continue
            if fact.kind == "module" and isinstance(x, torch.nn.Module):
                self.pairs += [(d, dict(d)) for d in (x._parameters, x._buffers, x._modules) if d or d is x._modules]
                self.hooks += [getattr(x, n) for n in _HOOKS] if fact.steps else []
            if isinstance(x, (list, dict)):
                self.pairs.append((x, type(x)(x) if type(x) in (list, dict) else x.copy()))
            elif fact.kind in ("type", "module") and hasattr(x, "__dict__"):
                self.pairs.append((vars(x), dict(vars(x))))
                self.objects.append(x)
        self.had_hooks = [len(h) for h in self.hooks]
        self.classes = [type(x) for x in self.objects]
        found = [_at(module, steps) for steps, _ in state.tensors] if holds else []
        self.versions = [(x, None if x.is_inference() else x._version) for x in found]

    def is_as_it_was(self) -> bool:
        return (
            [*map(type, self.objects)] == self.classes
            and [*map(len, self.hooks)] == self.had_hooks
            and all(_equal(x, was) for x, was in self.pairs)
            and all(version is not None and x._version == version for x, version in self.versions)
        )
