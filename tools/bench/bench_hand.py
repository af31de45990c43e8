"""Compares kernels written by hand with the generator's where these miss the roof, and with the memory's rate in judged
calls. The memory's rate comes from two small tasks at three sizes: `scale` (reads as much as it writes) and `sums`
(only reads). With --long, it also judges the winners in quality-zen5.json again.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import common
from common import Json

HAND = common.ROOT / "tools" / "bench" / "hand"
TASKS = common.ROOT / "config" / "tasks"
EXAMPLES = common.ROOT / "config" / "examples"
WINNERS = common.ROOT / "docs" / "results" / "quality-zen5.json"
MEMORY = ["scale", "sums"]
# For each kernel: its task, its name among the winners, and the memory task with the most similar traffic (None: its
# traffic depends on its data).
KERNELS = [("row_statistics", "row_statistics", "sums"), ("mbdt", "mbdt", "scale"), ("softmax_rows", "softmax", "scale"),
           ("layernorm", "layernorm", "scale"), ("rmsnorm_backward", "rmsnorm_backward", "scale"),
           ("batch_event_truncate", "batch_event_truncate", None), ("inverted_index", "inverted_index", None)]
SHORT = 2


def task_file(name: str) -> Path:
    return next(f for folder in (HAND, TASKS, EXAMPLES) if (f := folder / f"{name}.task.toml").exists())


def bytes_of(task: Path, shape: str) -> float | None:
    """Returns the bytes declared by [work]; None if they depend on data."""
    import tomllib

    sizes = {name: int(value) for name, value in (pair.split("=") for pair in shape.split(" "))}
    try:
        return float(eval(tomllib.loads(task.read_text(encoding="utf-8"))["work"]["bytes"], {"__builtins__": {}}, sizes))
    except NameError:
        return None


def judge(arguments: object, name: str, candidate: Path, flags: str | None = None) -> Json:
    common.say(f"{name}: {candidate.name}")
    task = task_file(name)
    done = common.ask([arguments.bin / "kevolve", "eval", task, candidate, "--json", "--quiet",
                       *(["--flags", flags] if flags else [])], check=False)
    if done is None or done["verdict"] != "pass":
        return {"verdict": done["verdict"] if done else None, "detail": done["detail"] if done else "no answer"}
    timing = done["timing"]
    shapes = []
    shortest = min(s["candidate_ns"]["median"] for s in timing["shapes"])
    for s in timing["shapes"]:
        if s["held_out"]:
            continue
        ns, moved = s["candidate_ns"]["median"], bytes_of(task, s["shape"])
        shapes.append({"shape": s["shape"], "weight": s["weight"], "reference_ns": s["reference_ns"]["median"],
                       "candidate_ns": ns, "floor_ns": s["floor_ns"], "bytes": moved,
                       "gb_per_s": moved / ns if moved else None})
    return {"verdict": "pass", "flags": done["flags"], "speedup": timing["speedup"], "ci95": timing["interval"],
            "coverage": timing["coverage"], "sessions": timing["sessions"], "outputs": timing["outputs"], "shapes": shapes,
            "shortest_ns": shortest}


def fastest(memory: Json) -> Json:
    """Returns the faster of the plain loop and the one by hand, which depends on the size. Either shows the memory's
    rate.
    """
    for s in memory.get("shapes", []):
        s["fastest_ns"] = min(s["candidate_ns"], s["reference_ns"])
        s["gb_per_s"] = s["bytes"] / s["fastest_ns"]
    return memory


def like(memory: Json, kind: str | None, moved: float | None) -> float | None:
    """Returns GB/s of the memory task at the most similar size."""
    if kind is None or moved is None or memory[kind]["verdict"] != "pass":
        return None
    nearest: Json = min(memory[kind]["shapes"], key=lambda s: abs(math.log(s["bytes"] / moved)))
    return float(nearest["gb_per_s"])


def main() -> None:
    arguments = common.parser(__doc__).parse_args()
    common.need(arguments.bin, "kevolve")
    document = common.header("hand", arguments)
    document["memory"] = {name: fastest(judge(arguments, name, HAND / f"{name}.c")) for name in MEMORY}
    # A call with almost no work shows the cost of waking and freezing the process.
    document["call_ns"] = min((m["shortest_ns"] for m in document["memory"].values() if m["verdict"] == "pass"), default=0.0)
    document["tasks"] = []
    kept = {t["task"]: t for t in json.loads(WINNERS.read_text(encoding="utf-8"))["tasks"]} if arguments.long else {}
    with common.scratch() as folder:
        for name, winner, kind in KERNELS if arguments.long else KERNELS[:SHORT]:
            row: Json = {"task": name, "like": kind, "hand": judge(arguments, name, HAND / f"{name}.c"), "winner": None}
            if t := kept.get(winner):
                source = folder / f"{name}-winner.c"
                source.write_text(t["source"], encoding="utf-8")
                row["winner"] = judge(arguments, name, source, t["campaign"]["winner"]["flags"])
            document["tasks"].append(row)
    common.publish(common.close(document), render(document), arguments.json)


def speedup(judged: Json | None) -> str:
    if judged is None:
        return "-"
    return f"{judged['speedup']:.2f}× ({common.interval(judged['ci95'])})" if judged["verdict"] == "pass" else f"{judged['verdict']}"


def rows_of(t: Json, memory: Json) -> list[list[str]]:
    """Returns one row for each shape."""
    hand, winner = t["hand"], t["winner"]
    if hand["verdict"] != "pass":
        return [[t["task"], f"{hand['verdict']}: {hand['detail']}"] + ["-"] * 8]
    out = []
    for i, s in enumerate(hand["shapes"]):
        there = like(memory, t["like"], s["bytes"])
        other = winner["shapes"][i] if winner and winner["verdict"] == "pass" else None

        def share(x: Json | None, there: float | None = there) -> str:
            return common.number(x["gb_per_s"] / there if x and there else None)

        out.append([t["task"], s["shape"], speedup(hand), speedup(winner), common.nanoseconds(s["candidate_ns"]),
                    common.nanoseconds(other["candidate_ns"] if other else None), common.number(s["gb_per_s"], 1),
                    share(s) + (f" of {t['like']}" if there else ""), share(other),
                    common.number(s["floor_ns"] / s["candidate_ns"])])
    return out


def render(document: Json) -> str:
    memory = document["memory"]
    call = document.get("call_ns", 0.0)
    first = [["memory task", "shape", "time", "GB/s moved", "of the roof", "GB/s beside the call itself", "of the roof"]]
    for name, m in memory.items():
        if m["verdict"] != "pass":
            first.append([name, f"{m['verdict']}: {m['detail']}"] + ["-"] * 5)
            continue
        first += [[name, s["shape"], common.nanoseconds(s["fastest_ns"]), common.number(s["gb_per_s"], 1),
                   common.number(s["floor_ns"] / s["fastest_ns"]), common.number(s["bytes"] / (s["fastest_ns"] - call), 1),
                   common.number(s["floor_ns"] / (s["fastest_ns"] - call))] for s in m["shapes"]]
    label = common.interval_label(x for t in document["tasks"] for x in (t["hand"], t["winner"]))
    rows = [["task", "shape", f"by hand against -O3 ({label})", f"kept winner against -O3 ({label})", "by hand", "winner",
             "GB/s by hand", "by hand, share of memory's", "winner's share", "by hand, of the roof"]]
    for t in document["tasks"]:
        rows += rows_of(t, memory)
    return (common.table(first) + f"\n\nThe call itself: {common.nanoseconds(call)}, as a task of one block takes.\n\n" + common.table(rows))


def page_table(documents: dict[str, Json]) -> str:
    label = common.interval_label(x for d in documents.values() for t in d["tasks"] for x in (t["hand"], t["winner"]))
    rows = [["task", f"by hand against -O3 ({label})", f"generator against -O3 ({label})"]]
    rows += [[t["task"], speedup(t["hand"]), speedup(t["winner"])] for d in documents.values() for t in d["tasks"]]
    return common.table(rows)


if __name__ == "__main__":
    main()
