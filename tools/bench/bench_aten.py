"""Compares a suite's kernels with eager PyTorch on one thread, for tasks that were made of Python functions.

Both sides get tensors and return new ones. They are called in random order, as pairs of stretches of at least 1 ms; the
figure is the median of the pairs' ratios. Where the search found nothing faster, the C function that the operator was
lowered to is the kernel.

    kevolve suite run aten --each 10s --data aten-data
    KEVOLVE_PYTHON=… tools/bench/run aten --data aten-data
"""

from __future__ import annotations

import ctypes
import fcntl
import importlib.util
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import common
from common import Json

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kevolve/bundle/python/package"))
from pairs import interval_of_median, timed_pairs  # noqa: E402 - as the package of a bundle times

STRETCH_NS = 1e6
MOST_CALLS = 2000
PAIRS, PAIRS_LONG = 15, 41
FLAGS = ["-x", "c", "-std=gnu17", "-fPIC", "-shared", "-O3", "-march=native"]  # of references, as the judge builds them


def drawn(torch: Any, argument: Json, shape: list[int], generator: Any) -> Any:
    dtype = {"f32": torch.float32, "f64": torch.float64, "i64": torch.int64, "i32": torch.int32, "bool": torch.bool, "u8": torch.uint8,
             "f16": torch.float16, "bf16": torch.bfloat16}[argument["dtype"]]  # fmt: skip
    fill = argument.get("fill", {"distribution": "normal", "mean": 0.0, "std": 1.0})
    if fill["distribution"] == "integer":
        return torch.randint(int(fill["low"]), int(fill["high"]) + 1, shape, generator=generator).to(dtype)
    if fill["distribution"] == "uniform":
        return (fill["low"] + (fill["high"] - fill["low"]) * torch.rand(shape, generator=generator)).to(dtype)
    return (fill.get("mean", 0.0) + fill.get("std", 1.0) * torch.randn(shape, generator=generator)).to(dtype)


