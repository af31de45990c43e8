"""Looks for a witness of a fault: an allowed call on which the mutant is wrong or touches what is not its own."""

from __future__ import annotations

import math
import random
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import inputs
from .cases import CLANG, Case, Finding, Workshop, may_have
from .contract import Contract

SMALL = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 20, 24, 31, 32, 33, 40, 47, 48, 63, 64, 65]
MEDIUM = [96, 100, 127, 128, 129, 200, 255, 256, 257, 500, 511, 512, 513, 777, 1000, 1023, 1024, 1025, 2048, 4097]
Wanted = tuple[str, Mapping[str, int], Mapping[str, str], int]


@dataclass(frozen=True)
class Hint:
    """Facts that the author of a mutant knows: sizes and patterns that reach the fault, and how often it must be called."""

    sizes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)
    calls: int = 1


def hints_of_special(c: Contract) -> tuple[Hint, ...]:
    """Returns what reaches a fault at special values wherever it stands: each such pattern in all arguments that may have it."""
    arrays = [a for a in c.arguments if a.is_read and a.is_array]
    found = ((p, {a.name: p for a in arrays if p in inputs.patterns_of(a)}) for p in ("denormal", "signed_zeros", "special", "large"))
    return tuple(Hint(patterns=patterns) for _, patterns in found if patterns)


@dataclass
class Witness:
    how: str  # wrong, touched, changed, signal, endless, sanitizer
    case: Mapping[str, object]
    text: str


