"""Asks `kevolve explain` for the reason why an operator stays slow, and times the rewrite that its advice asks for against the
reference. The operators are those of docs/results/cpu.md that stay below 1.6 times, and four with control flow that
depends on data (tests/diagnosis/operators, with all rewrites). A search by the embedded generator stands beside it. The short
form takes two operators and searches of two candidates.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import common
from common import Json

OWN = common.ROOT / "tests" / "diagnosis" / "operators"
TASKS = common.ROOT / "config" / "tasks"
OPERATORS = ["inverted_index", "batch_event_truncate", "sobel", "five_points", "newton", "bins", "first_above", "steps"]
SHORT = ["newton", "bins"]
BUDGET = "20s"  # of a profile by hand, where the campaign's own names no bottleneck
WANTED = 2.0  # of the rewrites, on half of the operators


def task_of(name: str) -> Path:
    own = OWN / f"{name}.task.toml"
    return own if own.exists() else TASKS / f"{name}.task.toml"


def run(command: list[object]) -> Json:
    """Runs a verb with --json and returns its document; one that cannot be read is a problem."""
    done = subprocess.run([*map(str, command), "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    try:
        document: Json = json.loads(done.stdout)
    except json.JSONDecodeError:
        document = {"problem": f"exit status {done.returncode}"}
    return document


def reasons_of(explanation: Json) -> list[Json]:
    """Returns the loops that stay as they were, each with its obstacle, and whether a rewrite and an assertion are named."""
    found = []
    for loop in explanation.get("reference", {}).get("loops", []):
        obstacle = loop["order"] or loop["vectors"]
        if obstacle:
            found.append({"line": loop["line"], "obstacle": obstacle["obstacle"], "rewrite": obstacle["rewrite"], "assertion": obstacle["assertion"]})
    # A remark on the whole file, as that the compiler gave no syntax tree, is no reason.
    found += [{"line": k["line"], "obstacle": "kept_text", "rewrite": k["why"], "assertion": None}
              for k in explanation.get("reference", {}).get("kept", []) if k["line"] > 0]
    found += [{"line": None, "obstacle": "near_roof", "rewrite": r["rewrite"], "assertion": None} for r in explanation.get("reasons", []) if r["kind"] == "roof"]
    return found


def figure_of(best: Json | None) -> Json | None:
    return {"speedup": best["speedup"], "interval": best.get("interval")} if best and best.get("speedup") else None


def measure(programs: Path, name: str, candidates: int) -> Json:
    task = task_of(name)
    with common.scratch() as folder:
        campaign = folder / "campaign.toml"
        campaign.write_text(f'task = "{task}"\ntarget = "cpu"\n\n[[generator]]\nkind = "transform"\n\n[budget]\ncandidates = {candidates}\n', encoding="utf-8")
        data = folder / "data"
        searched = run([programs / "kevolve", "run", campaign, "--data", data])
        explained = run([programs / "kevolve", "explain", "--data", data])
        by_hand = not explained.get("bound")
        if by_hand:  # as the explanation advises then
            run([programs / "kevolve", "profile", explained.get("best", 0), "--data", data, "--budget", BUDGET])
            explained = run([programs / "kevolve", "explain", "--data", data])
    judged = run([programs / "kevolve", "eval", task, OWN / f"{name}.rewritten.c", "--flags", "O3", "--quiet"])
    timing = judged.get("timing") or {}
    bound = explained.get("bound") or {}
    row = {"task": name, "search": figure_of(searched.get("best")), "candidates": searched.get("candidates"), "bound": bound.get("class"),
           "why_no_bound": explained.get("why_no_bound", []), "nothing_found": explained.get("nothing_found"), "profiled_by_hand": by_hand, "reasons": reasons_of(explained),
           "verdict": judged.get("verdict"),
           "rewritten": figure_of(timing) if judged.get("verdict") == "pass" else None}
    print(f"{name}: {row['rewritten']}", file=sys.stderr, flush=True)
    return row


def figure(of: Json | None, none: str) -> str:
    return none if of is None else f"{of['speedup']:.2f}× ({common.interval(of['interval'])})"


def rows_of(document: Json) -> list[list[str]]:
    rows = [["operator", "search", "bottleneck", "loops that stay, and why", "rewritten as advised"]]
    for r in document["tasks"]:
        why = ", ".join(f"line {x['line']}: `{x['obstacle']}`" if x["line"] else f"`{x['obstacle']}`" for x in r["reasons"]) or "no loop stays"
        rows.append([r["task"], figure(r["search"], "none faster"), r["bound"] or "unknown", why, figure(r["rewritten"], str(r["verdict"]))])
    return rows


def summary_of(document: Json) -> str:
    tasks = document["tasks"]
    gained = [r for r in tasks if r["rewritten"] and r["rewritten"]["speedup"] >= WANTED]
    named = sum(bool(r["reasons"] or r["bound"] not in (None, "unknown")) for r in tasks)
    return (f"a reason is named for {named} of {len(tasks)} operators; the rewrite brings {WANTED:.0f}× or more on "
            f"{len(gained)} of {len(tasks)}")


def render(document: Json) -> str:
    return common.table(rows_of(document)) + "\n\n" + summary_of(document)


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--task", action="append", choices=OPERATORS, help="an operator; may be repeated")
    p.add_argument("--candidates", type=int, help="of each search (short 2, long 12)")
    arguments = p.parse_args()
    common.need(arguments.bin, "kevolve", "kevolve-profiler")
    document = common.header("explain", arguments)
    names = arguments.task or (OPERATORS if arguments.long else SHORT)
    candidates = arguments.candidates or (12 if arguments.long else 2)
    common.each(document, names, lambda name: measure(arguments.bin, name, candidates))
    common.publish(common.close(document), render(document), arguments.json)


if __name__ == "__main__":
    main()
