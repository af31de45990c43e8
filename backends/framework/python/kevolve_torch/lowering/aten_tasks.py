"""`aten-tasks --out DIR`: a task for each operator of the list, from one of PyTorch's own samples, enlarged."""

from __future__ import annotations

import argparse
import difflib
import json
import math
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from ..run_c import Compiled
from ..task_file import task_text
from .graph import lower
from .program import Lowered, Unsupported
from .samples import DTYPES, Call, Entry, Sample, entries, identifier, inputs_of, opinfos, samples

ELEMENTS = 64 * 1024  # of the largest tensor, where shapes can grow
MOST = 4 * 1024 * 1024  # of all tensors together
TRIES = 8  # samples of an operator
DRAWS, DRAWS_OF_FEW = 2, 24  # that a tolerance is measured on; the latter of results with few elements
WHOLE = {"distribution": "integer", "low": -2, "high": 2}  # for comparisons, which else nearly never hold
# Operators whose first tensor grows by itself: the others hold kernels or channels.
SPATIAL = re.compile(r"conv|pool|interpolate|upsample|pixel|unfold|fold|pad|grid|group_norm|batch_norm|instance_norm")
# Operators whose lists of numbers are extents of their tensors.
SHAPED = re.compile(r"layer_norm|rms_norm|view|reshape|expand|broadcast_to|unflatten")
FAMILIES = (("conv", "convolution"), ("pool", "pooling"), ("softmax", "softmax"), ("norm", "normalisation"), ("mm", "matmul"), ("matmul", "matmul"),
            ("attention", "attention"), ("embedding", "gather"), ("gather", "gather"), ("index", "gather"), ("scatter", "scatter"), ("cum", "scan"),
            ("sort", "sort"), ("topk", "sort"), ("sum", "reduction"), ("mean", "reduction"), ("amax", "reduction"), ("var", "reduction"))  # fmt: skip


class Skipped(Exception):
    """An operator that gets no task; the text says why."""


def fill_of(op: Any, t: torch.Tensor, mild: bool) -> dict[str, Any]:
    """Returns how an input is drawn: in the operator's domain, indices and other whole numbers in the sample's range."""
    if t.dtype == torch.bool:
        return {"distribution": "integer", "low": 0, "high": 1}
    if not t.dtype.is_floating_point:
        return {"distribution": "integer", "low": int(t.min()), "high": max(int(t.max()), int(t.min()) + 1)}
    if mild:
        return {"distribution": "uniform", "low": 0.5, "high": 1.5}
    low, high = getattr(op, "domain", None) or (None, None)
    if low is not None or high is not None:
        low = max(low, -4.0) if low is not None else -4.0
        high = min(high, 4.0) if high is not None else max(4.0, low + 4.0)
        margin = 0.01 * (high - low)
        return {"distribution": "uniform", "low": low + margin, "high": high - margin}
    if 0 <= float(t.min()) and float(t.max()) <= 1 and t.numel() > 8:
        return {"distribution": "uniform", "low": 0.05, "high": 0.95}
    if float(t.min()) >= 0 and t.numel() > 1:
        return {"distribution": "uniform", "low": 0.1, "high": 2.0}
    return {"distribution": "normal", "mean": 0.0, "std": 1.0}


