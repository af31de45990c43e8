"""Compares the winners of a search with PyTorch's best form of the same operator: one thread, in interleaved pairs.

Each form is called with tensors that it may have prepared before (another layout, an order of the products). It returns
a new one, and so does the kernel. The best form is found at each shape, and the figure is the geometric mean of
the shapes' ratios of times, by their weights: at most 1 where the kernel is as fast.

    KEVOLVE_PYTHON=… tools/bench/run torch --task conv2d --budget 25 --seeds 5
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import os
import random
import statistics
import sys
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import bench_aten
import bench_quality
import common
from common import Json
from pairs import interval_of_median, timed_pairs

Call = Callable[[], Any]
PAIRS, PAIRS_LONG = 15, 41
COMPILED = ["default", "max-autotune-no-cudagraphs"]


def forms_of_fm(torch: Any, x: Any, y: Any) -> dict[str, Callable[..., Any]]:
    return {"x (x^T y)": lambda a, b: a @ (a.mT @ b), "(x x^T) y": lambda a, b: (a @ a.mT) @ b}


def forms_of_conv1d(torch: Any, x: Any, weight: Any, bias: Any, sizes: dict[str, int]) -> dict[str, Callable[..., Any]]:
    pad = sizes["pad"]
    return {"conv1d": lambda a, w, b: torch.nn.functional.conv1d(a, w, b, padding=pad)}


def forms_of_conv2d(torch: Any) -> dict[str, Callable[..., Any]]:
    return {"conv2d": lambda a, w: torch.nn.functional.conv2d(a, w)}


def calls_of(torch: Any, task: str, tensors: list[Any], sizes: dict[str, int]) -> dict[str, Call]:
    """Returns every form of the operator, eager and compiled."""
    forms = {"optimized_fm": lambda: forms_of_fm(torch, *tensors), "conv1d": lambda: forms_of_conv1d(torch, *tensors, sizes),
             "conv2d": lambda: forms_of_conv2d(torch)}[task]()  # fmt: skip
    calls: dict[str, Call] = {}
    for name, form in forms.items():
        calls[name] = lambda form=form: form(*tensors)
        if task == "conv2d":
            last = [t.contiguous(memory_format=torch.channels_last) for t in tensors]
            calls[f"{name}, channels last"] = lambda form=form, last=last: form(*last)
        for mode in COMPILED:
            torch._dynamo.reset()
            made = torch.compile(form, mode=mode)
            try:
                made(*tensors)
            except Exception as error:  # noqa: BLE001 - a form that PyTorch cannot compile is no baseline
                common.say(f"{name}, torch.compile {mode}: {str(error).splitlines()[0]}")
                continue
            calls[f"{name}, torch.compile {mode}"] = lambda made=made: made(*tensors)
    return calls


def kernel_call(torch: Any, library: Path, task: Json, sizes: dict[str, int], tensors: list[Any], like: Any) -> Call:
    function = getattr(ctypes.CDLL(str(library)), task["reference"]["entry"])
    function.restype = None
    given = iter(tensors)
    words: list[Any] = []
    place = 0
    for a in task["argument"]:
        if a["role"] == "output":
            place = len(words)
            words.append(None)
        else:
            words.append(ctypes.c_int64(sizes[a["name"]]) if a["role"] == "size" else ctypes.c_void_p(next(given).data_ptr()))
    shape = like.shape

    def call() -> Any:
        out = torch.empty(shape)
        words[place] = ctypes.c_void_p(out.data_ptr())
        function(*words)
        return out

    return call


def at_shape(torch: Any, library: Path, task: Json, shape: Json, given: argparse.Namespace, chance: random.Random) -> Json:
    sizes = {a["name"]: int(shape[a["name"]]) for a in task["argument"] if a["role"] == "size"}
    generator = torch.Generator().manual_seed(given.seed)
    extent = lambda d: int(eval(d, {"__builtins__": {}}, dict(sizes)))  # noqa: E731, S307 - of the task's own expressions
    tensors = [bench_aten.drawn(torch, a, [extent(d) for d in a["shape"]], generator)
               for a in task["argument"] if a["role"] in ("input", "weight")]  # fmt: skip
    calls = calls_of(torch, task["task"]["name"], tensors, sizes)
    like = next(iter(calls.values()))()
    kernel = kernel_call(torch, library, task, sizes, tensors, like)
    torch.testing.assert_close(kernel(), like.contiguous(), rtol=1e-4, atol=2e-3)
    times: dict[str, Json] = {}
    with bench_aten.core_turn(given.core):
        for name, call in calls.items():
            found = timed_pairs(kernel, call, PAIRS_LONG if given.long else PAIRS, chance, bench_aten.STRETCH_NS, bench_aten.MOST_CALLS)
            ratios = [mine / theirs for mine, theirs in found]
            times[name] = {"kernel_ns": statistics.median(m for m, _ in found), "torch_ns": statistics.median(t for _, t in found),
                           "ratio": statistics.median(ratios), "interval": list(interval_of_median(ratios)[:2])}  # fmt: skip
    best = max(times, key=lambda n: times[n]["ratio"])
    return {"sizes": sizes, "weight": shape.get("weight", 1.0), "best": best, "forms": times} | times[best]


def compare(torch: Any, library: Path, task: Json, given: argparse.Namespace, chance: random.Random) -> Json:
    shapes = [at_shape(torch, library, task, s, given, chance) for s in task["shape"] if not s.get("held_out")]
    whole = sum(s["weight"] for s in shapes)
    return {"shapes": shapes, "ratio": math.exp(sum(s["weight"] * math.log(s["ratio"]) for s in shapes) / whole)}


def measure(torch: Any, name: str, given: argparse.Namespace) -> Json:
    chance = random.Random(given.seed)
    task = tomllib.loads((bench_quality.TASKS / f"{name}.task.toml").read_text(encoding="utf-8"))
    runs: list[Json] = []
    for seed in range(given.seed, given.seed + given.seeds):
        with common.scratch() as folder:
            common.say(f"{name}: seed {seed}")
            with_seed = argparse.Namespace(**vars(given) | {"seed": seed})
            done = bench_quality.campaign_of(with_seed, bench_quality.campaign_file(name, folder), given.wall, folder)
            if not done or not done["winner"]:
                continue
            found = compare(torch, folder / "kernel.so", task, given, chance)
            runs.append({"seed": seed, "speedup": done["speedup"], "candidates": done["candidates"]} | found)
    return {"task": name, "runs": runs}


def render(document: Json) -> str:
    rows = [["task", "seed", "over the reference", "time by PyTorch's best", "at each shape: ours, PyTorch's, its best form"]]
    for t in document["tasks"]:
        for r in t["runs"]:
            shapes = "; ".join(f"{common.nanoseconds(s['kernel_ns'])}, {common.nanoseconds(s['torch_ns'])}, {s['best']}" for s in r["shapes"])
            rows.append([t["task"], str(r["seed"]), f"{r['speedup']:.2f}×", f"{r['ratio']:.2f}", shapes])
    return common.table(rows)


def main() -> None:
    p = common.parser(__doc__.splitlines()[0])
    p.add_argument("--task", action="append", choices=["optimized_fm", "conv1d", "conv2d"], help="only this one; may be repeated")
    p.add_argument("--budget", type=int, default=25, help="candidates of each search")
    p.add_argument("--wall", type=int, default=300, help="most seconds of a search")
    p.add_argument("--seeds", type=int, default=1, help="searches of each task")
    p.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="the core that times (default: the last)")
    given = p.parse_args()
    python = os.environ.get("KEVOLVE_PYTHON")
    if python and python != sys.executable and not os.environ.get("KEVOLVE_BENCH_INSIDE"):
        os.environ["KEVOLVE_BENCH_INSIDE"] = "1"
        os.execv(python, [python, *sys.argv])
    try:
        import torch
    except ImportError:
        sys.exit("this Python has no torch: name one that has it by KEVOLVE_PYTHON")
    common.need(given.bin, "kevolve", "bench-winner")
    torch.set_num_threads(1)
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -10)  # as the judge's
    document = common.header("torch", given) | {"torch": torch.__version__, "budget": given.budget}
    with torch.inference_mode():
        common.each(document, given.task or ["optimized_fm", "conv1d", "conv2d"], lambda t: measure(torch, t, given))
    common.publish(common.close(document), render(document), given.json)


if __name__ == "__main__":
    main()
