"""Profiles micro-kernels with a planted bottleneck (tests/diagnosis) and counts the diagnoses whose dominant finding names
it. Kernels of the folder unseen were written before the diagnosis and are not used to adjust it. The short form takes
kernels that are quick to profile.
"""

from __future__ import annotations

import json
import subprocess
import sys

import common
from common import Json

FOLDER = common.ROOT / "tests" / "diagnosis"
SHORT = ["tuned/dot_chain", "tuned/multiplier_port", "tuned/split_stores", "unseen/generator_chain", "unseen/few_values",
         "unseen/letters"]
WANTED = 21


def rows_of(document: Json) -> list[list[str]]:
    rows = [["kernel", "planted", "dominant finding", "named", "seconds of all passes", "slower with probes"]]
    for k in document["kernels"]:
        named = "yes" if k["found"] == k["planted"] else "no"
        probes = k["perturbation"].get("cpu.loops", 0.0)
        rows.append([k["task"], k["planted"], k["found"], named, f"{sum(k['seconds'].values()):.1f}", f"{100 * probes:.0f} %"])
    return rows


def skipped_of(document: Json) -> list[str]:
    notes: dict[str, str] = {}
    for k in document["kernels"]:
        notes.update(k["notes"])
    return [f"{name} was skipped: {why}" for name, why in sorted(notes.items())]


def summary_of(document: Json) -> str:
    kernels = document["kernels"]
    right = [k for k in kernels if k["found"] == k["planted"]]
    unseen = [k for k in kernels if k["task"].startswith("unseen/")]
    right_unseen = [k for k in right if k in unseen]
    return (f"{len(right)} of {len(kernels)} dominant findings name the planted bottleneck, "
            f"{len(right_unseen)} of {len(unseen)} on kernels that were never used to adjust the diagnosis")


def render(document: Json) -> str:
    return "\n".join([common.table(rows_of(document)), "", *skipped_of(document), summary_of(document)])


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--only", nargs="*", default=[], help="kernels by name, as unseen/chase")
    arguments = p.parse_args()
    common.need(arguments.bin, "bench-diagnosis")
    document = common.header("diagnosis", arguments)
    names = arguments.only or ([] if arguments.long else SHORT)
    done = subprocess.run([str(arguments.bin / "bench-diagnosis"), str(arguments.bin), str(FOLDER), *names],
                          stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        sys.exit(done.returncode or 1)
    document["kernels"] = [json.loads(line) for line in done.stdout.splitlines()]
    document["wanted"] = WANTED
    common.publish(common.close(document), render(document), arguments.json)


def page_table(documents: dict[str, Json]) -> str:
    document, = documents.values()
    return common.table(rows_of(document)) + "\n\n" + summary_of(document)


if __name__ == "__main__":
    main()
