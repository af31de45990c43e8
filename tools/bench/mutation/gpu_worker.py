"""Searches for witnesses on a device, in a process of its own: a faulty kernel may take the process with it.

Reads one JSON request a line, answers each with one: {"task": FILE, "object": PATH, "hints": […]} gives {"witness": …} or
{"unfit": […]}. Launches the machine code by itself, as the plan says; shares no code with the runner.
"""

from __future__ import annotations

import json
import math
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cupy
import numpy as np

from . import schedules
from .cases import as_doubles
from .contract import Contract, evaluate
from .gpu_cases import Case, Task

GUARD = 1 << 16
WIDTHS = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i8": 1, "u8": 1, "i32": 4, "i64": 8, "bool": 1}
NUMBERS = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "f16": np.float16, "i8": np.int8, "u8": np.uint8}


class Buffer:
    """Device memory between guards. Its bytes and the guards hold a pattern that is a NaN of every type."""

    def __init__(self, size: int, data: bytes | None) -> None:
        self.size = size
        self.whole = cupy.full(size + 2 * GUARD, 0xff, cupy.uint8)
        if data:
            self.whole[GUARD:GUARD + size] = cupy.asarray(np.frombuffer(data, np.uint8))
        self.data = data

    @property
    def pointer(self) -> int:
        return int(self.whole.data.ptr) + GUARD

    def fault(self) -> str:
        if not bool((self.whole[:GUARD] == 0xff).all()) or not bool((self.whole[GUARD + self.size:] == 0xff).all()):
            return "touched"
        return ""

    def bytes(self) -> bytes:
        return self.whole[GUARD:GUARD + self.size].get().tobytes()


class Kernel:
    """Machine code and plan, launched as the plan says."""

    def __init__(self, base: str, c: Contract) -> None:
        self.contract = c
        self.plan = tomllib.loads(Path(f"{base}.plan").read_text(encoding="utf-8"))
        cooperative = any(k.get("cooperative") for k in self.plan["kernel"])
        self.modules = []
        for i in range(16):
            if not Path(f"{base}.{i}").exists():
                break
            self.modules.append(cupy.RawModule(path=f"{base}.{i}", enable_cooperative_groups=cooperative))

    def function(self, name: str) -> Any:
        for m in self.modules:
            try:
                return m.get_function(name)
            except cupy.cuda.driver.CUDADriverError:
                continue
        raise KeyError(name)

    def set(self, name: str, value: int) -> None:
        """Sets a variable of the code, in each module that has it."""
        for m in self.modules:
            try:
                m.get_global(name).copy_from_host(np.array([value], np.int32).ctypes.data, 4)
            except cupy.cuda.driver.CUDADriverError:
                continue
        cupy.cuda.runtime.deviceSynchronize()

    def call(self, case: Case, repeats: int) -> str:
        """Returns what was wrong, or nothing."""
        sizes = dict(case.drawn.sizes)
        left = dict(self.plan.get("sizes", {}))
        while left:
            for name, text in list(left.items()):
                try:
                    sizes[name] = evaluate(str(text), sizes)
                    del left[name]
                except KeyError:
                    continue
        buffers: dict[str, Buffer] = {}
        for a in self.contract.arguments:
            if a.is_array:
                n = math.prod(case.drawn.shapes[a.name])
                buffers[a.name] = Buffer(n * WIDTHS[a.dtype], case.drawn.arrays[a.name].tobytes() if a.is_read else None)
        for s in self.plan.get("scratch", []):
            buffers[s["name"]] = Buffer(evaluate(str(s["bytes"]), sizes), None)
        for i in range(repeats):
            for s in self.plan.get("scratch", []):
                if s.get("zeroed"):
                    b = buffers[s["name"]]
                    b.whole[GUARD:GUARD + b.size] = 0
            for k in self.plan["kernel"]:
                self.launch(k, sizes, buffers, case)
            cupy.cuda.runtime.deviceSynchronize()
            if i + 1 < repeats and i % 8:
                continue
            if found := self.check(case, buffers):
                return found
        return ""

    def launch(self, k: Mapping[str, Any], sizes: Mapping[str, int], buffers: Mapping[str, Buffer], case: Case) -> None:
        def three(key: str) -> tuple[int, ...]:
            values = [evaluate(str(x), sizes) for x in k.get(key, [1])]
            return tuple(values + [1] * (3 - len(values)))

        if 0 in three("grid"):
            return
        function = self.function(k["name"])
        shared = evaluate(str(k.get("shared", 0)), sizes)
        if shared > 48 << 10:
            function.max_dynamic_shared_size_bytes = shared
        function(three("grid"), three("block"), tuple(self.value(x, sizes, buffers, case) for x in k.get("arguments", [])), shared_mem=shared)

    def value(self, x: Any, sizes: Mapping[str, int], buffers: Mapping[str, Buffer], case: Case) -> Any:
        if isinstance(x, dict):
            if "buffer" in x:
                return np.uint64(buffers[x["buffer"]].pointer + evaluate(str(x.get("offset", 0)), sizes))
            if x.get("null"):
                return np.uint64(0)
            if "value" in x:
                number = evaluate(str(x["value"]), sizes) if isinstance(x["value"], str) else x["value"]
                return NUMBERS[x.get("type", "i64")](number)
            x = x["name"]
        if x in buffers:
            return np.uint64(buffers[x].pointer)
        a = next((a for a in self.contract.arguments if a.name == x), None)
        if a is not None and a.role == "scalar":
            return NUMBERS[a.dtype](case.drawn.scalars[x])
        return np.int64(sizes[x])

    def check(self, case: Case, buffers: Mapping[str, Buffer]) -> str:
        for a in self.contract.arguments:
            if not a.is_array:
                continue
            b = buffers[a.name]
            if found := b.fault():
                return f"{found}: beside {a.name}"
            got = b.bytes()
            if not a.is_written:
                if got != b.data:
                    return f"changed: {a.name}"
                continue
            low, high, same = case.bounds[a.name]
            if got == same:
                continue
            kind = {"bf16": np.uint16, "bool": np.uint8}.get(a.dtype) or NUMBERS[a.dtype]
            values = np.frombuffer(got, kind)
            numbers = as_doubles(a.dtype, values) if a.floating else values
            with np.errstate(invalid="ignore"):
                right = (numbers >= low) & (numbers <= high) | (np.isnan(low) & np.isnan(numbers) if a.floating else False)
            right |= values == np.frombuffer(same, kind)
            if not right.all():
                i = int(np.argmin(right))
                return f"wrong: {a.name}[{i}] is {numbers[i]}, wanted {low[i]} to {high[i]}"
        for s in self.plan.get("scratch", []):
            if buffers[s["name"]].fault():
                return f"touched: beside {s['name']}"
        return ""


