"""Profiles micro-kernels with a planted bottleneck (tests/diagnosis) and counts the diagnoses whose dominant finding names
it. Kernels of the folder unseen were written before the diagnosis and are not used to adjust it. The short form takes
kernels that are quick to profile. With --target cuda the kernels are those of tests/diagnosis/cuda, each profiled by
`kevolve profile TASK CANDIDATE`. Without a GPU the passes that need one are skipped.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import common
from common import Json

FOLDER = common.ROOT / "tests" / "diagnosis"
SHORT = ["tuned/dot_chain", "tuned/multiplier_port", "tuned/split_stores", "unseen/generator_chain", "unseen/few_values",
         "unseen/letters"]
WANTED = 21
BUDGET = "30s"  # of the passes of one kernel on a device
PASS_LIMIT_S = 2.0  # wanted of each pass, for calls that are no longer than this
SHORT_CALL_NS = 10e6


def rows_of(document: Json) -> list[list[str]]:
    if document.get("target") == "cuda":
        return device_rows_of(document)
    rows = [["kernel", "planted", "dominant finding", "named", "seconds of all passes", "slower with probes"]]
    for k in document["kernels"]:
        named = "yes" if k["found"] == k["planted"] else "no"
        probes = k["perturbation"].get("cpu.loops", 0.0)
        rows.append([k["task"], k["planted"], k["found"], named, f"{sum(k['seconds'].values()):.1f}", f"{100 * probes:.0f} %"])
    return rows


def gpu() -> str | None:
    """Returns the name of the first GPU."""
    if not shutil.which("nvidia-smi"):
        return None
    asked = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], stdout=subprocess.PIPE, text=True, check=False)
    return asked.stdout.partition("\n")[0] or None


def device_rows_of(document: Json) -> list[list[str]]:
    rows = [["kernel", "planted", "dominant finding", "named", "share, confidence", "call, µs", "Nsight Compute, s", "all passes, s"]]
    for k in document["kernels"]:
        first = k["findings"][0] if k["findings"] else {"share": 0.0, "confidence": 0.0}
        rows.append([k["task"], k["planted"], k["found"], "yes" if k["found"] == k["planted"] else "no",
                     f"{100 * first['share']:.0f} %, {first['confidence']:.2g}", f"{(k.get('call_ns') or 0.0) / 1e3:.1f}",
                     f"{k['seconds'].get('gpu.ncu', 0.0):.1f}",
                     f"{sum(k['seconds'].values()):.1f}"])
    return rows


def profile_on_device(programs: Path, folder: Path, row: Json, samples: Path | None) -> Json:
    """Profiles one kernel and returns its row of the document."""
    name = row["task"]
    kept = ["--artefacts", str(samples / name.replace("/", "."))] if samples else []
    done = subprocess.run([str(programs / "kevolve"), "profile", f"{folder / name}.task.toml", f"{folder / name}.cu", "--target",
                           "cuda", "--budget", BUDGET, "--json", *kept], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        return {"task": name, "planted": row["planted"], "found": "failed", "findings": [], "notes": {name: done.stdout[-300:]},
                "seconds": {}, "perturbation": {}}
    profile = json.loads(done.stdout)
    diagnosis = profile["diagnosis"]
    return {"task": name, "planted": row["planted"], "found": (diagnosis["bound"] or {"class": "unknown"})["class"],
            "findings": diagnosis["findings"], "kernels": diagnosis["kernels"], "call_ns": diagnosis["probed_call_ns"],
            "notes": {p["name"]: p["reason"] for p in profile["passes"] if p["state"] == "skipped"},
            "seconds": {p["name"]: p["seconds"] for p in profile["passes"] if p["state"] != "skipped"}, "perturbation": {}}


def profile_all_on_device(programs: Path, names: list[str], samples: Path | None) -> list[Json]:
    folder = FOLDER / "cuda"
    planted = json.loads((folder / "planted.json").read_text())
    rows = []
    for row in planted:
        if not names or row["task"] in names:
            rows.append(profile_on_device(programs, folder, row, samples))
            print(f"{rows[-1]['task']}: planted {row['planted']}, found {rows[-1]['found']}", file=sys.stderr, flush=True)
    return rows


def call_ns_of(kernel: Json) -> float | None:
    """Returns the time of the kernel's call, as its findings or its profile say; None if neither does."""
    told = [f.get("evidence", {}).get("call_ns") for f in kernel.get("findings", [])] + [kernel.get("call_ns")]
    return next((x for x in told if x), None)


