"""Measures the cost of the judge's checks, for a candidate that is screened out and for one that is confirmed."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import common

from .contract import Contract
from .judge import Judge, Source

Json = dict[str, Any]
# A champion's draws and replay together, on a shipped task.
MOST_OF_A_CHAMPION_MS = 3000.0


def slower(c: Contract) -> str:
    """Returns the reference as a kernel that takes twice its time: right, and screened out."""
    once = f"{c.entry}_once"
    call = f"{once}({', '.join(a.name for a in c.arguments)});"
    return (f"#define {c.entry} {once}\n{c.reference.read_text(encoding='utf-8')}\n#undef {c.entry}\n#include <stdint.h>\n"
            f"{c.prototype()} {{ {call} __asm__ volatile(\"\" ::: \"memory\"); {call} }}\n")


def figures_of(answer: Json) -> Json:
    """Returns what an outcome tells of its cost; `whole_ms` is without the making of inputs."""
    cost = answer.get("cost", {})
    milliseconds = {k.removeprefix("ms."): float(v) for k, v in cost.items() if k.startswith("ms.")}
    return {"verdict": answer.get("verdict", answer.get("fault", "")), "draws": int(cost.get("draws", 0)), "calls": int(cost.get("calls", 0)),
            "whole_ms": milliseconds.get("whole", 0.0) - milliseconds.get("pools", 0.0),
            "draws_ms": milliseconds.get("draws", 0.0), "sanitised_ms": milliseconds.get("sanitised", 0.0)}


def cost_of(judge: Judge, c: Contract, folder: Path) -> Json:
    row: Json = {"task": c.name}
    for name, stage, source in (("screened", "screening", slower(c)), ("champion", "confirm", c.reference.read_text(encoding="utf-8"))):
        file, to = folder / f"{name}.c", folder / f"{name}.so"
        file.write_text(source, encoding="utf-8")
        if error := judge.compile(c.name, "c", "O3-unroll", file, to):
            return row | {"not compiled": error[:300]}
        # The first request makes the inputs, which later candidates find.
        for _ in range(2):
            answer = judge.judge(c.name, to, Source(source, "c", "O3-unroll"), [stage])
        row[name] = figures_of(answer)
    return row


def costs(bin_dir: Path, contracts: Iterable[Contract], folder: Path) -> list[Json]:
    rows = []
    with Judge(bin_dir) as judge:
        for c in contracts:
            if c.language != "c" or any(a.role == "inout" for a in c.arguments):
                continue
            judge.load(c.name, c.path)
            rows.append(row := cost_of(judge, c, folder))
            common.say(f"{c.name}: {row}")
    return rows


def table(rows: list[Json]) -> str:
    lines = [["task", "screened out: calls", "adversarial draws", "time beside the inputs", "champion: adversarial draws", "their time", "sanitised replay"]]
    for r in rows:
        if "champion" in r:
            s, w = r["screened"], r["champion"]
            lines.append([r["task"], str(s["calls"]), str(s["draws"]), f"{s['whole_ms']:.0f} ms", str(w["draws"]), f"{w['draws_ms']:.0f} ms", f"{w['sanitised_ms']:.0f} ms"])
    return common.table(lines)


def summary(rows: list[Json]) -> Json:
    """Counts the tasks in which a screened-out candidate met adversarial draws or a replay, and champions over the limit."""
    both = [r for r in rows if "champion" in r]
    more = [r["champion"]["draws_ms"] + r["champion"]["sanitised_ms"] for r in both]
    return {"tasks": len(both), "screened_with_draws": sum(r["screened"]["draws"] > 0 or r["screened"]["sanitised_ms"] > 0 for r in both),
            "champion_median_ms": statistics.median(more) if more else 0.0, "champion_most_ms": max(more, default=0.0),
            "over_the_limit": [r["task"] for r, m in zip(both, more, strict=True) if m > MOST_OF_A_CHAMPION_MS]}


def render(rows: list[Json]) -> str:
    s = summary(rows)
    return (table(rows) + f"\n\nScreened-out candidates that met an adversarial draw or a sanitised replay: {s['screened_with_draws']} of {s['tasks']}. "
            f"A champion's draws and replay take {s['champion_median_ms']:.0f} ms in the median, {s['champion_most_ms']:.0f} ms at most; "
            f"over {MOST_OF_A_CHAMPION_MS / 1000:.0f} s: {', '.join(s['over_the_limit']) or 'none'}")
