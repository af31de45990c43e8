"""Adds up the times of the probed loops of each shipped task's reference, each loop without the loops inside. It compares the
sum with the whole call of the same run (`kevolve profile TASK REFERENCE --pass cpu.loops`). The rest of a call is outside of
loops, or in loops whose entries take less than 1 µs. The short form takes four tasks.
"""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path

import common
from common import Json

TASKS = common.ROOT / "config" / "tasks"
SHORT = ["softmax_rows", "gemm", "layernorm", "sobel"]
BUDGET = "20s"
WITHIN = 0.10  # of the whole call


def shipped() -> list[str]:
    """Returns the tasks with a reference for processors."""
    return [f.name.removesuffix(".task.toml") for f in sorted(TASKS.glob("*.task.toml"))
            if tomllib.loads(f.read_text(encoding="utf-8"))["reference"].get("language") in ("c", "cpp")]


def measure(programs: Path, name: str) -> Json:
    """Profiles the reference of a task and returns its row of the document."""
    task = TASKS / f"{name}.task.toml"
    reference = TASKS / tomllib.loads(task.read_text(encoding="utf-8"))["reference"]["file"]
    done = subprocess.run([str(programs / "kevolve"), "profile", str(task), str(reference), "--pass", "cpu.loops", "--budget", BUDGET, "--json"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    try:
        profile = json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"task": name, "problem": done.stdout[-200:] or f"exit status {done.returncode}"}
    if done.returncode != 0:
        return {"task": name, "problem": str(profile.get("detail", profile))[:200]}
    return row_of(name, profile)


def row_of(name: str, profile: Json) -> Json:
    loops = next(p for p in profile["passes"] if p["name"] == "cpu.loops")
    if loops["state"] == "skipped":
        return {"task": name, "problem": loops["reason"]}
    d = profile["diagnosis"]
    return {"task": name, "shape": d["shape"], "call_ns": d["probed_call_ns"], "loops": len(d["loops"]),
            "timed": sum(x["ns"] is not None for x in d["loops"]), "sum": d["timed_share"], "perturbation": loops["perturbation"] or 0.0,
            "seconds": loops["seconds"]}


def within(row: Json) -> bool:
    return row.get("sum") is not None and abs(row["sum"] - 1.0) <= WITHIN


def rows_of(document: Json) -> list[list[str]]:
    rows = [["task", "call", "loops", "timed", "sum of the timed loops", "slower with probes", "seconds of the pass"]]
    for r in document["tasks"]:
        if "problem" in r:
            rows.append([r["task"], *["-"] * 3, r["problem"].replace("\n", " "), "-", "-"])
        else:
            rows.append([r["task"], common.nanoseconds(r["call_ns"]), str(r["loops"]), str(r["timed"]),
                         "none is timed" if r["sum"] is None else f"{100 * r['sum']:.1f} %", f"{100 * r['perturbation']:.0f} %", f"{r['seconds']:.1f}"])
    return rows


def summary_of(document: Json) -> str:
    timed = [r for r in document["tasks"] if r.get("sum") is not None]
    return (f"the times of the loops add up to within {100 * WITHIN:.0f} % of the call on {sum(within(r) for r in timed)} of {len(timed)} tasks "
            f"with timed loops, of {len(document['tasks'])} tasks")


def render(document: Json) -> str:
    return common.table(rows_of(document)) + "\n\n" + summary_of(document)


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--task", action="append", help="a task of config/tasks; may be repeated")
    arguments = p.parse_args()
    common.need(arguments.bin, "kevolve", "kevolve-profiler")
    document = common.header("loopsums", arguments)
    common.each(document, arguments.task or (shipped() if arguments.long else SHORT), lambda name: measure(arguments.bin, name))
    common.publish(common.close(document), render(document), arguments.json)


if __name__ == "__main__":
    main()