def loaded(name: str, file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def object_of(item: Json, results: Path, task: Path, reference: str, into: Path) -> tuple[Path, str]:
    """Returns the shared object of the winner, or of the reference."""
    built = results / item["campaign"][:8] / "build.sh"
    if item["confirmed"] and built.exists():
        subprocess.run(["sh", str(built)], check=True, capture_output=True)
        return built.parent / "kernel.so", "search"
    out = into / f"{task.name}.so"
    subprocess.run(["clang-19", *FLAGS, "-o", str(out), str(task.parent / reference), "-lm"], check=True, capture_output=True)
    return out, "lowering"


def ours(torch: Any, library: Path, task: Json, inputs: list[Any]) -> Callable[[], list[Any]]:
    function = getattr(ctypes.CDLL(str(library)), task["reference"]["entry"])
    function.restype = None
    before, outputs = [], []
    given = iter(inputs)
    for a in task["argument"]:
        if a["role"] == "output":
            like = drawn(torch, a, [int(n) for n in a["shape"]], None)
            outputs.append((like.shape, like.dtype))
        else:
            before.append(ctypes.c_void_p(next(given).data_ptr()))
    function.argtypes = [ctypes.c_void_p] * len(task["argument"])

    def call() -> list[Any]:
        made = [torch.empty(shape, dtype=dtype) for shape, dtype in outputs]
        function(*before, *[m.data_ptr() for m in made])
        return made

    return call


@contextmanager
def core_turn(core: int) -> Iterator[None]:
    """Holds a core as the judge does (backends/judge/core_turn.cpp), so that neither judges nor compilers use it."""
    place = Path(f"/sys/devices/system/cpu/cpu{core}")
    gate, turn = os.open(place / "uevent", os.O_RDONLY), os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    before = os.sched_getaffinity(0)
    try:
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(turn, fcntl.LOCK_EX)
        os.close(gate)
        os.sched_setaffinity(0, {core})
        yield
    finally:
        os.sched_setaffinity(0, before)
        os.close(turn)


def compare(torch: Any, item: Json, results: Path, pairs: int, chance: random.Random, into: Path, core: int) -> Json:
    file = Path(item["file"])
    task = tomllib.loads(file.read_text(encoding="utf-8"))
    generator = torch.Generator().manual_seed(1)
    inputs = [drawn(torch, a, [int(n) for n in a["shape"]], generator) for a in task["argument"] if a["role"] != "output"]
    origins = [a["origin"] for a in task["argument"] if a["role"] != "output"]
    if any(not o.startswith("input ") for o in origins):
        raise ValueError("constants beside the inputs")
    function = getattr(loaded(task["task"]["name"], file.parent / task["module"]["file"]), task["module"]["entry"])
    order = [t for _, t in sorted(zip([int(o.split()[1]) for o in origins], inputs, strict=True), key=lambda p: p[0])]
    library, made_by = object_of(item, results, file, task["reference"]["file"], into)
    kernel = ours(torch, library, task, inputs)

    def eager() -> Any:
        return function(*order)

    made = eager()
    stores = {t.untyped_storage().data_ptr() for t in order}
    views = any(t.untyped_storage().data_ptr() in stores for t in (made if isinstance(made, (list, tuple)) else [made]))
    with core_turn(core):
        times = timed_pairs(kernel, eager, pairs, chance, STRETCH_NS, MOST_CALLS)
    ratios = [t / m for m, t in times]
    low, high, _ = interval_of_median(ratios)
    return {"operator": re.sub(r"^aten_", "", item["task"]), "kernel": made_by, "view": views, "kernel_ns": statistics.median(m for m, _ in times),
            "eager_ns": statistics.median(t for _, t in times), "speedup": statistics.median(ratios), "interval": [low, high]}  # fmt: skip


def main() -> None:
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="data directory of the suite")
    parser.add_argument("--suite", default="aten", help="its name")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="the core that times (default: the last)")
    parser.add_argument("--only", nargs="*", help="these tasks alone")
    given = parser.parse_args()
    python = os.environ.get("KEVOLVE_PYTHON")
    if python and python != sys.executable and not os.environ.get("KEVOLVE_BENCH_INSIDE"):
        os.environ["KEVOLVE_BENCH_INSIDE"] = "1"
        os.execv(python, [python, *sys.argv])
    try:
        import torch
    except ImportError:
        sys.exit("this Python has no torch: name one that has it by KEVOLVE_PYTHON")
    torch.set_num_threads(1)
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -10)  # as the judge's
    table = common.ask([given.bin / "kevolve", "suite", "table", given.suite, "--data", given.data, "--json"])
    if table is None:
        sys.exit(1)
    rows, skipped = [], {}
    chance = random.Random(given.seed)
    with torch.inference_mode(), tempfile.TemporaryDirectory() as into:
        for item in table["items"]:
            if not item["correct"] or (given.only and item["task"] not in given.only):
                continue
            try:
                rows.append(compare(torch, item, given.data / "results", PAIRS_LONG if given.long else PAIRS, chance, Path(into), given.core))
                common.say(f"{item['task']}: {rows[-1]['speedup']:.2f}")
            except (ValueError, RuntimeError, OSError, subprocess.CalledProcessError) as error:
                skipped[item["task"]] = (str(error).splitlines() or [repr(error)])[0]
    if not rows:
        sys.exit("no task of this suite was judged right")
    # A view costs eager nothing, and a kernel a copy: no comparison.
    speedups = [r["speedup"] for r in rows if not r["view"]]
    summary = {"tasks": table["tasks"], "correct": table["correct"], "compared": len(speedups), "views": len(rows) - len(speedups), "at_least_eager": sum(s >= 1 for s in speedups),
               "share": sum(s >= 1 for s in speedups) / max(1, len(speedups)), "geometric_mean": statistics.geometric_mean(speedups),
               "median": statistics.median(speedups), "by_search": sum(r["kernel"] == "search" for r in rows)}  # fmt: skip
    if given.json:
        print(json.dumps({"machine": common.processor(), "torch": torch.__version__, "command": " ".join(sys.argv), "load": os.getloadavg()[0],
                          "summary": summary, "skipped": skipped, "rows": rows}))  # fmt: skip
        return
    for r in sorted(rows, key=lambda r: r["speedup"]):
        print(f"{r['operator']:44} {r['speedup']:8.2f} [{r['interval'][0]:.2f}, {r['interval'][1]:.2f}]  "
              f"kernel {r['kernel_ns'] / 1e3:9.1f} us  eager {r['eager_ns'] / 1e3:9.1f} us  {r['kernel']}")
    print(f"{summary['correct']} of {summary['tasks']} judged right; {summary['at_least_eager']} of {summary['compared']} compared "
          f"({100 * summary['share']:.0f} %) at least as fast as eager; geometric mean {summary['geometric_mean']:.2f}")


if __name__ == "__main__":
    main()
