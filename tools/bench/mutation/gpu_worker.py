"""Searches for witnesses on a device, in a process of its own: a faulty kernel may take the process with it.

Reads one JSON request a line, answers each with one: {"task": FILE, "object": PATH, "hints": […]} gives {"witness": …} or
{"unfit": […]}. Launches the machine code by itself, as the plan says; shares no code with the runner.
"""

from __future__ import annotations

import importlib.util
import json
import math
import random
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import cupy
import numpy as np
import torch

from . import inputs
from .cases import as_doubles, may_have, real_bounds
from .contract import Argument, Contract, evaluate, load

SMALL = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65]
MEDIUM = [96, 127, 128, 129, 255, 256, 257, 513, 777, 1000, 1023, 1024, 1025, 2048, 4096, 4097]
GUARD = 1 << 16
TORCH = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "i8": torch.int8,
         "u8": torch.uint8, "i32": torch.int32, "i64": torch.int64, "bool": torch.bool}
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


class Case:
    def __init__(self, key: str, drawn: inputs.Drawn) -> None:
        self.key, self.drawn = key, drawn
        self.bounds: dict[str, tuple[np.ndarray, np.ndarray, bytes]] = {}

    @property
    def told(self) -> dict[str, Any]:
        return {"sizes": self.drawn.sizes, "patterns": {k: v for k, v in self.drawn.patterns.items() if v != "usual"}, "case": self.key}


class Task:
    def __init__(self, file: Path, seed: int) -> None:
        self.contract = load(file)
        self.seed = seed
        self.random = random.Random(f"{seed}/{self.contract.name}")
        spec = importlib.util.spec_from_file_location(self.contract.name, self.contract.reference)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.function = getattr(module, self.contract.entry)
        self.names = self.function.__code__.co_varnames[:self.function.__code__.co_argcount]
        self.errors: dict[str, float] = {}
        self.cases: dict[str, Case | None] = {}
        self.generic = [c for c in (self.case(*w) for w in self.wanted()) if c]

    def wanted(self) -> Iterator[tuple[str, Mapping[str, int], Mapping[str, str]]]:
        c = self.contract
        for i, shape in enumerate(c.shapes):
            if may_have(c, shape, 1 << 21, 1e8):
                yield f"declared-{i}", shape, {}
        for k in range(24):
            sizes = self.sizes({}, k)
            if sizes:
                yield f"small-{k}", sizes, self.patterns(k)

    def sizes(self, fixed: Mapping[str, list[int]], k: int) -> Mapping[str, int] | None:
        c = self.contract
        if c.declared_only:
            return c.shapes[k % len(c.shapes)]
        for _ in range(80):
            out = {n: self.random.choice(fixed.get(n, SMALL[:8] if len(c.sizes) > 3 else SMALL)) for n in c.sizes}
            if k % 3 == 2:
                free = [n for n in c.sizes if n not in fixed]
                if free:
                    out[self.random.choice(free)] = self.random.choice(MEDIUM)
            if may_have(c, out, 1 << 20, 1e8):
                return out
        return None

    def patterns(self, k: int) -> dict[str, str]:
        arrays = [a for a in self.contract.arguments if a.is_read]
        if k % 3 == 0:
            return {}
        return {a.name: self.random.choice(inputs.patterns_of(a)) for a in arrays if k % 3 == 2 or self.random.random() < 0.5}

    def case(self, key: str, sizes: Mapping[str, int], patterns: Mapping[str, str]) -> Case | None:
        if key not in self.cases:
            try:
                drawn = inputs.draw(self.contract, sizes, patterns, np.random.default_rng([self.seed, *key.encode()]), 1 << 22)
                self.cases[key] = self.bounded(Case(key, drawn))
            except inputs.NotAllowed:
                self.cases[key] = None
        return self.cases[key]

    def bounded(self, case: Case) -> Case | None:
        mine, best = self.reference(case, wide=False), self.reference(case, wide=True)
        for a in self.contract.arguments:
            if not a.is_written:
                continue
            given, exact = mine[a.name], best[a.name]
            if not a.floating:
                case.bounds[a.name] = (exact, exact, given.tobytes())
                continue
            bounds = real_bounds(self.contract, a, as_doubles(a.dtype, given), exact.astype(np.float64), case.drawn.patterns, self.errors)
            if isinstance(bounds, str):
                return None
            case.bounds[a.name] = (*bounds, given.tobytes())
        return case

    def reference(self, case: Case, wide: bool) -> dict[str, np.ndarray]:
        given: dict[str, Any] = {}
        for a in self.contract.arguments:
            if a.name not in self.names:
                continue
            if a.role == "size":
                given[a.name] = case.drawn.sizes[a.name]
            elif a.role == "scalar":
                given[a.name] = case.drawn.scalars[a.name]
            else:
                x = torch.from_numpy(case.drawn.arrays[a.name].copy())
                x = x.view(torch.bfloat16) if a.dtype == "bf16" else x
                kind = torch.float64 if wide and a.floating else TORCH[a.dtype]
                given[a.name] = x.reshape(case.drawn.shapes[a.name]).to("cuda", kind)
        out = self.function(**given)
        written = [a for a in self.contract.arguments if a.is_written]
        tensors = out if isinstance(out, (tuple, list)) else (out,)
        return {a.name: self.host(a, t, wide) for a, t in zip(written, tensors, strict=True)}

    def host(self, a: Argument, t: Any, wide: bool) -> np.ndarray:
        if wide and a.floating:
            return t.to(torch.float64).contiguous().reshape(-1).cpu().numpy()
        t = t.to(TORCH[a.dtype]).contiguous().reshape(-1)
        return t.view(torch.int16).cpu().numpy().view(np.uint16) if a.dtype == "bf16" else t.cpu().numpy()

    def hinted(self, hints: list[dict[str, Any]]) -> Iterator[tuple[Case, int]]:
        for h in hints:
            for k in range(4):
                sizes = self.sizes(h["sizes"], 2 * k)
                patterns = {n: p for n, p in h["patterns"].items() if p in inputs.patterns_of(self.contract.argument(n))}
                key = f"hint-{json.dumps(h['sizes'])}-{json.dumps(patterns)}-{k}"
                if sizes and (case := self.case(key, sizes, patterns)):
                    yield case, h["calls"]


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
    return {"unfit": unfit, "cases": len(task.generic)} if request.get("all") else {"witness": None}


def main() -> None:
    tasks: dict[str, Task] = {}
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), tasks)), flush=True)


if __name__ == "__main__":
    main()
