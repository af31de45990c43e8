"""Times the module beside eager PyTorch and torch.compile, on one thread: python -m NAME bench."""

from __future__ import annotations

import json
import math
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

from .guards import judged_for
from .inputs import drawn, model_and_call, reference_class
from .model import JUDGED, ModelNew
from .plan import PLAN

LEAST_S = 2e-3  # a timed stretch has as many calls as take so long
COMPILE_MODES = {"torch.compile": "default", "torch.compile max-autotune": "max-autotune"}


@dataclass
class Row:
    """A baseline: medians of one call's time, and the median of the pairs' ratios with its interval."""

    baseline: str
    unavailable: str = ""
    baseline_ns: float = 0.0
    kernel_ns: float = 0.0
    speedup: float = 0.0
    low: float = 0.0
    high: float = 0.0
    coverage: float = 0.0
    ratios: list[float] = field(default_factory=list)


def interval_of_median(values: list[float], wanted: float = 0.95) -> tuple[float, float, float]:
    """Returns the narrowest interval of order statistics with that coverage, and its coverage. The widest if none has."""
    x, n = sorted(values), len(values)
    best = 0
    total = 0.0
    for k in range(n // 2):
        total += math.comb(n, k) / 2**n
        if 1 - 2 * total < wanted:
            break
        best = k
    outside = sum(math.comb(n, k) for k in range(best + 1)) / 2**n
    return x[best], x[n - 1 - best], max(0.0, 1 - 2 * outside)


def stretch(call: Callable[[], Any], calls: int) -> float:
    """Returns the time of one call in nanoseconds."""
    begun = time.perf_counter_ns()
    for _ in range(calls):
        call()
    return (time.perf_counter_ns() - begun) / calls


def calls_for(call: Callable[[], Any]) -> int:
    call()
    once = min(stretch(call, 1) for _ in range(3))
    return max(1, min(10_000, int(LEAST_S * 1e9 / max(once, 1.0))))


def pairs_of(row: Row, ours: Callable[[], Any], theirs: Callable[[], Any], pairs: int, draw: random.Random) -> None:
    a, b = calls_for(ours), calls_for(theirs)
    times: list[tuple[float, float]] = []
    for _ in range(pairs):
        if draw.random() < 0.5:
            mine = stretch(ours, a)
            times.append((mine, stretch(theirs, b)))
        else:
            other = stretch(theirs, b)
            times.append((stretch(ours, a), other))
    row.kernel_ns = statistics.median(m for m, _ in times)
    row.baseline_ns = statistics.median(t for _, t in times)
    row.ratios = [t / m for m, t in times]
    row.speedup = statistics.median(row.ratios)
    row.low, row.high, row.coverage = interval_of_median(row.ratios)


def baselines(model: torch.nn.Module, without: list[str]) -> dict[str, Callable[..., Any]]:
    out: dict[str, Callable[..., Any]] = {"eager": model}
    for name, mode in COMPILE_MODES.items():
        if mode not in without and name not in without:
            out[name] = torch.compile(model, mode=mode)
    return out


def measure(pairs: int, case: int, without: list[str]) -> list[Row]:
    torch.set_num_threads(1)
    draw = random.Random(1)
    reference, call = model_and_call(reference_class(), PLAN.cases[case], 1)
    model, _ = model_and_call(ModelNew, PLAN.cases[case], 1)
    rows = []
    with torch.inference_mode():
        for name, baseline in baselines(reference, without).items():
            row = Row(name)
            rows.append(row)
            try:
                baseline(*call)
            except Exception as error:  # noqa: BLE001 - a compiler may be missing, in many ways
                row.unavailable = str(error).strip().splitlines()[-1][:200] if str(error).strip() else repr(error)
                continue
            pairs_of(row, lambda: model(*call), lambda b=baseline: b(*call), pairs, draw)  # type: ignore[misc]
    return rows


def headline(rows: list[Row]) -> str:
    """Compares with the best baseline; begins with the fact that it is slower, where it is."""
    timed = [r for r in rows if not r.unavailable]
    best = min(timed, key=lambda r: r.speedup)
    rest = f"{best.low:.2f} to {best.high:.2f}, {100 * best.coverage:.1f} % interval of {len(best.ratios)} pairs, one thread"
    compiled = [r for r in timed if r.baseline in COMPILE_MODES]
    slower = [r for r in compiled if r.speedup < 1.0]
    if slower:
        worst = min(slower, key=lambda r: r.speedup)
        return f"slower than torch.compile: {worst.speedup:.2f} times as fast as {worst.baseline} ({rest})"
    if best.speedup < 1.0:
        return f"slower than {best.baseline}: {best.speedup:.2f} times as fast ({rest})"
    if best.low <= 1.0:
        return f"not shown to be faster than {best.baseline}: {best.speedup:.2f} times as fast ({rest})"
    note = "" if compiled else "; torch.compile was not timed"
    return f"{best.speedup:.2f} times as fast as {best.baseline}, the best baseline ({rest}){note}"


def main(pairs: int, case: int, without: list[str], as_json: bool) -> int:
    if pairs < 1 or not 0 <= case < len(PLAN.cases):
        print(f"--pairs must be at least 1, and --case from 0 to {len(PLAN.cases) - 1}")
        return 2
    rows = measure(pairs, case, without)
    served = JUDGED.usable and judged_for(drawn(PLAN.cases[case], 1)) is not None
    said = headline(rows) if served else "the kernel does not run here: the reference was timed against itself"
    if as_json:
        print(json.dumps({"headline": said, "case": PLAN.cases[case].name, "kernel": served, "rows": [asdict(r) for r in rows]}))
        return 0 if served else 1
    print(f"{PLAN.name}, {PLAN.cases[case].name}: {said}")
    for r in rows:
        if r.unavailable:
            print(f"  {r.baseline:28} unavailable: {r.unavailable}")
        else:
            print(
                f"  {r.baseline:28} {r.baseline_ns / 1e3:12.1f} µs, kernel {r.kernel_ns / 1e3:12.1f} µs: "
                f"{r.speedup:.3f} ({r.low:.3f} to {r.high:.3f})"
            )
    return 0 if served else 1