def within_of(kernels: list[Json], name: str) -> str:
    """Returns on how many of these kernels the pass kept its limit: "17 of 24"."""
    took = [k["seconds"][name] for k in kernels if name in k["seconds"]]
    return f"{sum(t <= PASS_LIMIT_S for t in took)} of {len(took)}"


def pass_rows_of(document: Json) -> list[list[str]]:
    """Returns what each pass took over the kernels, and how much slower it made the call."""
    short = [k for k in document["kernels"] if 0.0 < (call_ns_of(k) or 0.0) <= SHORT_CALL_NS]
    names = sorted({name for k in document["kernels"] for name in k["seconds"]})
    rows = [["pass", "kernels", "median, s", "longest, s", f"within {PASS_LIMIT_S:.0f} s", f"of calls of at most {SHORT_CALL_NS / 1e6:.0f} ms", "slower call, median", "at most"]]
    for name in names:
        took = [k["seconds"][name] for k in document["kernels"] if name in k["seconds"]]
        slower = [k["perturbation"][name] for k in document["kernels"] if name in k["perturbation"]]
        rows.append([name, str(len(took)), f"{statistics.median(took):.2f}", f"{max(took):.2f}", within_of(document["kernels"], name), within_of(short, name),
                     f"{100 * statistics.median(slower):.0f} %" if slower else "-", f"{100 * max(slower):.0f} %" if slower else "-"])
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
    return "\n".join([common.table(rows_of(document)), "", common.table(pass_rows_of(document)), "", *skipped_of(document), summary_of(document)])


def finish(document: Json, arguments: argparse.Namespace) -> None:
    common.close(document)
    if arguments.save:
        arguments.save.write_text(json.dumps(document) + "\n", encoding="utf-8")
    common.publish(document, render(document), arguments.json)


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--only", nargs="*", default=[], help="kernels by name, as unseen/chase")
    p.add_argument("--save", type=Path, help="write the JSON document to this file, too, such as docs/results/diagnosis.json")
    p.add_argument("--samples", type=Path, help="keep the artefacts of each kernel of a device in this folder")
    p.add_argument("--target", choices=["cpu", "cuda"], default="cpu", help="the kernels' hardware")
    arguments = p.parse_args()
    common.need(arguments.bin, "kevolve" if arguments.target == "cuda" else "bench-diagnosis")
    document = common.header("diagnosis", arguments)
    if arguments.target == "cuda":
        document["target"] = "cuda"
        document["machine"]["gpu"] = gpu()
        document["kernels"] = profile_all_on_device(arguments.bin, arguments.only, arguments.samples)
        finish(document, arguments)
        return
    names = arguments.only or ([] if arguments.long else SHORT)
    done = subprocess.run([str(arguments.bin / "bench-diagnosis"), str(arguments.bin), str(FOLDER), *names],
                          stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        sys.exit(done.returncode or 1)
    document["kernels"] = [json.loads(line) for line in done.stdout.splitlines()]
    document["wanted"] = WANTED
    finish(document, arguments)


def page_table(documents: dict[str, Json]) -> str:
    document, = documents.values()
    return "\n\n".join([common.table(rows_of(document)), common.table(pass_rows_of(document)), summary_of(document)])


if __name__ == "__main__":
    main()
