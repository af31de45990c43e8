"""Times two calls in alternating pairs. It needs Python's standard library alone."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from typing import Any

Call = Callable[[], Any]


def nothing() -> None:
    """Waits for nothing: a call on the processor has ended when it returns."""


def stretch(call: Call, calls: int, wait: Call = nothing) -> float:
    """Returns the time of one call in nanoseconds; `wait` ends when the calls' work has."""
    wait()
    begun = time.perf_counter_ns()
    for _ in range(calls):
        call()
    wait()
    return (time.perf_counter_ns() - begun) / calls


def calls_for(call: Call, least_ns: float, most: int, wait: Call = nothing) -> int:
    """Returns as many calls as take so long, at least one and `most` at most."""
    call()
    once = min(stretch(call, 1, wait) for _ in range(3))
    return max(1, min(most, int(least_ns / max(once, 1.0))))


def timed_pairs(ours: Call, theirs: Call, pairs: int, draw: random.Random, least_ns: float, most: int,
                wait: Call = nothing) -> list[tuple[float, float]]:
    """Returns the times of both calls for each pair, ours first. Their order within a pair is random."""
    a, b = calls_for(ours, least_ns, most, wait), calls_for(theirs, least_ns, most, wait)
    times: list[tuple[float, float]] = []
    for _ in range(pairs):
        if draw.random() < 0.5:
            mine = stretch(ours, a, wait)
            times.append((mine, stretch(theirs, b, wait)))
        else:
            other = stretch(theirs, b, wait)
            times.append((stretch(ours, a, wait), other))
    return times


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
