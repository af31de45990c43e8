"""Loads the compiled kernel for this processor, and calls it."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from .guards import Judged
from .plan import FOLDER, GIVEN, OUTPUTS, PLAN, Argument, Kernel

_C_TYPES = {
    torch.float32: ctypes.c_float,
    torch.float64: ctypes.c_double,
    torch.int8: ctypes.c_int8,
    torch.uint8: ctypes.c_uint8,
    torch.int32: ctypes.c_int32,
    torch.int64: ctypes.c_int64,
    torch.bool: ctypes.c_uint8,
}


def processor_features() -> frozenset[str]:
    """Returns the names that /proc/cpuinfo gives; empty where there is none."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines():
            name, _, words = line.partition(":")
            if name.strip() in ("flags", "Features"):
                return frozenset(words.split())
    except OSError:
        pass
    return frozenset()


def own_build() -> Path:
    """Returns the folder of objects that `python -m … build` made on this machine."""
    if os.access(FOLDER / "kernels", os.W_OK):
        return FOLDER / "kernels" / "own"
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(cache) / "kevolve" / f"{PLAN.name}-{PLAN.measured['campaign'][:12]}"


def kernel_here() -> Kernel | None:
    return next((k for k in PLAN.kernels if k.device == "cpu"), None)


def object_for(kernel: Kernel) -> tuple[Path | None, str]:
    """Returns the object that this processor can run, or why there is none."""
    have = processor_features()
    own = own_build()
    try:
        built = json.loads((own / "built.json").read_text(encoding="utf-8"))
        if built["machine"] == platform.machine() and have.issuperset(built["features"]):
            return own / "cpu.so", ""
    except (OSError, ValueError, KeyError, TypeError):
        pass
    if not sys.platform.startswith("linux") or platform.machine() != kernel.machine:
        return None, f"it was built for Linux on {kernel.machine}"
    lacking = sorted(kernel.features - have)
    if lacking:
        return None, f"it was built for a processor with {', '.join(lacking[:6])}{', …' if len(lacking) > 6 else ''}"
    return kernel.object, ""


class CpuKernel:
    """The C function, ready to be called from any thread."""

    def __init__(self, path: Path) -> None:
        self.function = getattr(ctypes.CDLL(os.fspath(path)), PLAN.entry)
        self.function.restype = None
        self.function.argtypes = [
            ctypes.c_void_p if a.is_tensor else ctypes.c_int64 if a.role == "size" else _C_TYPES[a.dtype]
            for a in PLAN.arguments
        ]
        self.steps = [self._step(a) for a in PLAN.arguments]
        self.dtypes = [a.dtype for a in OUTPUTS]

    @staticmethod
    def _step(a: Argument) -> tuple[str, Any]:
        """Returns how the argument's value is found, and by what."""
        if a.is_output:
            return "output", [o.index for o in OUTPUTS].index(a.index)
        if a.role == "size":
            return "size", a.name
        if a in GIVEN:
            return ("tensor", a.align) if a.is_tensor else ("given", None)
        return "fixed", a.value if a.dtype.is_floating_point else int(a.value or 0)

    def serves(self, values: Sequence[Any]) -> bool:
        return True

    def __call__(self, values: Sequence[Any], case: Judged) -> list[torch.Tensor]:
        """Returns the outputs. `values` are those of the operator, and `case` what the guards made of them."""
        given = iter(values)
        outputs = [torch.empty(shape, dtype=dtype) for shape, dtype in zip(case.outputs, self.dtypes)]
        words: list[Any] = []
        copies: list[torch.Tensor] = []  # until the call has returned
        for what, by in self.steps:
            if what == "tensor":
                x = next(given)
                place = x.data_ptr()
                if place % by != 0:  # a view into another array
                    copies.append(x.clone(memory_format=torch.contiguous_format))
                    place = copies[-1].data_ptr()
                words.append(place)
            elif what == "output":
                words.append(outputs[by].data_ptr())
            else:
                words.append(case.sizes[by] if what == "size" else next(given) if what == "given" else by)
        self.function(*words)  # without Python's global lock
        return outputs


def load() -> CpuKernel | None:
    kernel = kernel_here()
    if kernel is None:
        return None
    path, why = object_for(kernel)
    if path is not None:
        try:
            return CpuKernel(path)
        except (OSError, AttributeError) as error:
            why = str(error)
    warnings.warn(
        f"{PLAN.name}: the compiled kernel cannot run here ({why}); the reference runs instead. "
        f"`python -m {PLAN.name} build` compiles it for this machine.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


CPU = load()
