"""Device candidates: their faults, and kernels appended to their plans that spoil what right ones gave."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import faults, inputs, mutate_c, mutate_triton
from .contract import C_TYPES, Argument, Contract
from .mutants import Mutant
from .originals import ROOT, Original
from .search import Hint
from .syntax import CUDA_FLAGS

TASKS = ROOT / "config" / "tasks" / "gpu"
OWN = ROOT / "tests" / "mutation" / "gpu"
KERNELS = [ROOT / "docs" / "results" / "gpu", ROOT / "config" / "examples" / "gpu"]
HONEST = ROOT / "tests" / "cuda" / "honest"
# These kernels differ in how they compute; the others differ in what else they do.
HONEST_KERNELS = ["plain", "counts_its_blocks", "four_at_once", "large_shared", "whole_grid", "zeroed_scratch"]
ENDINGS = {"cuda": ".cu", "triton": ".py"}
DEVICE_TYPES = C_TYPES | {"f16": "__half", "bf16": "__nv_bfloat16"}


def plan_of(text: str) -> dict[str, Any]:
    start = text.index("launch plan") + len("launch plan")
    end = re.search(r'\*/|"""', text[start:])
    return tomllib.loads(text[start:end.start() + start if end else len(text)])


def launchable(text: str) -> bool:
    """Tells whether the search for witnesses can launch it: it knows neither clusters nor tensor maps."""
    plan = plan_of(text)
    return "tensor_map" not in plan and not any("cluster" in k for k in plan["kernel"])


def task_files(target: str, names: list[str] | None) -> list[Path]:
    every = {p.name.removesuffix(".task.toml"): p for folder in (TASKS, OWN) for p in sorted(folder.glob("*.task.toml"))}
    chosen = names or [n for n, p in every.items() if any(candidates(n, target))]
    return [every.get(n, Path(n)) for n in chosen]


def candidates(task: str, target: str) -> Iterator[tuple[str, Path]]:
    ending = ENDINGS[target]
    for folder in KERNELS:
        for stem in (task, f"{task}_{target}"):
            if (file := folder / f"{stem}{ending}").exists():
                yield f"{folder.parent.name}/{file.stem}", file
    if task == "iterate" and target == "cuda":
        for stem in HONEST_KERNELS:
            yield f"honest/{stem}", HONEST / f"{stem}.cu"


def originals(c: Contract, target: str) -> Iterator[Original]:
    for name, file in candidates(c.path.name.removesuffix(".task.toml"), target):
        text = file.read_text(encoding="utf-8")
        if launchable(text):
            yield Original(name, target, "", text)


def mutants_of(c: Contract, o: Original) -> list[Mutant]:
    if o.language == "triton":
        return [*mutate_triton.mutations(o.source), *appended(c, o.source, triton_spoiler)]
    return [*mutate_c.Mutations(o.source, CUDA_FLAGS, "kernel.cu", mutate_c.DEVICE_HELPERS).all(),
            *appended(c, o.source, cuda_spoiler)]


def appended(c: Contract, source: str, spoiler: Any) -> Iterator[Mutant]:
    """Size, value and state: the plan gets a last kernel that spoils one element where the condition holds."""
    target = next((a for a in c.arguments if a.is_written and faults.count_of(c, a)), None)
    if target is None:
        return
    for s in c.sizes:
        for condition, sizes in ((f"{s} % 8 == 0", [8, 16, 64]), (f"{s} < 4", [1, 2, 3]), (f"{s} == 1", [1]), (f"{s} == 2", [2]),
                                 (f"{s} % 16 == 15", [15, 31]), (f"{s} == 33", [33]), (f"{s} > 8 and {s} < 16", [9, 12, 15])):
            yield spoiler(c, source, target, "size", condition, None, "", Hint(sizes={s: sizes}))
    for a in c.arguments:
        if not a.is_read or not a.floating or faults.count_of(c, a) is None:
            continue
        few = {s: [1, 2, 3, 4, 5, 7, 8] for s in c.sizes}
        for name, pattern in (("all equal", "equal"), ("sorted", "sorted"), ("reversed", "reversed"), ("all zero", "zeros"), ("one hot", "single")):
            if pattern in inputs.patterns_of(a) and (pattern not in ("zeros", "single") or faults.allows(a, "zeros")):
                yield spoiler(c, source, target, "value", name, a, "", Hint(patterns={a.name: pattern}, sizes=few))
    if spoiler is triton_spoiler:
        return  # Triton has no variables that outlive a call
    for calls in (1, 3, 25, 60):
        yield spoiler(c, source, target, "state", f"after {calls} calls", None, str(calls), Hint(calls=calls + 2))


CUDA_TESTS = {"all equal": "x[i_] == x[0]", "sorted": "i_ == 0 || x[i_ - 1] <= x[i_]", "reversed": "i_ == 0 || x[i_ - 1] >= x[i_]",
              "all zero": "x[i_] == 0.0f"}
