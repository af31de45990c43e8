"""Calls with bounds of every output element, made by the reference and by it in double, and their files.

Shares no code with the judge: a case lies in files that witness_runner.c reads.
"""

from __future__ import annotations

import math
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import inputs
from .contract import C_TYPES, Argument, Contract, evaluate, tokens

RUNNER = Path(__file__).with_name("witness_runner.c")
CLANG = next((p for p in ("clang-19", "clang", "cc") if any((Path(d) / p).exists() for d in os.get_exec_path())), "cc")
CODES = {"f16": 0, "bf16": 1, "f32": 2, "f64": 3, "i8": 4, "u8": 5, "bool": 5, "i32": 6, "i64": 7}
NUMPY = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "u8": np.uint8,
         "bool": np.uint8, "i32": np.int32, "i64": np.int64}
LARGEST = {"f16": 65504.0, "bf16": 3.3895314e38, "f32": 3.4028235e38, "f64": 1.7976931e308}
MANTISSA = {"f16": (10, -14), "bf16": (7, -126), "f32": (23, -126), "f64": (52, -1022)}
FUNCTIONS = ["acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "hypot", "ldexp", "lgamma", "log", "log10", "log1p", "log2", "lrint", "nearbyint", "pow", "remainder", "rint", "round", "sin", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc"]
PROMOTION = ("#include <float.h>\n#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n"
             + "".join(f"#define {f}f {f}\n" for f in FUNCTIONS) + "#define float double\n#define _Float16 double\n")
# Beyond the tolerance by rounding alone is no witness.
SLACK = 1.0 + 1e-6
# Another order of operations may err a few times as much as the reference's own.
TIMES_THE_REFERENCE = 8.0


def promoted(a: Argument) -> str:
    return "f64" if a.dtype in ("f16", "f32") else a.dtype


def caller(c: Contract, wide: bool) -> str:
    """Returns caller.h: the entry's type, and a call through pointers."""
    types, values = [], []
    for i, a in enumerate(c.arguments):
        kind = C_TYPES[promoted(a) if wide else a.dtype] if a.role != "size" else "int64_t"
        types.append((("" if a.is_written else "const ") + kind + " *") if a.is_array else kind)
        values.append(f"({types[-1]})p[{i}]" if a.is_array else f"*(const {kind} *)p[{i}]")
    first = next(i for i, a in enumerate(c.arguments) if a.is_written)
    return (f"#include <stdint.h>\nenum {{ ARGUMENTS = {len(c.arguments)}, FIRST_OUTPUT = {first} }};\n"
            f"typedef void entry_type({', '.join(types)});\n#define CALL(entry, p) entry({', '.join(values)})\n"
            "#ifdef LINKED\nextern entry_type LINKED;\n#endif\n")


