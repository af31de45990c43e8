"""The package's description: arguments, judged shapes and compiled kernels, as plan.json holds them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from .expressions import parse
from .launch_plan import resolver

FOLDER = Path(__file__).resolve().parent
DTYPES = {
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
    "i8": torch.int8,
    "u8": torch.uint8,
    "i32": torch.int32,
    "i64": torch.int64,
    "bool": torch.bool,
}


@dataclass(frozen=True)
class Argument:
    """An argument of the C function. `origin` and `index` or `path` say where its value comes from."""

    name: str
    role: str
    dtype: torch.dtype
    shape: tuple[Any, ...]  # parsed expressions
    origin: str  # "input", "parameter", "buffer", "constant", "output", "fixed input"; empty: a size or a fixed scalar
    type: str  # as kevolve names it: "f16"
    index: int  # of an input, a constant or an output
    path: str  # of a parameter or a buffer
    align: int
    value: float | None
    fill: dict[str, Any] = field(hash=False)
    tolerance: dict[str, Any] = field(hash=False)
    is_tensor: bool
    is_output: bool


@dataclass(frozen=True)
class Case:
    """Sizes that the judge has measured."""

    name: str
    sizes: dict[str, int] = field(hash=False)
    held_out: bool
    kernel: int | None  # number of the kernel that runs there; None: the reference is as fast


@dataclass(frozen=True)
class Kernel:
    """A compiled kernel, and how it is built anew."""

    device: str
    machine: str  # as platform.machine() names it
    features: frozenset[str]  # of the processor, all of which the object may use
    object: Path
    source: Path
    prelude: Path
    compilers: tuple[str, ...]  # names of programs, the one of the measurement first
    clang: tuple[str, ...]
    gcc: tuple[str, ...]
    libraries: tuple[str, ...]
    by_clang: bool


@dataclass(frozen=True)
class DeviceKernel:
    """A candidate's machine code for a GPU, and its launch plan."""

    architecture: str  # "sm_90a"
    candidate: int
    source: Path
    modules: tuple[Path, ...]
    names: tuple[str, ...]  # of the functions that are launched
    resolve: Callable[..., Any] = field(hash=False)  # sizes to launches


@dataclass(frozen=True)
class Plan:
    name: str
    entry: str  # the C function
    module: str  # the class or function of reference.py
    is_function: bool
    training: bool
    any_size: bool  # the kernel itself chooses by the sizes
    arguments: tuple[Argument, ...]
    derived: tuple[tuple[str, Any], ...]  # names with parsed expressions
    cases: tuple[Case, ...]
    kernels: tuple[Kernel, ...]
    device_kernels: tuple[DeviceKernel, ...]
    measured: dict[str, Any] = field(hash=False)


def _argument(x: dict[str, Any]) -> Argument:
    origin, _, rest = (x["origin"] or "").partition(" ")
    numbered = origin in ("input", "constant", "output")
    if x["role"] == "scalar" and x["value"] is not None:  # the same in every call: no argument of the operator
        origin = "fixed input" if origin == "input" else ""
    return Argument(
        name=x["name"],
        role=x["role"],
        dtype=DTYPES[x["dtype"]],
        shape=tuple(parse(text) for text in x["shape"]),
        origin=origin,
        type=x["dtype"],
        index=int(rest.split(" ")[0]) if numbered else -1,  # a constant's name may follow
        path="" if numbered else rest,
        align=int(x["align"]),
        value=x["value"],
        fill=x["fill"],
        tolerance=x["tolerance"],
        is_tensor=x["role"] not in ("size", "scalar"),
        is_output=x["role"] == "output",
    )


def _kernel(x: dict[str, Any]) -> Kernel:
    return Kernel(
        device=x["device"],
        machine=x["machine"],
        features=frozenset(x["features"]),
        object=FOLDER / x["object"],
        source=FOLDER / x["source"],
        prelude=FOLDER / x["prelude"],
        compilers=tuple(x["compilers"]),
        clang=tuple(x["clang"]),
        gcc=tuple(x["gcc"]),
        libraries=tuple(x["libraries"]),
        by_clang=bool(x["by_clang"]),
    )


def _device_kernel(x: dict[str, Any]) -> DeviceKernel:
    return DeviceKernel(
        architecture=x["architecture"],
        candidate=int(x["candidate"]),
        source=FOLDER / x["source"],
        modules=tuple(FOLDER / m for m in x["modules"]),
        names=tuple(dict.fromkeys(k["name"] for k in x["plan"]["kernels"])),
        resolve=resolver(x["plan"]),
    )


def read(text: str) -> Plan:
    x = json.loads(text)
    return Plan(
        name=x["name"],
        entry=x["entry"],
        module=x["module"]["entry"],
        is_function=x["module"]["kind"] == "function",
        training=bool(x["module"]["training"]),
        any_size=bool(x["any_size"]),
        arguments=tuple(_argument(a) for a in x["arguments"]),
        derived=tuple((n, parse(e)) for n, e in x["derived"]),
        cases=tuple(Case(c["name"], dict(c["sizes"]), bool(c["held_out"]), c.get("kernel", 0)) for c in x["cases"]),
        kernels=tuple(_kernel(k) for k in x["kernels"] if k["device"] == "cpu"),
        device_kernels=tuple(_device_kernel(k) for k in x["kernels"] if k["device"] == "cuda"),
        measured=x["measured"],
    )


PLAN = read((FOLDER / "plan.json").read_text(encoding="utf-8"))
# The arguments of the operator: all that the kernel reads and that follows from no shape.
GIVEN = tuple(a for a in PLAN.arguments if a.origin in ("input", "parameter", "buffer", "constant"))
FIXED = {a.index: a.value for a in PLAN.arguments if a.origin == "fixed input"}
TENSORS = tuple(a for a in GIVEN if a.is_tensor)
OUTPUTS = tuple(sorted((a for a in PLAN.arguments if a.is_output), key=lambda a: a.index))
