"""Draws arguments that a contract allows: the declared distribution, and patterns within its range."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .contract import Argument, Contract, evaluate, tokens

# A normal distribution counts as a range of this many standard deviations; larger values are left to the edges.
DEVIATIONS = 3.0
LARGEST_KEY = {"i8": 127, "u8": 255, "i32": 2**31 - 1, "i64": 2**53}
REAL_PATTERNS = ["usual", "equal", "zeros", "ones", "one_hot", "sorted", "reversed", "alternating", "extremes", "highest", "lowest",
                 "ties", "whole", "first_largest", "last_largest", "negative", "positive", "tiny", "row_equal", "wide",
                 "same_first", "single"]
WHOLE_PATTERNS = ["usual", "equal", "highest", "lowest", "sorted", "reversed", "one_hot", "alternating", "ties", "short",
                  "first_largest", "last_largest", "row_equal", "same_first",
                  "single"]
KEY_PATTERNS = ["usual", "dense", "wide", "top"]
SAMPLE_PATTERNS = ["usual", "no_hit", "all_hit", "equal", "below", "above", "first", "last", "neighbours"]
EDGES = ["large", "large_rows", "larger", "cancellation", "denormal", "special"]


def patterns_of(a: Argument) -> list[str]:
    kind = a.fill["distribution"]
    if kind == "offsets":
        return ["usual"]
    if kind == "sorted_unique":
        return KEY_PATTERNS
    if kind == "sample_of":
        return SAMPLE_PATTERNS
    if kind in ("integer", "lengths") or not a.floating:
        return WHOLE_PATTERNS
    out = list(REAL_PATTERNS)
    low, high = real_range(a)
    if low < 0.0 < high:
        out.append("signed_zeros")
    if "large" in a.edge:
        out += ["large", "large_rows", "larger"]
    out += [e for e in ("cancellation", "denormal", "special") if e in a.edge]
    return out


def real_range(a: Argument) -> tuple[float, float]:
    f = a.fill
    if f["distribution"] == "uniform":
        return float(f.get("low", 0.0)), float(f.get("high", 1.0))
    mean, std = float(f.get("mean", 0.0)), float(f.get("std", 1.0))
    return mean - DEVIATIONS * std, mean + DEVIATIONS * std


def rounded(a: Argument, x: np.ndarray) -> np.ndarray:
    """Returns the numbers in the argument's type; bf16 as its bits."""
    if a.dtype == "bf16":
        bits = np.asarray(x, dtype=np.float32).view(np.uint32)
        return ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    kinds = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "u8": np.uint8, "i32": np.int32,
             "i64": np.int64, "bool": np.uint8}
    with np.errstate(over="ignore"):
        return np.asarray(x).astype(kinds[a.dtype])