def as_doubles(dtype: str, x: np.ndarray) -> np.ndarray:
    if dtype == "bf16":
        return (x.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return x.astype(np.float64)


def spacing(dtype: str, x: np.ndarray) -> np.ndarray:
    bits, least = MANTISSA[dtype]
    exponent = np.maximum(np.frexp(np.abs(x))[1] - 1, least)
    return np.ldexp(1.0, exponent - bits)


def build_shared(source: Path, to: Path, *flags: str) -> None:
    subprocess.run([CLANG, "-w", "-shared", "-fPIC", "-march=native", *flags, "-o", to, source, "-lm"], check=True)


def words(kind: int, dtype: str, count: int, untouched: int, data: bytes) -> bytes:
    head = np.array([kind, CODES[dtype], count, untouched], np.int64).tobytes()
    return head + data + b"\0" * (-len(data) % 8)


def by_value(a: Argument, d: inputs.Drawn, wide: bool) -> bytes:
    if a.role == "size":
        return np.array([d.sizes[a.name]], np.int64).tobytes()
    kind = promoted(a) if wide else a.dtype
    return inputs.rounded(Argument(a.name, a.role, kind), np.array([d.scalars[a.name]])).tobytes().ljust(8, b"\0")


def case_bytes(c: Contract, d: inputs.Drawn, wide: bool, untouched: Mapping[str, int] | None = None) -> bytes:
    out = b""
    for a in c.arguments:
        kind = promoted(a) if wide else a.dtype
        if not a.is_array:
            out += words(0, "i64" if a.role == "size" else kind, 1, -1, by_value(a, d, wide))
            continue
        n = math.prod(d.shapes[a.name])
        data = b""
        if a.is_read:
            data = (as_doubles(a.dtype, d.arrays[a.name]) if kind != a.dtype else d.arrays[a.name]).tobytes()
        role = 3 if a.role == "inout" else 1 if a.is_read else 2
        out += words(role, kind, n, (untouched or {}).get(a.name, -1), data)
    return out


@dataclass
class Case:
    key: str
    drawn: inputs.Drawn
    file: Path
    calls: int = 1
    sides: int = 2

    @property
    def run(self) -> tuple[Path, int, int]:
        return self.file, self.calls, self.sides

    @property
    def told(self) -> dict[str, object]:
        """Returns what a reader needs to make it again, beside the seed."""
        unusual = {k: v for k, v in self.drawn.patterns.items() if v != "usual"}
        return {"sizes": {k: v for k, v in self.drawn.sizes.items()}, "patterns": unusual, "case": self.key, "calls": self.calls}


@dataclass
class Finding:
    """The report of a runner: `kind` is right, wrong, touched, changed, signal, endless or unloadable."""

    kind: str
    case: int = 0
    call: int = 0
    number: int = 0
    text: str = ""

    @property
    def shows(self) -> bool:
        return self.kind not in ("right", "unloadable")


def parse_finding(text: str, code: int) -> Finding:
    parts = text.strip().split()
    if not parts:
        return Finding("signal", text=f"exit status {code}")
    values = dict(p.split("=", 1) for p in parts[1:] if "=" in p)

    def whole(key: str) -> int:
        return int(values.get(key, "0"))

    return Finding(parts[0], whole("case"), whole("call"), whole("number"), text.strip())


@dataclass
class Workshop:
    """The runners and the oracle of one task, and its cases so far."""

    contract: Contract
    folder: Path
    seed: int
    cases: dict[str, Case] = field(default_factory=dict)
    discarded: dict[str, str] = field(default_factory=dict)
    reference_error: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        c = self.contract
        self.folder.mkdir(parents=True, exist_ok=True)
        self.narrow = self._runner("narrow", wide=False)
        self.reference = self.folder / "reference.so"
        build_shared(c.reference, self.reference, "-O3")
        self.exact = c.oracle is None and all(promoted(a) == a.dtype for a in c.arguments)
        if self.exact:
            return
        self.wide = self._runner("wide", wide=True)
        self.oracle = self.folder / "oracle.so"
        source = self.folder / "oracle.c"
        text = (c.oracle or c.reference).read_text(encoding="utf-8")
        source.write_text(text if c.oracle else PROMOTION + text, encoding="utf-8")
        build_shared(source, self.oracle, "-O2", "-ffp-contract=off")

    def _runner(self, name: str, wide: bool) -> Path:
        at = self.folder / name
        at.mkdir(exist_ok=True)
        (at / "caller.h").write_text(caller(self.contract, wide), encoding="utf-8")
        program = at / "runner"
        subprocess.run([CLANG, "-w", "-O2", f"-I{at}", "-o", program, RUNNER, "-ldl", "-lm"], check=True)
        return program

    def run(self, program: Path, object_file: Path, cases: Sequence[tuple[Path, int, int]], suffix: str = "", seconds: int = 10,
            environment: Mapping[str, str] | None = None) -> Finding:
        """Runs the cases in one process. It is judged by its last line; a process that says nothing has died."""
        listing = self.folder / f"list-{os.getpid()}"
        listing.write_text("".join(f"{p} {n} {k}\n" for p, n, k in cases), encoding="utf-8")
        command: list[str | Path] = [program, object_file, self.contract.entry, listing, *([suffix] if suffix else [])]
        try:
            done = subprocess.run(command, capture_output=True, check=False, timeout=seconds * 6 + 60,
                                  env={**os.environ, "WITNESS_SECONDS": str(seconds), **(environment or {})})
        except subprocess.TimeoutExpired:
            return Finding("endless", text="endless")
        text = done.stdout.decode(errors="replace")
        found = parse_finding(text.strip().splitlines()[-1] if text.strip() else "", done.returncode)
        if found.kind == "signal" and not text.strip():
            found.text = done.stderr.decode(errors="replace")[-4000:] or found.text
        return found

    def add(self, wanted: Iterable[tuple[str, Mapping[str, int], Mapping[str, str], int]], most_elements: int = 1 << 22) -> list[Case]:
        """Makes cases (key, sizes, patterns, calls) that are not there yet. Those on which the reference itself fails are dropped."""
        out: list[Case] = []
        new: list[Case] = []
        for key, sizes, patterns, calls in wanted:
            if key in self.cases:
                out.append(self.cases[key])
                continue
            if key in self.discarded:
                continue
            rng = np.random.default_rng([self.seed, *key.encode()])
            try:
                drawn = inputs.draw(self.contract, sizes, patterns, rng, most_elements)
            except inputs.NotAllowed as e:
                self.discarded[key] = str(e)
                continue
            # Calls that tell state apart get their arrays at the same place.
            case = Case(key, drawn, self.folder / f"case-{len(self.cases) + len(self.discarded) + len(new)}", calls,
                        1 if "state" in key else 2)
            case.file.write_bytes(case_bytes(self.contract, drawn, wide=False))
            if not self.exact:
                case.file.with_suffix(".wide").write_bytes(case_bytes(self.contract, drawn, wide=True))
            new.append(case)
        good = self._run_all(self.narrow, self.reference, new, "", "given")
        if not self.exact:
            good = self._run_all(self.wide, self.oracle, good, ".wide", "exact")
        for case in good:
            why = self._bound(case)
            if why:
                self.discarded[case.key] = why
                continue
            self.cases[case.key] = case
            out.append(case)
        return out

    def _run_all(self, program: Path, object_file: Path, cases: list[Case], ending: str, suffix: str) -> list[Case]:
        """Writes the outputs of each case. A case in which the process fails is dropped, and the rest run again."""
        left = list(cases)
        good: list[Case] = []
        while left:
            files = [(c.file.with_suffix(ending) if ending else c.file, 1, 1) for c in left]
            found = self.run(program, object_file, files, suffix)
            if found.kind == "right":
                return good + left
            good += left[:found.case]
            self.discarded[left[found.case].key] = f"the reference: {found.text}"
            left = left[found.case + 1:]
        return good

    def _outputs(self, file: Path, case: Case, wide: bool) -> dict[str, np.ndarray]:
        raw, at, out = file.read_bytes(), 0, {}
        for a in self.contract.arguments:
            if not a.is_written:
                continue
            kind = NUMPY[promoted(a) if wide else a.dtype]
            n = math.prod(case.drawn.shapes[a.name])
            out[a.name] = np.frombuffer(raw, kind, n, at)
            at += n * np.dtype(kind).itemsize
        return out

    def _bound(self, case: Case) -> str:
        """Writes the bounds of a case; returns why it cannot be used, or nothing."""
        c = self.contract
        given = self._outputs(Path(f"{case.file}.given"), case, wide=False)
        exact = given if self.exact else self._outputs(Path(f"{case.file.with_suffix('.wide')}.exact"), case, wide=True)
        out, untouched = b"", {}
        for a in c.arguments:
            if not a.is_written:
                continue
            n = math.prod(case.drawn.shapes[a.name])
            if a.extent:
                valid = int(given[a.extent][0])
                if a.tail == "untouched":
                    untouched[a.name] = valid
                n = valid
            mine, best = given[a.name][:n], exact[a.name][:n]
            if not a.floating:
                if len(mine) and np.mean(mine != best) > 0.01:
                    return f"'{a.name}': reference and oracle differ"
                lower, upper = best.astype(np.int64), mine.astype(np.int64)
            else:
                bounds = real_bounds(c, a, as_doubles(a.dtype, mine), as_doubles(promoted(a), best), case.drawn.patterns,
                                     self.reference_error)
                if isinstance(bounds, str):
                    return bounds
                lower, upper = bounds
            out += np.array([n], np.int64).tobytes() + lower.tobytes() + upper.tobytes()
            kept = mine.tobytes()
            out += kept + b"\0" * (-len(kept) % 8)
        if untouched:
            case.file.write_bytes(case_bytes(c, case.drawn, wide=False, untouched=untouched))
        Path(f"{case.file}.want").write_bytes(out)
        for ending in (f"{case.file}.given", f"{case.file.with_suffix('.wide')}.exact", f"{case.file.with_suffix('.wide')}"):
            Path(ending).unlink(missing_ok=True)
        return ""


def real_bounds(c: Contract, a: Argument, mine: np.ndarray, best: np.ndarray, patterns: Mapping[str, str],
                errors: dict[str, float]) -> tuple[np.ndarray, np.ndarray] | str:
    """Returns the bounds of an output from the reference's result and the exact one, or why the case cannot be used. Keeps the
    reference's largest error on usual inputs in `errors`.
    """
    usual, kinds = all(p == "usual" for p in patterns.values()), set(patterns.values())
    t = c.tolerance(a)
    finite = np.isfinite(best) & (np.abs(best) <= LARGEST[a.dtype])
    if not finite.all() and not a.nonfinite:
        return f"'{a.name}' is not finite"
    if not (np.isfinite(mine) == np.isfinite(best)).all():
        return f"'{a.name}': reference and oracle differ in what is finite"
    sizes = np.abs(np.where(finite, best, 0.0))
    with np.errstate(invalid="ignore"):
        error = np.where(finite, np.abs(mine - best), 0.0)
    worst = float(error.max(initial=0.0))
    if usual:
        errors[a.name] = max(worst, errors.get(a.name, 0.0))
    largest = float(sizes.max(initial=0.0))
    if t.mode == "absrel":
        absolute = max(t.absolute, t.relative * largest) if kinds & set(inputs.EDGES) else t.absolute
        allowed = absolute + t.relative * sizes
    elif t.mode == "ulp":
        allowed = t.limit * spacing(a.dtype, sizes) + (t.limit * spacing(a.dtype, np.array(largest)) if kinds & set(inputs.EDGES) else 0.0)
    elif t.mode == "reference_error":
        allowed = t.limit * max(worst, errors.get(a.name, 0.0)) + spacing(a.dtype, sizes)
    else:
        allowed = np.zeros_like(sizes)
    if t.mode != "exact" and (error > allowed).any() and "cancellation" not in kinds:
        return f"'{a.name}': the reference itself leaves the tolerance"
    if not usual and t.mode != "exact":
        allowed = np.maximum(allowed, TIMES_THE_REFERENCE * worst)
    allowed = allowed * SLACK
    with np.errstate(invalid="ignore"):
        lower = np.where(finite, best - allowed, best)
        upper = np.where(finite, best + allowed, best)
    beyond = ~np.isfinite(mine) & finite
    return np.where(beyond, mine, lower), np.where(beyond, mine, upper)




def may_have(c: Contract, sizes: Mapping[str, int], most_elements: int, most_work: float) -> bool:
    """Tells whether all arrays exist at these sizes and neither they nor the work are too large."""
    if not c.allows(sizes):
        return False
    derived = {name for name, _ in c.derived}
    elements = 0
    for a in c.arguments:
        if not a.is_array or any(word in derived for text in a.shape for word in tokens(text)):
            continue  # the data decide; draw() refuses what is too large
        shape = [evaluate(text, sizes) for text in a.shape]
        if min(shape, default=1) < 1:
            return False
        elements += math.prod(shape)
    return elements <= most_elements and math.prod(sizes.values()) <= most_work
