"""Counts what became of the mutants, by class and by task, and says whether the targets are met."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .mutants import CLASSES

Json = dict[str, Any]
STATES = ["killed", "survived", "unknown", "same code", "not compiled", "fault"]
# Shares of witnessed mutants that must be refused.
TARGETS = {"all": 0.995, "boundary": 1.0, "size": 1.0, "value": 1.0, "precision": 0.98}


def count(rows: Iterable[Json]) -> Json:
    out: Json = {s: 0 for s in STATES} | {"mutants": 0}
    for r in rows:
        out["mutants"] += 1
        out[r["state"]] += 1
    out["witnessed"] = out["killed"] + out["survived"]
    out["share"] = out["killed"] / out["witnessed"] if out["witnessed"] else None
    return out


def by(rows: list[Json], key: str, order: list[str] | None = None) -> Json:
    names = order or list(dict.fromkeys(r[key] for r in rows))
    return {n: count(r for r in rows if r[key] == n) for n in names if any(r[key] == n for r in rows)}


def score(rows: list[Json]) -> Json:
    out: Json = {"all": count(rows), "classes": by(rows, "class", CLASSES), "tasks": by(rows, "task")}
    out["missed"] = [f"{name}: {100 * c['share']:.2f} % of {c['witnessed']}, wanted {100 * least:.1f} %"
                     for name, least in TARGETS.items()
                     if (c := out["all"] if name == "all" else out["classes"].get(name)) and c["share"] is not None and c["share"] < least]
    return out
