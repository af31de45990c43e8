#!/usr/bin/env python3
"""Analyses the use of a lease by candidate, from batch-*.json and aa.json of cuda-runner-test's benchmarks.

    KEVOLVE_BENCH_OUT=DIR cuda-runner-test -ns -tc="bench: a batch*"
    tests/cuda/bench/lease.py DIR/batch-short.json DIR/batch-long.json [--json OUT]

The first candidate of a file includes the drawing of inputs and is listed separately. `busy` is the device's own work
as a share of the lease: the kernels of candidates and baselines and, in the second figure, also sweeps, layout and
checks.
"""

import argparse
import json
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

PARTS = ("start", "layout", "stage", "orders", "check", "pools", "watch", "end", "other")
KINDS = ("faster by a few percent", "the same", "slower by a few percent", "much slower")
DECISIONS = ("undecided", "faster", "slower", "screened")


def spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "median": round(statistics.median(ordered), 3),
        "p90": round(ordered[int(0.9 * (len(ordered) - 1))], 3),
        "mean": round(statistics.fmean(ordered), 3),
    }


def rows_of(path: Path) -> list[dict[str, Any]]:
    rows = []
    for entry in json.loads(path.read_text()):
        outcome = entry.get("outcome", entry)
        evidence = outcome["evidence"]
        row = {key[3:]: float(value) for key, value in evidence.items() if key.startswith("ms.")}
        row["lease"] = entry.get("lease_ms", outcome["judge_ms"])
        row["beyond"] = row["lease"] - row["kernel"]
        row["pairs"] = int(evidence["pairs"])
        row["calls"] = int(evidence["calls"])
        row["kind"] = entry.get("kind")
        row["launches"] = int(evidence["launches"])
        row["baselines"] = int(evidence.get("launches.rival", evidence["launches"]))
        row["decision"] = DECISIONS[outcome["decision"]]
        row["disturbed"] = "disturbed" in evidence
        rows.append(row)
    return rows


def summary(path: Path) -> dict[str, Any]:
    first, *rows = rows_of(path)
    lease = sum(r["lease"] for r in rows)
    out: dict[str, Any] = {
        "file": path.name,
        "candidates": len(rows),
        "first_ms": round(first["lease"], 1),
        "lease_ms": spread([r["lease"] for r in rows]),
        "kernels_ms": spread([r["kernel"] for r in rows]),
        "beyond_kernels_ms": spread([r["beyond"] for r in rows]),
        "calls": spread([r["calls"] for r in rows]),
        "busy_kernels": round(sum(r["kernel"] for r in rows) / lease, 3),
        "busy_device": round(sum(r.get("device", 0.0) for r in rows) / lease, 3),
        "disturbed": sum(r["disturbed"] for r in rows),
        "fresh_baselines": sum(r["baselines"] for r in rows),
        "parts_ms": {p: spread([r[p] for r in rows]) for p in PARTS if p in rows[0]},
    }
    for kind, words in enumerate(KINDS):
        some = [r for r in rows if r["kind"] == kind]
        if some:
            out[words] = {
                "beyond_kernels_ms": spread([r["beyond"] for r in some]),
                "pairs": spread([r["pairs"] for r in some]),
                "decisions": Counter(r["decision"] for r in some),
            }
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--json", type=Path, help="summaries and each candidate's figures, for docs/results")
    args = parser.parse_args()
    summaries = [summary(p) for p in args.files]
    for s in summaries:
        print(json.dumps(s, indent=1))
    if args.json:
        rows = {p.name: rows_of(p) for p in args.files}
        args.json.write_text(json.dumps({"summaries": summaries, "candidates": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
