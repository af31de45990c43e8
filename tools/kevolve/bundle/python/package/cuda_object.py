"""Runs compiled kernels on a GPU: memory comes from PyTorch, and launches go to its current stream. Nothing waits."""

from __future__ import annotations

import json
import struct
import threading
import warnings
from collections.abc import Sequence
from typing import Any

import torch

from . import driver
from .cpu_object import own_build
from .guards import TABLE, Judged, reads_values
from .launch_plan import Resolved
from .plan import GIVEN, OUTPUTS, PLAN, DeviceKernel

_FORMATS = {"f16": "e", "f32": "f", "f64": "d", "i8": "b", "u8": "B", "i32": "i", "i64": "q", "bool": "B"}
_warned: set[str] = set()


def warn_once(kind: str, text: str) -> None:
    if kind not in _warned:
        _warned.add(kind)
        warnings.warn(f"{PLAN.name}: {text}", RuntimeWarning, stacklevel=5)


def capability_of(architecture: str) -> tuple[int, int]:
    """Returns (9, 0) for "sm_90a"."""
    digits = "".join(c for c in architecture.partition("_")[2] if c.isdigit())
    return int(digits[:-1]), int(digits[-1])


def bits_of(kind: str, value: Any) -> int:
    """Returns a number of that type as the bytes of a kernel's parameter."""
    code = _FORMATS[kind]
    return int.from_bytes(struct.pack("<" + code, float(value) if code in "efd" else int(value)).ljust(8, b"\0"), "little")


def stream_of(device: torch.device) -> int:
    return torch.cuda.current_stream(device).cuda_stream


