"""Calls of operators from PyTorch's own test samples (OpInfo), for tests and for tasks."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_flatten_with_path, tree_unflatten

LIST = Path(__file__).parent / "aten_operators.txt"
DTYPES = {"f32": torch.float32, "i64": torch.int64, "bool": torch.bool}


@dataclass(frozen=True)
class Entry:
    """One line of the list: ATen's name, OpInfo's name, and the dtypes that are lowered."""

    name: str
    opinfo: str
    dtypes: tuple[str, ...]


def entries() -> list[Entry]:
    out = []
    lines = _text().splitlines()
    for line in lines:
        words = line.split("#")[0].split()
        if words:
            out.append(Entry(words[0], words[1], tuple(words[2].split(","))))
    return out


def _text() -> str:
    import importlib.resources

    return (importlib.resources.files(__package__) / LIST.name).read_text(encoding="utf-8")


@functools.cache
def opinfos() -> dict[str, Any]:
    """Returns OpInfos by full name. Needs the package expecttest, which PyTorch's test helpers import."""
    from torch.testing._internal.common_methods_invocations import op_db

    return {full_name(op): op for op in op_db}


def full_name(op: Any) -> str:
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


class Call(torch.nn.Module):
    """Calls an operator with the tensors of a sample as inputs; everything else is fixed."""

    def __init__(self, function: Any, leaves: list[Any], spec: Any, places: list[int]) -> None:
        super().__init__()
        self.function, self.leaves, self.spec, self.places = function, leaves, spec, places

    def forward(self, *x: torch.Tensor) -> Any:
        leaves = list(self.leaves)
        for place, t in zip(self.places, x, strict=True):
            leaves[place] = t
        arguments, named = tree_unflatten(leaves, self.spec)
        return self.function(*arguments, **named)


@dataclass
class Sample:
    call: Call
    tensors: list[torch.Tensor]
    lists: list[int]  # leaves that are whole numbers in lists, such as shapes

    def results(self) -> list[torch.Tensor]:
        return self.results_of(self.tensors)

    def results_of(self, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        made = self.call(*[t.clone() for t in tensors])
        return [t for t in tree_flatten(made)[0] if isinstance(t, torch.Tensor)]


def samples(op: Any, dtype: torch.dtype, limit: int) -> Iterator[Sample]:
    """Yields the first samples that have tensors, all of them with elements."""
    found = 0
    for s in op.sample_inputs("cpu", dtype):
        leaves, spec = tree_flatten(((s.input, *s.args), s.kwargs))
        paths = [path for path, _ in tree_flatten_with_path(((s.input, *s.args), s.kwargs))[0]]
        lists = [n for n, (x, path) in enumerate(zip(leaves, paths, strict=True)) if type(x) is int and len(path) > 2]
        places = [n for n, x in enumerate(leaves) if isinstance(x, torch.Tensor)]
        tensors = [leaves[n].detach().clone() for n in places]
        if not tensors or any(t.numel() == 0 for t in tensors):
            continue
        yield Sample(Call(op.op, leaves, spec, places), tensors, lists)
        found += 1
        if found == limit:
            return


def inputs_of(lowered: Any, exported: Any, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """Returns the tensors that the parameters of a lowered function stand for, outputs aside."""
    out = []
    state = dict(exported.state_dict) | dict(exported.constants)
    constants = list(exported.constants.values())
    for a in lowered.arguments:
        kind, _, name = a.origin.partition(" ")
        if kind == "input":
            out.append(tensors[int(name)])
        elif kind in ("parameter", "buffer"):
            out.append(state[name])
        elif kind == "constant":
            out.append(constants[int(name)])
    return out


def identifier(name: str) -> str:
    return re.sub(r"\W", "_", name).strip("_")
