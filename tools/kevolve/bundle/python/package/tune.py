"""Chooses a kernel for each judged shape by times on this GPU: python -m NAME tune."""

from __future__ import annotations

import json
import random
import statistics
from typing import Any

import torch

from .bench import LEAST_NS, MOST_CALLS, captured, wait
from .comparison import errors
from .cpu_object import own_build
from .cuda_object import CUDA
from .guards import CASES
from .inputs import drawn, model_and_call, reference_class
from .model import JUDGED, prepare
from .pairs import timed_pairs
from .plan import PLAN

LEAST = 0.95  # times as fast as the reference: a slower kernel is not chosen


def speedups_of(index: int, pairs: int, draw: random.Random) -> dict[int, float]:
    """Returns each kernel's speed-up over the reference at that case, both in a CUDA graph. Wrong kernels are left out."""
    case, values = CASES[index], drawn(PLAN.cases[index], 1)
    reference, call = model_and_call(reference_class(), PLAN.cases[index], 1)
    out: dict[int, float] = {}
    assert CUDA is not None
    with torch.inference_mode():
        theirs = captured(lambda: reference(*call))
        for which in range(len(CUDA.kernels)):
            if errors(reference, call, CUDA.run(which, values, case)):
                continue
            mine = captured(lambda which=which: CUDA.run(which, values, case))  # type: ignore[misc, union-attr]
            times = timed_pairs(mine, theirs, pairs, draw, LEAST_NS, MOST_CALLS, wait)
            out[which] = statistics.median(t / m for m, t in times)
    return out


def choice(speedups: dict[int, float]) -> int | None:
    """Returns the fastest kernel; None: each is slower than LEAST allows, and the reference runs."""
    fast = {k: s for k, s in speedups.items() if s >= LEAST}
    return max(fast, key=lambda k: fast[k]) if fast else None


def main(pairs: int, as_json: bool) -> int:
    prepare()
    if CUDA is None or not JUDGED.usable:
        print(f"{PLAN.name} has no kernel that runs on a GPU here")
        return 1
    draw = random.Random(1)
    rows: list[dict[str, Any]] = []
    for i, case in enumerate(PLAN.cases):
        speedups = speedups_of(i, pairs, draw)
        chosen = choice(speedups)
        rows.append({"case": case.name, "held_out": case.held_out, "kernel": chosen, "speedups": {str(k): s for k, s in speedups.items()}})
    folder = own_build()
    folder.mkdir(parents=True, exist_ok=True)
    table = {"device": torch.cuda.get_device_name(), "kernels": [r["kernel"] for r in rows]}
    part = folder / "table.json.part"
    part.write_text(json.dumps(table), encoding="utf-8")
    part.replace(folder / "table.json")
    if as_json:
        print(json.dumps({"table": str(folder / "table.json"), "device": table["device"], "rows": rows}))
        return 0
    for r in rows:
        best = "the reference" if r["kernel"] is None else f"candidate {PLAN.device_kernels[r['kernel']].candidate}"
        times = ", ".join(f"{PLAN.device_kernels[int(k)].candidate}: {s:.2f}" for k, s in r["speedups"].items())
        print(f"{r['case']}{' (held out)' if r['held_out'] else ''}: {best} runs; times as fast as the reference: {times or 'none is right'}")
    print(f"{folder / 'table.json'}: taken from the next import on")
    return 0
