"""Calls for the search on a device: sizes, drawn arguments, and bounds of outputs by PyTorch in double."""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from . import inputs
from .cases import as_doubles, may_have, real_bounds
from .contract import Argument, load

SMALL = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65]
MEDIUM = [96, 127, 128, 129, 255, 256, 257, 513, 777, 1000, 1023, 1024, 1025, 2048, 4096, 4097]
TORCH = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "i8": torch.int8,
         "u8": torch.uint8, "i32": torch.int32, "i64": torch.int64, "bool": torch.bool}


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
        yield from self.near_declared()
        for k in range(24):
            sizes = self.sizes({}, k)
            if sizes:
                yield f"small-{k}", sizes, self.patterns(k)

    def near_declared(self) -> Iterator[tuple[str, Mapping[str, int], Mapping[str, str]]]:
        """Declared shapes with one size made small: paths of their own that a kernel has for the other sizes."""
        c = self.contract
        seen: set[tuple[int, ...]] = set()
        for i, shape in enumerate(c.shapes if not c.declared_only else []):
            for name in c.sizes:
                for small in (3, 67):
                    near = {**shape, name: small}
                    key = tuple(near.values())
                    if small < shape[name] and key not in seen and may_have(c, near, 1 << 21, 1e9):
                        seen.add(key)
                        yield f"near-{i}-{name}-{small}", near, {}

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