def drawn(fill: dict[str, Any], shape: Any, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    if fill["distribution"] == "integer":
        return torch.randint(fill["low"], fill["high"] + 1, tuple(shape), generator=generator).to(dtype)
    if fill["distribution"] == "uniform":
        return (fill["low"] + (fill["high"] - fill["low"]) * torch.rand(tuple(shape), generator=generator)).to(dtype)
    return (fill["mean"] + fill["std"] * torch.randn(tuple(shape), generator=generator)).to(dtype)


def largest(shapes: list[list[int]]) -> int:
    return max(torch.Size(s).numel() for s in shapes)


def runs(sample: Sample, shapes: list[list[int]]) -> list[torch.Tensor] | None:
    """Returns the results for tensors of these shapes, or None if the operator refuses them."""
    tensors = []
    for t, shape in zip(sample.tensors, shapes, strict=True):
        if list(t.shape) == shape:
            tensors.append(t)
            continue
        flat = t.reshape(-1)
        count = torch.Size(shape).numel()
        tensors.append(flat.repeat(-(-count // flat.numel()))[:count].reshape(shape))
    try:
        made = sample.results_of(tensors)
    except Exception:  # noqa: BLE001 - whatever a wrong shape leads to
        return None
    return made if made and all(m.numel() for m in made) else None


def steps(shapes: list[list[int]], spatial: bool) -> list[list[list[int]]]:
    """Returns shapes with one thing doubled: a dim of the first tensor, or all dims of one extent."""
    alone = []
    for d in range(len(shapes[0])):
        alone.append([[n * 2 if k == d else n for k, n in enumerate(s)] if t == 0 else list(s) for t, s in enumerate(shapes)])
    tied = []
    for extent in sorted({n for s in shapes for n in s if n > 1}):
        tied.append([[n * 2 if n == extent else n for n in s] for s in shapes])
    return alone if spatial else tied


def doubled(sample: Sample, before: list[list[int]], after: list[list[int]]) -> Sample:
    """Returns the sample with shapes among its other arguments changed as the tensors are."""
    extents = {n: m for s, t in zip(before, after, strict=True) for n, m in zip(s, t, strict=True) if n != m}
    leaves = list(sample.call.leaves)
    for place in sample.lists:
        leaves[place] = extents.get(leaves[place], leaves[place])
    return Sample(Call(sample.call.function, leaves, sample.call.spec, sample.call.places), sample.tensors, sample.lists)


def enlarged(sample: Sample, spatial: bool, shaped: bool) -> tuple[Sample, list[list[int]]]:
    """Returns the sample and shapes in which the largest tensor has ELEMENTS elements, if the operator takes such."""
    shapes = [list(t.shape) for t in sample.tensors]
    results = runs(sample, shapes)
    for mode in (spatial, not spatial):
        grown = results is not None
        while grown:
            grown = False
            for n in range(len(steps(shapes, mode))):
                if results is None or largest([*shapes, *[list(r.shape) for r in results]]) >= ELEMENTS:
                    return sample, shapes
                wanted = steps(shapes, mode)
                if n >= len(wanted):
                    break
                changed = doubled(sample, shapes, wanted[n]) if shaped and not mode else sample
                made = runs(changed, wanted[n])
                if made is None or sum(torch.Size(s).numel() for s in wanted[n]) + sum(m.numel() for m in made) > MOST:
                    continue
                sample, shapes, results, grown = changed, wanted[n], made, True
    return sample, shapes


def tolerance(answer: torch.Tensor, exact: torch.Tensor) -> tuple[float, float]:
    """Returns (relative, absolute): 1e-5, and ten times the reference's own error beyond that."""
    exact = exact.double()
    beyond = float(((answer.double() - exact).abs() - 1e-5 * exact.abs()).max())
    size = float(exact.abs().max())
    return 1e-5, float(f"{max(10 * beyond, 2e-7 * size, 1e-30):.1e}")


def measured(sample: Sample, exported: Any, lowered: Lowered, fills: list[dict[str, Any]], shapes: list[list[int]],
             results: list[torch.Tensor]) -> dict[str, tuple[float, float]]:  # fmt: skip
    """Returns each floating output's tolerance, the widest of several draws: of few elements one draw says little."""
    compiled = Compiled([lowered.text])
    outputs = [a for a in lowered.arguments if a.role == "output"]
    out: dict[str, tuple[float, float]] = {}
    generator = torch.Generator().manual_seed(2)
    for _ in range(DRAWS_OF_FEW if min(r.numel() for r in results) < 1024 else DRAWS):
        tensors = [drawn(f, s, t.dtype, generator) for f, s, t in zip(fills, shapes, sample.tensors, strict=True)]
        exact = exact_results(sample, tensors, results)
        for a, y, x in zip(outputs, compiled.call(lowered, inputs_of(lowered, exported, tensors)), exact, strict=True):
            if y.dtype.is_floating_point:
                out[a.name] = max(out.get(a.name, (0.0, 0.0)), tolerance(y, x))
    return out


def source_of(exported: Any, name: str) -> str:
    """Returns the Python text of a function that does what the exported graph does."""
    code = exported.graph_module.code
    head = re.search(r"def forward\(self,?\s*(.*?)\):", code)
    body = code[head.end() :] if head else ""
    names = [n.strip() for n in head.group(1).split(",")] if head else []
    body = re.sub(r"return \((\w+),\)", r"return \1", body)
    body = re.sub(r";\s+\w+(?: = \w+)* = None", "", body).rstrip()
    lines = ["import torch", "from math import inf, nan  # noqa: F401", "from torch import device  # noqa: F401", "", "",
             f"def {name}({', '.join(names)}):", *[line for line in body.splitlines() if line.strip()]]  # fmt: skip
    return "\n".join(lines) + "\n"


def family_of(name: str) -> str:
    return next((family for word, family in FAMILIES if word in name), "elementwise")


def good_samples(op: Any, dtype: torch.dtype, name: str) -> Iterator[Sample]:
    """Yields the samples that can be lowered and use all their tensors, those with the most dims and elements first."""
    found = sorted(samples(op, dtype, 12), key=lambda s: (-max(t.dim() for t in s.tensors), -sum(t.numel() for t in s.tensors)))
    for s in found:
        try:
            exported = torch.export.export(s.call, tuple(s.tensors), strict=False)
            lowered = lower(exported, name)
        except Exception:  # noqa: BLE001 - the next sample may do
            continue
        if {a.origin for a in lowered.arguments if a.role == "input"} == {f"input {n}" for n in range(len(s.tensors))}:
            yield s


def make(entry: Entry, out: Path) -> tuple[Lowered, list[list[int]]]:
    """Writes the task of one operator; raises Skipped."""
    op = opinfos()[entry.opinfo]
    torch.manual_seed(0)
    why = "no sample can be lowered"
    small: list[tuple[Sample, list[list[int]]]] = []
    for n, found in enumerate(good_samples(op, DTYPES[entry.dtypes[0]], "f")):
        if n == TRIES:
            break
        sample, shapes = enlarged(found, bool(SPATIAL.search(entry.opinfo)), bool(SHAPED.search(entry.opinfo)))
        if largest(shapes) < ELEMENTS:
            small.append((sample, shapes))
            continue
        try:
            return make_from(entry, op, sample, shapes, out)
        except Skipped as e:
            why = str(e)
    for sample, shapes in small:
        try:
            return make_from(entry, op, sample, shapes, out)
        except Skipped as e:
            why = str(e)
    raise Skipped(why)


def make_from(entry: Entry, op: Any, sample: Sample, shapes: list[list[int]], out: Path) -> tuple[Lowered, list[list[int]]]:
    name = f"aten_{identifier(entry.name)}"
    fills: list[dict[str, Any]] = []
    compares = not any(r.dtype.is_floating_point for r in runs(sample, shapes) or [])
    for mild in (False, True):
        generator = torch.Generator().manual_seed(1)
        fills = [WHOLE if compares and t.dtype.is_floating_point else fill_of(op, t, mild) for t in sample.tensors]
        tensors = [drawn(f, s, t.dtype, generator) for f, s, t in zip(fills, shapes, sample.tensors, strict=True)]
        try:
            results = sample.results_of(tensors)
        except Exception as e:
            raise Skipped(f"the enlarged sample is refused: {str(e).splitlines()[0]}") from e
        if all(bool(r.isfinite().all()) for r in results if r.dtype.is_floating_point):
            break
    else:
        raise Skipped("results that are not finite")
    if all(any(r.dtype == t.dtype and torch.equal(r.reshape(-1), t.reshape(-1)[: r.numel()]) for t in tensors) for r in results):
        raise Skipped("results are copies of its inputs: the judge refuses such tasks")
    exported = torch.export.export(sample.call, tuple(tensors), strict=False)
    text = source_of(exported, name)
    lowered = lower(exported, name)
    if any(a.dtype == "i16" for a in lowered.arguments):
        raise Skipped("elements of type i16, which tasks do not have")
    tolerances = measured(sample, exported, lowered, fills, shapes, results)
    by_name = {a.name: fills[int(a.origin.split()[1])] for a in lowered.arguments if a.role == "input"}
    summary = f"{entry.name} of PyTorch, from the sample of OpInfo {entry.opinfo}"
    task = task_text(name, family_of(entry.opinfo), summary, lowered.arguments, reference=f"{name}.c", fills=by_name, tolerances=tolerances,
                     module={"file": f"{name}.py", "entry": name, "kind": "function"},
                     oracle=f"{name}.oracle.c" if lowered.oracle else None)  # fmt: skip
    if lowered.oracle:
        (out / f"{name}.oracle.c").write_text(lowered.oracle, encoding="utf-8")
    (out / f"{name}.task.toml").write_text(task, encoding="utf-8")
    (out / f"{name}.c").write_text(lowered.text, encoding="utf-8")
    (out / f"{name}.py").write_text(text, encoding="utf-8")
    return lowered, shapes


def exact_results(sample: Sample, tensors: list[torch.Tensor], results: list[torch.Tensor]) -> list[torch.Tensor]:
    """Returns results computed in double, where the operator takes it."""
    try:
        made = sample.results_of([t.double() if t.dtype.is_floating_point else t for t in tensors])
        return made if [m.shape for m in made] == [r.shape for r in results] else results
    except Exception:  # noqa: BLE001 - not every operator takes every type
        return results


def counted(task: str) -> tuple[list[str], int]:
    """Returns the dtypes of a task's arguments and the elements of its largest, from the file's text."""
    shapes = re.findall(r"^shape = \[(.*)\]$", task, re.MULTILINE)
    sizes = [math.prod(int(n) for n in re.findall(r"\d+", s)) for s in shapes]
    return re.findall(r'^dtype = "(\w+)"$', task, re.MULTILINE), max(sizes, default=1)


def is_there(out: Path, name: str) -> bool:
    """Tells whether an operator's task was written whole: the Python file is the last."""
    return (out / f"{name}.task.toml").exists() and (out / f"{name}.py").exists()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="aten-tasks", description=__doc__)
    parser.add_argument("--out", required=True, type=Path, help="folder that the tasks are written to")
    parser.add_argument("--only", nargs="*", help="these operators alone")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    try:
        opinfos()
    except ModuleNotFoundError as e:
        print(f"aten-tasks: PyTorch's samples need the package {e.name}: pip install {e.name}", file=sys.stderr)
        return 1
    listed = [e.name for e in entries()]
    if unknown := [name for name in given.only or [] if name not in listed]:
        near = difflib.get_close_matches(unknown[0], listed, 1)
        print(f"aten-tasks: --only: '{unknown[0]}' is not in the list" + (f"; did you mean '{near[0]}'?" if near else ""), file=sys.stderr)
        return 2
    given.out.mkdir(parents=True, exist_ok=True)
    wanted = [e for e in entries() if not given.only or e.name in given.only]
    items: list[dict[str, Any]] = []
    dtypes: Counter[str] = Counter()
    elements: Counter[str] = Counter()
    for n, entry in enumerate(wanted):
        name = f"aten_{identifier(entry.name)}"
        item: dict[str, Any] = {"operator": entry.name, "opinfo": entry.opinfo, "state": "there", "task": f"{name}.task.toml", "reason": None}
        if not is_there(given.out, name):
            try:
                make(entry, given.out)
                item["state"] = "made"
            except (Skipped, Unsupported, RuntimeError) as e:
                item |= {"state": "refused", "task": None, "reason": str(e).splitlines()[0]}
        if item["task"]:
            item["dtypes"], item["elements"] = counted((given.out / item["task"]).read_text(encoding="utf-8"))
            dtypes.update(item["dtypes"])
            elements["at least 64 Ki" if item["elements"] >= ELEMENTS else "at least 4 Ki" if item["elements"] >= 4096 else "fewer"] += 1
        items.append(item)
        if not given.quiet:
            print(f"[{n + 1}/{len(wanted)}] {entry.name}: {item['state']}" + (f": {item['reason']}" if item["reason"] else ""), file=sys.stderr, flush=True)
    states = Counter(i["state"] for i in items)
    counts = {s: states[s] for s in ("made", "there", "refused")}
    if given.json:
        print(json.dumps({**counts, "dtypes": dict(dtypes), "elements": dict(elements), "items": items}))
    else:
        print(f"{counts['made']} made, {counts['there']} there already, {counts['refused']} without a task")
        print("arguments by dtype: " + ", ".join(f"{k} {v}" for k, v in dtypes.most_common()))
        print("tasks by the elements of the largest array: " + ", ".join(f"{k} {v}" for k, v in elements.most_common()))
    return 0 if counts["made"] + counts["there"] else 1
