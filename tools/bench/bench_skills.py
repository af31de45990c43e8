"""Measures what skills save: campaigns of one half of the tasks earn them, campaigns of the other half run with and
without, and the halves are swapped. Reports how many candidates are judged until the champion reaches 95 % of the
best speed-up of any run of the task. Reports the median of the ratio over the tasks, too. Shapes are small, so that a candidate is quick.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
from pathlib import Path

import bench_landscape
import common
from bench_search import evaluations
from common import Json

TASKS = common.ROOT / "config" / "tasks"
# The halves: each has products, rows, stencils, sums over pairs, and one task with little to share.
HALVES = [["gemm", "softmax_rows", "conv2d", "nearest", "black_scholes", "mbdt"],
          ["attention", "layernorm", "row_lse", "sobel", "n_body", "map_id"]]
SHORT = [["softmax_rows"], ["row_lse"]]
SHARE = 0.95
GENERATOR = "transform"


def task_file(name: str, folder: Path) -> Path:
    """Copies the task with its first shape alone, at the sizes of the landscapes, and returns its file."""
    shutil.copytree(TASKS, folder / "tasks", dirs_exist_ok=True, ignore=lambda at, names: [n for n in names if (Path(at) / n).is_dir()])
    task = folder / "tasks" / f"{name}.task.toml"
    head, first, rest = (TASKS / task.name).read_text(encoding="utf-8").partition("[[shape]]\n")
    shape, following, tail = rest.partition("\n[")
    for size, n in bench_landscape.SIZES[name].items():
        shape = re.sub(rf"(?m)^{size} = .*$", f"{size} = {n}", shape)
    task.write_text(head + first + shape + following + tail, encoding="utf-8")
    return task


def campaign_file(name: str, folder: Path, *, plans: bool, skills: bool) -> Path:
    made = folder / f"{name}.toml"
    made.write_text(f"task = {json.dumps(str(task_file(name, folder)))}\ntarget = \"cpu\"\nseed = 1\n\n[[generator]]\nkind = \"{GENERATOR}\"\n"
                    f"plans = {json.dumps(plans)}\nskills = {json.dumps(skills)}\n", encoding="utf-8")
    return made


def run(arguments: argparse.Namespace, name: str, data: Path, folder: Path, seed: int, *, plans: bool, skills: bool) -> Json | None:
    """Runs one campaign in that data directory, and returns its curve."""
    file = campaign_file(name, folder, plans=plans, skills=skills)
    done = subprocess.run([arguments.bin / "kevolve", "run", file, "--data", data, "--json", "--quiet", "--set", f"seed={seed}",
                           "--set", f"budget.candidates={arguments.budget}", "--set", f"budget.wall={arguments.wall}s",
                           "--set", "stop.speedup=1000000", "--set", "stop.stall=100000", "--set", "profile.share=0"],
                          stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout.strip() or done.returncode == 2:
        common.say(f"{name}: kevolve run ended with status {done.returncode}: {done.stdout.strip()}")
        return None
    ended: Json = json.loads(done.stdout.strip().splitlines()[-1])
    winner = common.ask([arguments.bin / "bench-winner", "--data", data, "--out", folder, "--campaign", ended["campaign"]])
    return winner and {k: winner[k] for k in ("seed", "speedup", "curve", "candidates", "skills", "given_skills", "applied_skills")}


def measure(arguments: argparse.Namespace, name: str, learnt: Path, plans: bool) -> Json:
    runs: dict[str, list[Json]] = {"without": [], "with": []}
    for seed in range(arguments.seed, arguments.seed + arguments.seeds):
        for arm, found in runs.items():  # in turn, so that both see the same noise of the machine
            common.say(f"{name}: {arm} skills, {'with' if plans else 'without'} plans, seed {seed}")
            with common.scratch() as folder:
                shutil.copytree(learnt, folder / "data")
                done = run(arguments, name, folder / "data", folder, seed, plans=plans, skills=arm == "with")
            if done:
                found.append(done)
    best = max((r["speedup"] for found in runs.values() for r in found), default=0.0)
    out: Json = {"task": name, "plans": plans, "best": best, "runs": runs}
    for arm, found in runs.items():
        reached = [evaluations(r["curve"], SHARE * best) for r in found]
        out[arm] = {"reached": sum(e is not None for e in reached), "of": len(found),
                    "evaluations": statistics.median(arguments.budget if e is None else e for e in reached) if reached else None,
                    "final": statistics.median(r["speedup"] for r in found) if found else None}
    a, b = out["without"]["evaluations"], out["with"]["evaluations"]
    out["ratio"] = a / b if a and b else None
    return out


def learn(arguments: argparse.Namespace, names: list[str], data: Path, plans: bool) -> Json:
    """Returns how many skills there are then, by their state."""
    out: Json = {}
    for name in names:
        for seed in range(arguments.seed, arguments.seed + arguments.lessons):
            common.say(f"{name}: learns, {'with' if plans else 'without'} plans, seed {seed}")
            with common.scratch() as folder:
                done = run(arguments, name, data, folder, 1000 + seed, plans=plans, skills=True)
            out = done["skills"] if done else out
    return out


def rows_of(document: Json) -> list[list[str]]:
    rows = [["task", "plans", "best", "evaluations without", "with", "ratio", "final without", "with"]]
    for t in document["tasks"]:
        cells = [f"{common.number(t[arm]['evaluations'], 0)} ({t[arm]['reached']} of {t[arm]['of']})" for arm in ("without", "with")]
        rows.append([t["task"], "yes" if t["plans"] else "no", f"{t['best']:.2f}×", *cells, common.number(t["ratio"]),
                     *(f"{common.number(t[arm]['final'])}×" for arm in ("without", "with"))])
    return rows


def failures(document: Json) -> list[str]:
    """Returns a line for each campaign that did not run, and for lessons that earned nothing. An arm whose steps were given
    skills, or none, against its setting is one, too."""
    out = [f"{b['learnt_on']}: no skill was earned" for b in document["books"] if not sum((b["skills"] or {}).values())]
    for t in document["tasks"]:
        for arm, runs in t["runs"].items():
            if len(runs) < document["seeds"]:
                out.append(f"{t['task']}, {arm} skills: {document['seeds'] - len(runs)} of {document['seeds']} campaigns did not run")
            out += [f"{t['task']}, {arm} skills, seed {r['seed']}: no candidate" for r in runs if not r["candidates"]]
        if not sum(r["given_skills"] for r in t["runs"]["with"]):
            out.append(f"{t['task']}, with skills: no step was given one")
        out += [f"{t['task']}, without skills, seed {r['seed']}: {r['given_skills']} steps were given some"
                for r in t["runs"]["without"] if r["given_skills"]]
    return out


def median_ratios(tasks: list[Json]) -> Json:
    out: Json = {}
    for plans in (False, True):
        found = [t["ratio"] for t in tasks if t["plans"] == plans and t["ratio"]]
        out["plans" if plans else "no plans"] = statistics.median(found) if found else None
    return out


def page_table(documents: dict[str, Json]) -> str:
    return render(next(iter(documents.values())))


def render(document: Json) -> str:
    ratios = document["median_ratio"]
    books = "; ".join(f"{b['learnt_on']}{', with plans' if b['plans'] else ''}: {', '.join(f'{n} {s}' for s, n in b['skills'].items()) or 'none'}"
                      for b in document["books"])
    return common.table(rows_of(document)) + (
        f"\n\nMedian ratio of evaluations to {100 * SHARE:.0f} % of the best: {common.number(ratios['no plans'])} without plans, "
        f"{common.number(ratios['plans'])} with. {document['seeds']} seeds, {document['budget']} candidates each; a run that never came "
        f"there counts as its budget. In brackets: how many came there. Skills earned: {books}.")


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--seeds", type=int, help="runs of each arm (short 1, long 5)")
    p.add_argument("--budget", type=int, help="candidates of each run (short 12, long 60)")
    p.add_argument("--lessons", type=int, help="campaigns of each task that earn skills (short 1, long 2)")
    p.add_argument("--wall", type=int, default=300, help="most seconds of a run")
    p.add_argument("--plans", choices=["no", "yes", "both"], help="the generator's own sequences (short no, long both)")
    p.add_argument("--swap", action=argparse.BooleanOptionalAction, help="swap the halves, too (short no, long yes)")
    arguments = p.parse_args()
    common.need(arguments.bin, "kevolve", "bench-winner")
    long = arguments.long
    arguments.seeds = arguments.seeds or (5 if long else 1)
    arguments.budget = arguments.budget or (60 if long else 12)
    arguments.lessons = arguments.lessons or (2 if long else 1)
    halves = HALVES if long else SHORT
    plans = {"no": [False], "yes": [True], "both": [False, True]}[arguments.plans or ("both" if long else "no")]
    orders = [halves, halves[::-1]] if (long if arguments.swap is None else arguments.swap) else [halves]
    document = common.header("skills", arguments) | {"seeds": arguments.seeds, "budget": arguments.budget, "tasks": [], "books": []}
    for with_plans in plans:
        for lessons, others in orders:
            with common.scratch() as folder:
                earned = learn(arguments, lessons, folder / "data", with_plans)
                document["books"].append({"learnt_on": ", ".join(lessons), "plans": with_plans, "skills": earned})
                measured: Json = {}
                common.each(measured, others, lambda t, at=folder / "data", y=with_plans: measure(arguments, t, at, y))
                document["tasks"] += measured["tasks"]
                if "cut_off" in measured:
                    document["cut_off"] = measured["cut_off"]
            if "cut_off" in document:
                break
    document["median_ratio"] = median_ratios(document["tasks"])
    common.publish(common.close(document), render(document), arguments.json)
    for line in (failed := failures(document)):
        common.say(line)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
