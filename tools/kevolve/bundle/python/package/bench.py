"""Times the module beside eager PyTorch and torch.compile: python -m NAME bench. On a processor, with one thread."""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

from .guards import judged_for
from .inputs import DEVICE, drawn, model_and_call, reference_class
from .model import JUDGED, ModelNew
from .pairs import interval_of_median, nothing, timed_pairs
from .plan import PLAN

ON_GPU = DEVICE == "cuda"
LEAST_NS = 1e7 if ON_GPU else 2e6  # a timed stretch has as many calls as take so long
MOST_CALLS = 10_000
GRAPH = "eager in a CUDA graph"
COMPILE_MODES = {"torch.compile": "default", "torch.compile max-autotune": "max-autotune"}
if ON_GPU:
    COMPILE_MODES["torch.compile max-autotune-no-cudagraphs"] = "max-autotune-no-cudagraphs"
AS_GRAPHS = (GRAPH, "torch.compile max-autotune")  # the kernel is captured in a graph there, too
WHERE = "on the GPU" if ON_GPU else "one thread"
wait: Callable[[], Any] = torch.cuda.synchronize if ON_GPU else nothing


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


def pairs_of(row: Row, ours: Callable[[], Any], theirs: Callable[[], Any], pairs: int, draw: random.Random) -> None:
    times = timed_pairs(ours, theirs, pairs, draw, LEAST_NS, MOST_CALLS, wait)
    row.kernel_ns = statistics.median(m for m, _ in times)
    row.baseline_ns = statistics.median(t for _, t in times)
    row.ratios = [t / m for m, t in times]
    row.speedup = statistics.median(row.ratios)
    row.low, row.high, row.coverage = interval_of_median(row.ratios)


def captured(call: Callable[[], Any]) -> Callable[[], Any]:
    """Returns the replay of a CUDA graph of one call."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = call()

    def replay(of: Any = kept) -> None:  # the graph's outputs live as long as the replay
        graph.replay()

    return replay


def baselines(model: torch.nn.Module, call: tuple[Any, ...], without: list[str]) -> dict[str, Callable[[], Any]]:
    """Returns what prepares each baseline: a function that returns its call."""

    def compiled(mode: str) -> Callable[[], Any]:
        made = torch.compile(model, mode=mode)
        made(*call)
        return lambda: made(*call)

    out: dict[str, Callable[[], Any]] = {"eager": lambda: lambda: model(*call)}
    if ON_GPU:
        out[GRAPH] = lambda: captured(lambda: model(*call))
    out.update((name, lambda mode=mode: compiled(mode)) for name, mode in COMPILE_MODES.items())
    return {name: make for name, make in out.items() if name not in without and COMPILE_MODES.get(name) not in without}


def measure(pairs: int, case: int, without: list[str]) -> list[Row]:
    torch.set_num_threads(1)
    draw = random.Random(1)
    reference, call = model_and_call(reference_class(), PLAN.cases[case], 1)
    model, _ = model_and_call(ModelNew, PLAN.cases[case], 1)
    rows = []
    with torch.inference_mode():
        for name, make in baselines(reference, call, without).items():
            row = Row(name)
            rows.append(row)
            try:
                baseline = make()
                baseline()
                ours = captured(lambda: model(*call)) if ON_GPU and name in AS_GRAPHS else lambda: model(*call)
            except Exception as error:  # noqa: BLE001 - a compiler may be missing, in many ways
                row.unavailable = str(error).strip().splitlines()[-1][:200] if str(error).strip() else repr(error)
                continue
            pairs_of(row, ours, baseline, pairs, draw)
    return rows


def headline(rows: list[Row]) -> str:
    """Compares with the best baseline; begins with the fact that it is slower, where that is shown."""
    timed = [r for r in rows if not r.unavailable]
    compiled = [r for r in timed if r.baseline in COMPILE_MODES]
    slower = [r for r in compiled if r.high < 1.0]
    said = min(slower or timed, key=lambda r: r.speedup)
    rest = f"{said.low:.2f} to {said.high:.2f}, {100 * said.coverage:.1f} % interval of {len(said.ratios)} pairs, {WHERE}"
    if slower:
        return f"slower than torch.compile: {said.speedup:.2f} times as fast as {said.baseline} ({rest})"
    if said.high < 1.0:
        return f"slower than {said.baseline}: {said.speedup:.2f} times as fast ({rest})"
    if said.low <= 1.0:
        return f"not shown to be faster than {said.baseline}: {said.speedup:.2f} times as fast ({rest}); give more --pairs"
    note = "" if compiled else "; torch.compile was not timed"
    return f"{said.speedup:.2f} times as fast as {said.baseline}, the best baseline ({rest}){note}"


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
