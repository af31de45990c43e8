"""Writes docs/results/loop.md from the JSON documents beside it, each made by `tools/bench/run NAME … --json`."""

from __future__ import annotations

import json
from pathlib import Path

import bench_aa
import bench_build
import bench_durability
import bench_overhead
import bench_quality
import common

FOLDER = common.ROOT / "docs" / "results"
PARTS = [("quality", "How much faster the winners are", bench_quality.render),
         ("overhead", "What the node costs", bench_overhead.render),
         ("aa", "Honesty of a race", bench_aa.render),
         ("durability", "Kills and resumes", bench_durability.render),
         ("build", "A clean build", bench_build.render)]


def main() -> None:
    out = ["# The closed loop, measured", "",
           "Written by `tools/bench/run results` from the JSON documents in this folder; edit the notes, not this file.", ""]
    for name, title, render in PARTS:
        out += [f"## {title}", ""]
        file = FOLDER / f"{name}.json"
        if not file.exists():
            out += [f"Not measured yet: `tools/bench/run {name} --long --json > docs/results/{name}.json`", ""]
            continue
        document = json.loads(file.read_text(encoding="utf-8"))
        out += [f"`{document['command']}` ({common.provenance(document)})", "", render(document), ""]
        notes = FOLDER / f"{name}.notes.md"
        if notes.exists():
            out += [notes.read_text(encoding="utf-8").strip(), ""]
    Path(FOLDER / "loop.md").write_text("\n".join(out), encoding="utf-8")


if __name__ == "__main__":
    main()
