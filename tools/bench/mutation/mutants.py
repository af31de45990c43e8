"""A mutant: a right kernel with one fault of a named class."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from .search import Hint

CLASSES = ["arithmetic", "boundary", "index", "initialisation", "synchronisation", "precision", "special", "state", "size", "value"]


@dataclass(frozen=True)
class Mutant:
    kind: str  # of CLASSES
    name: str  # of the operator that made it
    line: int
    before: str
    after: str
    source: str
    hints: tuple[Hint, ...] = field(default=(), compare=False)


def choose(mutants: Iterable[Mutant], most: int, seed: str) -> list[Mutant]:
    """Returns at most that many of each class; operators of a class take turns, so that a frequent one does not fill it."""
    rng = random.Random(seed)
    unique: dict[str, Mutant] = {}
    for m in mutants:
        unique.setdefault(m.source, m)
    out: list[Mutant] = []
    for kind in CLASSES:
        by_name: dict[str, list[Mutant]] = {}
        for m in unique.values():
            if m.kind == kind:
                by_name.setdefault(m.name, []).append(m)
        for group in by_name.values():
            rng.shuffle(group)
        names = sorted(by_name)
        rng.shuffle(names)
        taken: list[Mutant] = []
        while len(taken) < most and any(by_name.values()):
            for name in names:
                if by_name[name] and len(taken) < most:
                    taken.append(by_name[name].pop())
        out += taken
    return out