IN_ORDER = ("tl.min((tl.load({x} + i_, mask=i_ + 1 < n_, other=0.0) %s tl.load({x} + i_ + 1, mask=i_ + 1 < n_, other=0.0)).to(tl.int32), "
            "axis=0) == 1")
TRITON_TESTS = {"all equal": "tl.min((v_ == tl.load({x})).to(tl.int32), axis=0) == 1", "all zero": "tl.min((v_ == 0).to(tl.int32), axis=0) == 1",
                "one hot": "(tl.sum((v_ != 0).to(tl.int32), axis=0) == 1) & (n_ > 2)", "sorted": IN_ORDER % "<=", "reversed": IN_ORDER % ">="}


def kernel_entry(names: list[str], block: bool) -> str:
    listed = ", ".join(f'"{n}"' for n in names)
    return f'\n[[kernel]]\nname = "mutant_spoil"\ngrid = [1]\n{"block = [256]" if block else ""}\narguments = [{listed}]\n'


def cuda_spoiler(c: Contract, source: str, target: Argument, kind: str, condition: str, a: Argument | None, calls: str, hint: Hint) -> Mutant:
    names = [target.name, *([a.name] if a else []), *c.sizes]
    count = faults.count_of(c, target)
    parameters = [f"{DEVICE_TYPES[target.dtype]} *{target.name}", *([f"const {DEVICE_TYPES[a.dtype]} *{a.name}"] if a else []),
                  *(f"long long {s}" for s in c.sizes)]
    if calls:
        test = f"__shared__ unsigned long long before; if (threadIdx.x == 0) before = mutant_calls++; __syncthreads(); const int holds = before >= {calls};"
    elif a is None:
        test = f"const int holds = {condition.replace(' and ', ' && ')};"
    elif condition == "one hot":
        test = (f"const long long n_ = {faults.count_of(c, a)}; int hits_ = 0; for (long long i_ = threadIdx.x; i_ < n_ && hits_ < 2; i_ += 256) "
                f"hits_ += (float){a.name}[i_] != 0.0f; const int ones_ = __syncthreads_count(hits_ == 1); "
                "const int more_ = __syncthreads_or(hits_ > 1); const int holds = n_ > 2 && ones_ == 1 && !more_;")
    else:
        each = re.sub(r"x\[([^]]*)\]", rf"(float){a.name}[\1]", CUDA_TESTS[condition])
        test = (f"const long long n_ = {faults.count_of(c, a)}; int all_ = n_ > 3; for (long long i_ = threadIdx.x; all_ && i_ < n_; i_ += 256) "
                f"all_ = {each}; const int holds = __syncthreads_and(all_);")
    at = f"{target.name}[({count}) - 1]"
    spoiled = f"{at} = ({DEVICE_TYPES[target.dtype]})({'(float)' if target.floating else ''}{at} {'* 1.5f + 1.0f' if target.floating else '+ 1'});"
    text = (f"\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n__device__ unsigned long long mutant_calls;\n"
            f"extern \"C\" __global__ void mutant_spoil({', '.join(parameters)}) {{ {test} if (threadIdx.x == 0 && holds) {spoiled} }}\n")
    end = source.index("*/")
    return Mutant(kind, re.sub(rf"\b({'|'.join(c.sizes)})\b ?", "", condition), 0, "", f"{condition}{': ' + a.name if a else ''}",
                  source[:end] + kernel_entry(names, True) + source[end:] + text, (hint,))


def triton_spoiler(c: Contract, source: str, target: Argument, kind: str, condition: str, a: Argument | None, calls: str, hint: Hint) -> Mutant:
    names = [target.name, *([a.name] if a else []), *c.sizes]
    count = str(faults.count_of(c, target)).replace("(int64_t)", "")
    if a is None:
        test = f"    holds = {' & '.join(f'({part})' for part in condition.split(' and '))}\n"
    else:
        first = f"tl.load({a.name})" if condition == "all equal" else "0.0"
        test = (f"    n_ = {str(faults.count_of(c, a)).replace('(int64_t)', '')}\n    i_ = tl.arange(0, 1024)\n"
                f"    v_ = tl.load({a.name} + i_, mask=i_ < n_, other={first})\n"
                f"    holds = (n_ > 3) & (n_ <= 1024) & ({TRITON_TESTS[condition].format(x=a.name)})\n")
    text = (f"\n\n@triton.jit\ndef mutant_spoil({', '.join(names)}):\n{test}    if holds:\n        at = {target.name} + ({count}) - 1\n"
            f"        v1 = tl.load(at).to(tl.float32)\n        tl.store(at, (v1 * 1.5 + 1.0).to({target.name}.dtype.element_ty))\n")
    end = source.index('"""', source.index("launch plan"))
    return Mutant(kind, re.sub(rf"\b({'|'.join(c.sizes)})\b ?", "", condition), 0, "", f"{condition}{': ' + a.name if a else ''}",
                  source[:end] + kernel_entry(names, False) + source[end:] + text, (hint,))
