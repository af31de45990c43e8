"""Replays right kernels with sanitizers: references, honest kernels, hand-written ones and every recorded winner."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import common

from . import originals
from .contract import Contract
from .judge import Judge, Source
from .originals import Original

Json = dict[str, Any]
# Each kernel has one of these states.
STATES = ["clean", "unsanitised", "refused", "not compiled", "fault"]


def kernels(c: Contract) -> list[Original]:
    """Returns each different source of the task once: a winner of several machines counts for the first."""
    unique: dict[tuple[str, str], Original] = {}
    for o in [*originals.originals(c, winners=False), *originals.recorded_winners(c.name, originals.EVERY_WINNER)]:
        unique.setdefault((o.source, o.flags), o)
    return list(unique.values())


def state_of(answer: Json) -> str:
    """Returns what became of a kernel from the judge's answer. A kernel that passed without a replay is not clean."""
    if "fault" in answer:
        return "fault"
    if answer.get("verdict") != "pass":
        return "refused"
    return "clean" if answer.get("sanitised") and not answer.get("unsanitised") else "unsanitised"


def replay(judge: Judge, c: Contract, o: Original, folder: Path) -> Json:
    row: Json = {"task": c.name, "original": o.name, "flags": o.flags}
    file, to = folder / "kernel.c", folder / "kernel.so"
    file.write_text(o.source, encoding="utf-8")
    if error := judge.compile(c.name, o.language, o.flags, file, to):
        return row | {"state": "not compiled", "detail": error[:300]}
    answer = judge.judge(c.name, to, Source(o.source, o.language, o.flags), ["replay"])
    told = {k: answer[k] for k in ("rule", "detail", "fault", "sanitised", "sanitised.note", "unsanitised", "ms") if answer.get(k)}
    return row | {"state": state_of(answer)} | told


def replay_all(bin_dir: Path, contracts: Iterable[Contract], folder: Path, only: str) -> Json:
    """Returns a row of each kernel of the tasks in C that `only` names. A signal ends the run, which says where."""
    out: Json = {"replays": []}
    current = ""
    try:
        with Judge(bin_dir) as judge:
            for c in contracts:
                current = c.name
                if c.language != "c":
                    continue
                judge.load(c.name, c.path)
                for o in kernels(c):
                    if o.language != "c" or not originals.is_named(o, only):
                        continue
                    out["replays"].append(row := replay(judge, c, o, folder))
                    common.say(f"{c.name}/{o.name}: {row['state']}: {row.get('sanitised') or row.get('detail') or row.get('fault') or ''}")
    except KeyboardInterrupt:
        out["cut_off"] = current
    return out


def kind_of(row: Json) -> str:
    return {"reference": "references", "honest": "honest kernels", "hand": "hand-written kernels"}.get(row["original"].split("/")[0], "recorded winners")


def table(rows: list[Json]) -> str:
    counts: dict[str, dict[str, int]] = {}
    for r in rows:
        for kind in (kind_of(r), "all"):
            of_kind = counts.setdefault(kind, dict.fromkeys(STATES, 0))
            of_kind[r["state"]] += 1
    names = [k for k in counts if k != "all"] + ["all"] * bool(rows)
    return common.table([["kernels", "replayed", *STATES], *([n, str(sum(counts[n].values())), *(str(counts[n][s]) for s in STATES)] for n in names)])


def render(rows: list[Json]) -> str:
    """Returns the table, and each kernel that is not clean or has a note."""
    return "\n".join([table(rows), *(f"{r['task']}/{r['original']} ({r['flags'] or 'default'}): {r['state']}: "
                                     f"{r.get('detail') or r.get('fault') or r.get('unsanitised') or r.get('sanitised.note')}"
                                     for r in rows if r["state"] != "clean" or r.get("sanitised.note"))])


def holds(rows: list[Json]) -> bool:
    """Tells whether nothing was found in any kernel, and each was replayed that this machine can build."""
    return bool(rows) and all(r["state"] in ("clean", "not compiled") for r in rows)