class CudaKernels:
    """The kernels of a package, ready to be called from any thread and in a graph's capture."""

    def __init__(self, kernels: Sequence[DeviceKernel]) -> None:
        self.kernels = kernels
        self.lock = threading.Lock()
        self.loaded: dict[tuple[int, int], driver.LoadedCode] = {}  # by device and kernel
        self.resolved: dict[tuple[int, int], Resolved] = {}  # by kernel and case
        self.numbers: dict[int, dict[str, int]] = {}  # by case: those that are the same in every call
        self.refused: dict[int, str] = {}  # by device: why no kernel runs there; empty: they run
        self.aligns = {a.name: a.align for a in GIVEN if a.is_tensor}
        self.waits = reads_values()

    def why_not(self, device: int) -> str:
        """Returns why the kernels do not run on that device; empty if they do."""
        if device not in self.refused:
            have = torch.cuda.get_device_capability(device)
            wanted = capability_of(self.kernels[0].architecture)
            why = f"cuda:{device} has sm_{have[0]}{have[1]}, and the kernels are for {self.kernels[0].architecture}"
            if have == wanted:
                try:
                    driver.driver()
                    why = ""
                except (OSError, AttributeError, RuntimeError) as error:
                    why = f"the CUDA driver: {error}"
            self.refused[device] = why
        return self.refused[device]

    def usable(self) -> bool:
        """Returns true if some device runs the kernels; warns once if none does."""
        if not torch.cuda.is_available():
            warn_once("machine", f"no CUDA device for {self.kernels[0].architecture} is here; the reference runs")
            return False
        reasons = [self.why_not(i) for i in range(torch.cuda.device_count())]
        if all(reasons):
            warn_once("machine", f"{reasons[0]}; the reference runs")
            return False
        self.take_own_table()
        return True

    def take_own_table(self) -> None:
        """Takes the table that `python -m … tune` measured on a device of this name."""
        try:
            own = json.loads((own_build() / "table.json").read_text(encoding="utf-8"))
            if own["device"] != torch.cuda.get_device_name() or len(own["kernels"]) != len(TABLE):
                return
            if all(k is None or 0 <= k < len(self.kernels) for k in own["kernels"]):
                TABLE[:] = own["kernels"]
        except (OSError, ValueError, KeyError, TypeError):
            pass

    def serves(self, values: Sequence[Any]) -> bool:
        devices = {x.device for x in values if isinstance(x, torch.Tensor)}
        if len(devices) != 1:
            return False
        if why := self.why_not(next(iter(devices)).index):
            warn_once("machine", f"{why}; the reference runs")
            return False
        if self.waits and torch.cuda.is_current_stream_capturing():
            warn_once("capture", "integers are not checked in a graph's capture; the reference runs")
            return False
        return True

    def code(self, device: int, which: int) -> driver.LoadedCode:
        with self.lock:
            key = (device, which)
            if key not in self.loaded:
                kernel = self.kernels[which]
                self.loaded[key] = driver.LoadedCode(device, kernel.modules, kernel.names)
            return self.loaded[key]

    def launches(self, which: int, case: Judged) -> Resolved:
        key = (which, case.index)
        if key not in self.resolved:
            self.resolved[key] = self.kernels[which].resolve(case.sizes, array_bytes(case), {})
        return self.resolved[key]

    def __call__(self, values: Sequence[Any], case: Judged) -> list[torch.Tensor]:
        """Returns the outputs. `values` are those of the operator, and `case` what the guards made of them."""
        which = TABLE[case.index]
        assert which is not None
        return self.run(which, values, case)

    def run(self, which: int, values: Sequence[Any], case: Judged) -> list[torch.Tensor]:
        device = next(x.device for x in values if isinstance(x, torch.Tensor))
        plan = self.launches(which, case)
        code = self.code(device.index or 0, which)
        outputs = [torch.empty(shape, dtype=a.dtype, device=device) for shape, a in zip(case.outputs, OUTPUTS)]
        scratch = [torch.empty(s.bytes, dtype=torch.uint8, device=device) for s in plan.scratch]
        kept, buffers, numbers = self.given(values, case)
        buffers.update((a.name, x.data_ptr()) for a, x in zip(OUTPUTS, outputs))
        buffers.update((s.name, x.data_ptr()) for s, x in zip(plan.scratch, scratch))
        cleared = [(buffers[s.name], s.bytes) for s in plan.scratch if s.zeroed]
        code.run(plan.launches, plan.maps, cleared, buffers, numbers, stream_of(device))
        del kept, scratch  # PyTorch gives their memory to later work of this stream only
        return outputs

    def given(self, values: Sequence[Any], case: Judged) -> tuple[list[torch.Tensor], dict[str, int], dict[str, int]]:
        """Returns copies of arrays that are not aligned, and all arguments: addresses and bits of numbers."""
        copies: list[torch.Tensor] = []
        buffers: dict[str, int] = {}
        if case.index not in self.numbers:
            fixed = {a.name: bits_of("i64", case.sizes[a.name]) for a in PLAN.arguments if a.role == "size"}
            fixed.update((a.name, bits_of(a.type, a.value)) for a in PLAN.arguments if a.role == "scalar" and a.value is not None)
            self.numbers[case.index] = fixed
        numbers = dict(self.numbers[case.index])
        for a, x in zip(GIVEN, values):
            if not a.is_tensor:
                numbers[a.name] = bits_of(a.type, x)
                continue
            buffers[a.name] = x.data_ptr()
            if buffers[a.name] % self.aligns[a.name] != 0:  # a view into another array
                copies.append(x.clone(memory_format=torch.contiguous_format))
                buffers[a.name] = copies[-1].data_ptr()
        return copies, buffers, numbers


def array_bytes(case: Judged) -> dict[str, int]:
    """Returns the bytes of the arguments and outputs by name."""
    tensors = [*zip((a for a in GIVEN if a.is_tensor), case.shapes), *zip(OUTPUTS, case.outputs)]
    return {a.name: torch.Size(shape).numel() * a.dtype.itemsize for a, shape in tensors}


def load() -> CudaKernels | None:
    """Returns the kernels, without touching a device; None: the package has none for GPUs."""
    return CudaKernels(PLAN.device_kernels) if PLAN.device_kernels else None


CUDA = load()
