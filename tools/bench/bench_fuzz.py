"""Runs libFuzzer with both sanitizers on everything that reads hostile bytes: executions, coverage and crashes per
target.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import common
from common import Json

SHORT_SECONDS = 20  # of processor time


def run(command: list[object]) -> None:
    done = subprocess.run([str(c) for c in command], cwd=common.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode != 0:
        common.say("\n".join(done.stdout.splitlines()[-30:]))
        raise SystemExit(1)


def render(document: Json) -> str:
    rows = [["target", "processor time", "executions", "edges", "features", "crashes"]]
    for t in document["targets"]:
        rows.append([t["target"], f"{t['cpu_s'] / 60:.1f} min", f"{t['executions']:,}", str(t["coverage"]),
                     str(t["features"]), str(t["crashes"])])
    return common.table(rows)


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--hours", type=float, default=1.0, help="processor hours a target, with --long")
    parser.add_argument("--keep", type=Path, help="folder for corpora, logs and crashing inputs; goes on with what is there")
    parser.add_argument("--target", action="append", default=[], help="one of the targets; may be repeated")
    arguments = parser.parse_args()
    document = common.header("fuzz", arguments)
    cores = len(os.sched_getaffinity(0))
    seconds = round(arguments.hours * 3600) if arguments.long else SHORT_SECONDS
    run(["cmake", "--preset", "fuzz"])
    run(["cmake", "--build", "build-fuzz", "--target", "fuzzers", "--parallel", cores])
    with common.scratch() as folder:
        run(["tests/fuzz/pack.sh", "build-fuzz", folder / "pack"])
        out = arguments.keep or folder / "out"
        subprocess.run([str(folder / "pack" / "run_all.sh"), str(seconds), str(out), *arguments.target], stdout=subprocess.DEVNULL,
                       check=False)
        document |= json.loads((out / "summary.json").read_text(encoding="utf-8"))
    common.publish(common.close(document), render(document), arguments.json)
    if any(t["crashes"] for t in document["targets"]):
        raise SystemExit(1)


def page_table(documents: dict[str, Json]) -> str:
    return render({"targets": [t for d in documents.values() for t in d["targets"]]})


if __name__ == "__main__":
    main()