def answer(request: Mapping[str, Any], tasks: dict[str, Task]) -> dict[str, Any]:
    task = tasks.get(request["task"])
    if task is None:
        task = tasks[request["task"]] = Task(Path(request["task"]), request["seed"])
    kernel = Kernel(request["object"], task.contract)
    without = set(request.get("without", ()))
    unfit = []
    for case, calls in [*task.hinted(request.get("hints", [])), *((c, 1) for c in task.generic)]:
        if case.key in without:
            continue
        print(json.dumps({"at": case.told}), file=sys.stderr, flush=True)
        if found := kernel.call(case, calls):
            if request.get("all"):
                unfit.append(case.key)
                continue
            return {"witness": {"how": found.split(":")[0], "text": found, "calls": calls, **case.told}}
    if request.get("all"):
        return {"unfit": unfit, "cases": len(task.generic)}
    return late_witness(request["late"], task, without) if request.get("late") else {"witness": None}


def late_witness(late: Mapping[str, str], task: Task, without: set[str]) -> dict[str, Any]:
    """Looks for a call on which the mutant is wrong while every second warp is late, and the original is right."""
    mutant, right = Kernel(late["mutant"], task.contract), Kernel(late["right"], task.contract)
    for case in task.generic:
        if case.key in without:
            continue
        for schedule in schedules.SCHEDULES:
            try:
                right.set(schedules.VARIABLE, schedule)
                if right.call(case, 1):
                    continue
            except Exception as e:  # the fault is not the mutant's, and may have taken the context along
                return {"witness": None, "ended": repr(e)}
            print(json.dumps({"at": case.told}), file=sys.stderr, flush=True)
            mutant.set(schedules.VARIABLE, schedule)
            if found := mutant.call(case, 1):
                warps = "even" if schedule == 0 else "odd"
                return {"witness": {"how": "schedule", "text": found, "calls": 1, "late_warps": warps, **case.told}}
    return {"witness": None}


def main() -> None:
    tasks: dict[str, Task] = {}
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), tasks)), flush=True)


if __name__ == "__main__":
    main()