def _rows(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return x.reshape(-1, shape[-1] if shape else 1)


def _arranged(pattern: str, x: np.ndarray, shape: tuple[int, ...], low: float, high: float, base: float,
              rng: np.random.Generator) -> np.ndarray:
    """Patterns that reals and whole numbers share."""
    rows = _rows(x, shape)
    if pattern == "equal":
        return np.full_like(x, x[0] if x.size else 0)
    if pattern == "row_equal":
        return np.repeat(rows[:, :1], rows.shape[1], axis=1)
    if pattern == "highest":
        return np.full_like(x, high)
    if pattern == "lowest":
        return np.full_like(x, low)
    if pattern == "one_hot":
        out = np.full_like(rows, base)
        out[np.arange(len(rows)), rng.integers(0, rows.shape[1], len(rows))] = high if rng.random() < 0.5 else rows[:, 0]
        return out
    if pattern == "sorted":
        return np.sort(x)
    if pattern == "reversed":
        return np.sort(x)[::-1]
    if pattern == "alternating":
        pair = x[:2] if x.size > 1 else np.array([high, low], x.dtype)
        return np.resize(pair, x.shape)
    if pattern == "ties":
        return rng.choice(x[: min(3, x.size)], x.shape)
    if pattern == "single":
        out = np.full_like(x, base)
        out[rng.integers(x.size)] = high
        return out
    if pattern == "same_first":
        return np.concatenate([[low], x[1:]])
    if pattern in ("first_largest", "last_largest"):
        out = rows.copy()
        out[:, 0 if pattern[0] == "f" else -1] = high
        return out
    return x


def draw_real(a: Argument, shape: tuple[int, ...], pattern: str, rng: np.random.Generator) -> np.ndarray:
    n = math.prod(shape)
    low, high = real_range(a)
    uniform = a.fill["distribution"] == "uniform"
    middle, spread = (low + high) / 2, (high - low) / (2 if uniform else 2 * DEVIATIONS)
    x = rng.uniform(low, high, n) if uniform else middle + spread * np.clip(rng.standard_normal(n), -DEVIATIONS, DEVIATIONS)
    base = min(max(0.0, low), high)
    if pattern == "zeros":
        return np.full(n, 0.0 if "zeros" in a.edge else base)
    if pattern == "ones":
        return np.full(n, min(max(1.0, low), high))
    if pattern == "signed_zeros":
        return np.where(rng.random(n) < 0.25, x, np.copysign(0.0, rng.uniform(-1.0, 1.0, n)))
    if pattern == "whole":
        return np.clip(np.round(x / max(spread, 1e-30)) if spread < 0.5 else np.round(x), low, high)
    if pattern == "extremes":
        return np.where(rng.random(n) < 0.5, low, high)
    if pattern == "negative":
        return np.clip(-np.abs(x), low, high)
    if pattern == "positive":
        return np.clip(np.abs(x), low, high)
    if pattern == "tiny":
        return np.clip(x * 10.0 ** rng.uniform(-9, -2), low, high)
    if pattern == "wide":
        return rng.uniform(low, high, n)
    scale = 16.0 if a.dtype == "f16" else 1e12
    if pattern == "large":
        return np.where(rng.random(n) < 0.125, scale ** rng.random(n) * rng.standard_normal(n), rng.standard_normal(n))
    if pattern == "large_rows":
        rows = _rows(rng.standard_normal(n), shape)
        return rows * np.where(rng.random((len(rows), 1)) < 0.5, scale ** rng.random((len(rows), 1)), 1.0)
    if pattern == "larger":
        return 4.0 ** rng.integers(1, 5) * rng.standard_normal(n)
    if pattern == "cancellation":
        if uniform or rng.random() < 0.5:
            far = middle + (0.0 if uniform else (16.0 if a.dtype in ("f16", "bf16") else 1000.0) * spread * rng.choice([-1.0, 1.0]))
            return far + spread * rng.uniform(-1.0, 1.0, n) * (1e-3 if uniform else 1.0)
        x = np.abs(x)
        x[1::2] = -x[: x.size - x.size % 2 : 2] * (1.0 - rng.random(x.size // 2) / 1024)
        return np.clip(x, low, high)
    if pattern == "denormal":
        least = {"f16": 2.0**-14, "f64": 2.0**-1022}.get(a.dtype, 2.0**-126)
        return rng.uniform(-least, least, n)
    if pattern == "special":
        rows = _rows(x, shape).copy()
        for r in range(len(rows)):
            if r == 0 or rng.random() < 0.3:
                rows[r, rng.integers(rows.shape[1])] = rng.choice([math.nan, math.inf, -math.inf])
        return rows
    return _arranged(pattern, x, shape, low, high, base, rng)


def draw_whole(a: Argument, shape: tuple[int, ...], pattern: str, rng: np.random.Generator) -> np.ndarray:
    n = math.prod(shape)
    if a.dtype == "bool":
        x = rng.integers(0, 2, n)
        low, high = 0, 1
    else:
        low, high = math.ceil(a.fill.get("low", 0)), math.floor(a.fill.get("high", 1))
        x = rng.integers(low, high + 1, n)
    if pattern == "short":
        return rng.integers(low, min(high, low + 5) + 1, n)
    return _arranged(pattern, x, shape, low, high, min(max(0, low), high), rng)


def draw_keys(a: Argument, count: int, pattern: str, rng: np.random.Generator) -> np.ndarray:
    if a.floating:
        return a.fill.get("low", 0.0) + np.cumsum(rng.random(count) + 1e-3)
    low, high = int(a.fill.get("low", 0)), int(a.fill.get("high", 1))
    if high - low + 1 < count:
        low, high = 0, LARGEST_KEY[a.dtype]
    room = high - low + 1 - count
    if pattern == "dense" or room == 0:
        return low + int(rng.integers(0, min(room, 3) + 1)) + np.arange(count, dtype=np.int64)
    if pattern == "top":
        return high - count + 1 + np.arange(count, dtype=np.int64)
    step = room // max(count, 1) if pattern == "wide" else min(room // max(count, 1), 5)
    gaps = rng.integers(0, step + 1, count)
    return low + np.cumsum(gaps) + np.arange(count, dtype=np.int64)


def draw_samples(a: Argument, count: int, table: np.ndarray, pattern: str, rng: np.random.Generator) -> np.ndarray:
    hit = float(a.fill.get("hit", 1.0))
    top = LARGEST_KEY[a.dtype]
    known = np.unique(table)
    if not len(known) or (pattern in ("no_hit", "below", "above", "neighbours") and hit >= 1.0):
        pattern = "usual"
    share = {"all_hit": 1.0, "no_hit": 0.0}.get(pattern, hit)
    share = hit if hit in (0.0, 1.0) else share
    if not len(known):
        return rng.integers(0, min(top, 1000), count)
    inside = rng.choice(known, count)
    if pattern in ("equal", "first", "last"):
        return np.full(count, known[0] if pattern == "first" else known[-1] if pattern == "last" else inside[0] if count else 0)
    misses = np.clip(inside + rng.integers(-3, 4, count), 0, top)
    far = rng.integers(0, min(top, int(known[-1]) * 2 + 10) + 1, count)
    misses = np.where(rng.random(count) < 0.5, misses, far)
    if pattern == "below":
        misses = rng.integers(0, max(int(known[0]), 1), count)
    if pattern == "above":
        misses = np.clip(int(known[-1]) + 1 + rng.integers(0, 5, count), 0, top)
    if pattern in ("below", "above"):
        share = 0.0
    found = np.isin(misses, known)
    free = next((k for k in (int(known[-1]) + 1, int(known[0]) - 1) if 0 <= k <= top and k not in known), None)
    if free is not None:
        misses = np.where(found, free, misses)
    return np.where(rng.random(count) < share, inside, misses)


@dataclass
class Drawn:
    """The arguments of one call."""

    sizes: dict[str, int]
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    scalars: dict[str, float] = field(default_factory=dict)
    patterns: dict[str, str] = field(default_factory=dict)

    @property
    def elements(self) -> int:
        return sum(math.prod(s) for s in self.shapes.values())


class NotAllowed(Exception):
    """These sizes have no array, or too large ones."""


def draw(c: Contract, sizes: Mapping[str, int], patterns: Mapping[str, str], rng: np.random.Generator,
         most_elements: int = 1 << 24) -> Drawn:
    out = Drawn(dict(sizes), patterns=dict(patterns))
    waiting: list[Any] = [*c.derived, *(a for a in c.arguments if a.role != "size")]

    def total(name: str) -> int:
        return int(out.arrays[name].astype(np.int64).sum())

    while waiting:
        later = []
        for item in waiting:
            try:
                if isinstance(item, tuple):
                    out.sizes[item[0]] = evaluate(item[1], out.sizes, total)
                elif item.role == "scalar":
                    low, high = item.range
                    x = item.value if item.value is not None else rng.uniform(low, high)
                    out.scalars[item.name] = float(rounded(item, np.array([x]))[0]) if item.dtype != "bf16" else x
                else:
                    _draw_array(c, item, out, total, rng, most_elements)
            except KeyError:
                later.append(item)
        if len(later) == len(waiting):
            raise NotAllowed(f"{c.name}: what does {later[0]} depend on?")
        waiting = later
    return out


def _draw_array(c: Contract, a: Argument, out: Drawn, total: Any, rng: np.random.Generator, most_elements: int) -> None:
    shape = tuple(evaluate(text, out.sizes, total) for text in a.shape)
    # Only data may make an array empty.
    least = 0 if any(name in tokens(text) for text in a.shape for name, _ in c.derived) else 1
    if any(n < least for n in shape):
        raise NotAllowed(f"{a.name} has shape {shape}")
    if math.prod(shape) > most_elements:
        raise NotAllowed(f"{a.name} is too large")
    kind = a.fill["distribution"]
    pattern = out.patterns.get(a.name, "usual")
    n = math.prod(shape)
    if a.is_read:
        if kind == "offsets":
            x = np.concatenate([[0], np.cumsum(out.arrays[a.fill["of"]].astype(np.int64))])
        elif kind == "sample_of":
            x = draw_samples(a, n, out.arrays[a.fill["argument"]], pattern, rng)
        elif kind == "sorted_unique":
            x = draw_keys(a, n, pattern, rng)
        elif n == 0:
            x = np.zeros(0)
        elif kind in ("integer", "lengths") or not a.floating:
            x = draw_whole(a, shape, pattern, rng)
        else:
            x = draw_real(a, shape, pattern, rng)
        out.arrays[a.name] = rounded(a, np.asarray(x).reshape(-1))
    out.shapes[a.name] = shape