class Search:
    """The cases of a task, made once, and the searches over them."""

    def __init__(self, workshop: Workshop, seed: int, generic: int = 90, most_work: float = 2e6) -> None:
        self.shop = workshop
        self.random = random.Random(f"{seed}/{workshop.contract.name}")
        self.most_work = most_work
        c = workshop.contract
        wanted: list[Wanted] = []
        for i, held in enumerate(c.held_out):
            if held or may_have(c, c.shapes[i], 1 << 16, most_work):
                wanted += [(f"declared-{i}-{k}", c.shapes[i], self._patterns(k), 1) for k in range(3)]
        if not c.declared_only:
            wanted += [(f"small-{k}", s, self._patterns(k), 1) for k, s in enumerate(self._sizes(generic, SMALL, None))]
            wanted += [(f"long-{k}", s, self._patterns(k), 1) for k, s in enumerate(self._sizes(generic // 3, SMALL[:12], MEDIUM))]
        self.generic = workshop.add(wanted, most_elements=1 << 19)
        self.generic.sort(key=lambda case: not case.key.startswith(("small", "declared")))
        self._real: list[Case] | None = None

    @property
    def real(self) -> list[Case]:
        """The declared shapes that are too large for the generic cases, made when they are asked for."""
        if self._real is None:
            c = self.shop.contract
            self._real = self.shop.add(((f"real-{i}", c.shapes[i], {}, 1) for i in range(len(c.shapes))
                                        if not c.held_out[i] and may_have(c, c.shapes[i], 1 << 23, 3e8)), most_elements=1 << 24)
        return self._real

    def _patterns(self, k: int) -> dict[str, str]:
        """Every fourth call is as declared; in the others some arguments, or all alike, follow a pattern."""
        arrays = [a for a in self.shop.contract.arguments if a.is_read]
        if k % 4 == 0:
            return {}
        if k % 4 == 1:
            a = self.random.choice(arrays)
            return {a.name: self.random.choice(inputs.patterns_of(a))}
        if k % 4 == 2:
            pattern = self.random.choice(inputs.patterns_of(self.random.choice(arrays)))
            return {a.name: pattern for a in arrays if pattern in inputs.patterns_of(a)}
        return {a.name: self.random.choice(inputs.patterns_of(a)) for a in arrays}

    def _sizes(self, count: int, pool: Sequence[int], one_of: Sequence[int] | None) -> Iterator[dict[str, int]]:
        names, c = self.shop.contract.sizes, self.shop.contract
        made = 0
        for _ in range(count * 40):
            if made == count:
                return
            least = pool if self.random.random() < 0.6 else pool[: max(4, len(pool) // 3)]
            sizes = {n: self.random.choice(least) for n in names}
            if one_of and names:
                sizes[self.random.choice(names)] = self.random.choice(one_of)
            if may_have(c, sizes, 1 << 18, self.most_work):
                made += 1
                yield sizes

    def _hinted(self, hints: Sequence[Hint], identity: str) -> list[Case]:
        c = self.shop.contract
        wanted: list[Wanted] = []
        for h in hints:
            key = "hint-" + ",".join(f"{k}={list(v)}" for k, v in h.sizes.items()) + "-" + ",".join(f"{k}={v}" for k, v in h.patterns.items())
            patterns = {k: v for k, v in h.patterns.items() if v in inputs.patterns_of(c.argument(k))}
            for k in range(4):
                sizes = self._hinted_sizes(h, k)
                if sizes is None:
                    continue
                if h.calls == 1:
                    wanted.append((f"{key}-{k}", sizes, patterns, 1))
                    continue
                # A fault of state needs calls that differ in their data alone.
                wanted += [(f"{key}-{k}-state{h.calls}", sizes, patterns, h.calls), (f"{key}-{k}-state{h.calls}-other", sizes, patterns, 1)]
        return self.shop.add(wanted)

    def _hinted_sizes(self, h: Hint, k: int) -> Mapping[str, int] | None:
        c = self.shop.contract
        if c.declared_only:
            return c.shapes[k] if k < len(c.shapes) else None
        for _ in range(60):
            sizes = {n: self.random.choice(h.sizes[n] if n in h.sizes else SMALL[:8] if k % 2 == 0 else SMALL) for n in c.sizes}
            if may_have(c, sizes, 1 << 18, self.most_work):
                return sizes
        return None

    def unfit(self, object_file: Path) -> dict[str, Finding]:
        """Returns the cases on which an object that is held to be right is not. They witness nothing for its mutants."""
        out: dict[str, Finding] = {}
        left = list(self.generic)
        while left:
            found = self.shop.run(self.shop.narrow, object_file, [c.run for c in left])
            if not found.shows:
                return out
            out[left[found.case].key] = found
            left = left[found.case + 1:]
        return out

    def witness(self, object_file: Path, hints: Sequence[Hint] = (), without: frozenset[str] = frozenset(),
                original: Path | None = None, large: bool = False) -> Witness | None:
        stages = [lambda: self._hinted(hints, str(object_file)), lambda: self.generic[:24], lambda: self.generic[24:]]
        if large:
            stages.append(lambda: self.real)
        for stage in stages:
            cases = [c for c in stage() if c.key not in without]
            while cases:
                found = self.shop.run(self.shop.narrow, object_file, [c.run for c in cases])
                if not found.shows:
                    break
                case = cases[min(found.case, len(cases) - 1)]
                if original is None or case in self.generic or not self._alone(original, case).shows:
                    return Witness(found.kind, case.told, found.text)
                cases.remove(case)
        return None

    def _alone(self, object_file: Path, case: Case) -> Finding:
        return self.shop.run(self.shop.narrow, object_file, [case.run])

    def sanitized(self, source: Path, to: Path, hints: Sequence[Hint] = ()) -> Finding:
        """Runs the cases with a build that notices every access outside an array or a local one. gcc's runtime serves, since
        clang's is a package of its own."""
        c = self.shop.contract
        built = subprocess.run(["gcc", "-w", "-O1", "-g", "-march=native", "-fsanitize=address", "-fno-omit-frame-pointer",
                                f"-I{self.shop.narrow.parent}", f"-DLINKED={c.entry}", "-x", "c", "-o", to,
                                Path(__file__).with_name("witness_runner.c"), source, "-lm", "-ldl"],
                               stderr=subprocess.DEVNULL, check=False)
        if built.returncode != 0:
            return Finding("unloadable")
        cases = [*self._hinted(hints, ""), *self.generic]
        found = self.shop.run(to, source, [x.run for x in cases],
                              environment={"ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=7"})
        to.unlink(missing_ok=True)
        return found


def asan_line(text: str) -> str:
    """Returns the sanitizer's own sentence; empty if it is none."""
    return next((line.split("ERROR: ")[1] for line in text.splitlines() if "ERROR: AddressSanitizer" in line), "")


def work_of(sizes: Mapping[str, int]) -> int:
    return math.prod(sizes.values())


__all__ = ["CLANG", "Hint", "Search", "Witness", "asan_line", "hints_of_special", "work_of"]
