"""Measures what skills save: campaigns of one half of the tasks earn them, campaigns of the other half run with and
without, and the halves are swapped. Reports how many candidates are judged until one is confirmed at 95 % of the best
that the lessons of the task found. Candidates are counted, so that the machine's load does not matter: each is compiled
and screened, equal code once for all campaigns of a task. Shapes are small, so that this is quick.
"""

from __future__ import annotations

import argparse
import json
import random
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
CAMPAIGN = common.ROOT / "config" / "examples" / "softmax.toml"
# The halves: each has products, rows, stencils, sums over pairs, and one task with little to share.
HALVES = [["gemm", "softmax_rows", "conv2d", "nearest", "black_scholes", "mbdt"],
          ["attention", "layernorm", "row_lse", "sobel", "n_body", "map_id"]]
SHORT = [["softmax_rows"], ["row_lse"]]
SHARE = 0.95
ARMS = ["without", "with"]
WANTED = 1.5
DRAWS = 2000
FIGURES = {"judge": "the judge's screening", "calls": "the fastest of plain calls in turn with the reference, with outputs compared on one draw; no judge"}


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


def learn(arguments: argparse.Namespace, names: list[str], data: Path) -> Json:
    """Runs campaigns in that node's data, which earn skills. Returns how many there are then, by their state."""
    out: Json = {}
    for name in names:
        for seed in range(arguments.seed, arguments.seed + arguments.lessons):
            common.say(f"{name}: learns, seed {seed}")
            with common.scratch() as folder:
                done = run(arguments, name, data, folder, 1000 + seed)
            out = done["skills"] if done else out
    return out


def run(arguments: argparse.Namespace, name: str, data: Path, folder: Path, seed: int) -> Json | None:
    """Runs one campaign of a node with that data directory, and returns what its winner says."""
    file = folder / f"{name}.toml"
    file.write_text(f"task = {json.dumps(str(task_file(name, folder)))}\ntarget = \"cpu\"\nseed = 1\n\n[[generator]]\nkind = \"transform\"\n"
                    "plans = false\n", encoding="utf-8")
    done = subprocess.run([arguments.bin / "kevolve", "run", file, "--data", data, "--json", "--quiet", "--set", f"seed={seed}",
                           "--set", f"budget.candidates={arguments.budget}", "--set", f"budget.wall={arguments.wall}s",
                           "--set", "stop.speedup=1000000", "--set", "stop.stall=100000", "--set", "profile.share=0"],
                          stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout.strip() or done.returncode == 2:
        common.say(f"{name}: kevolve run ended with status {done.returncode}: {done.stdout.strip()}")
        return None
    ended: Json = json.loads(done.stdout.strip().splitlines()[-1])
    return common.ask([arguments.bin / "bench-winner", "--data", data, "--out", folder, "--campaign", ended["campaign"]])


def plan_of(arguments: argparse.Namespace, halves: list[list[str]], plans: bool) -> Json:
    """Returns the plan that bench-skills reads."""
    def task(name: str) -> Json:
        return {"name": name, "file": str(TASKS / f"{name}.task.toml"), "sizes": bench_landscape.SIZES[name]}

    return {"campaign": str(CAMPAIGN), "halves": [[task(n) for n in half] for half in halves], "seed": arguments.seed, "seeds": arguments.seeds,
            "candidates": arguments.budget, "lessons": arguments.lessons, "share": SHARE, "seconds": arguments.seconds, "swap": arguments.swap,
            "plans": plans, "calls": arguments.figures == "calls", "first_ms": 100, "second_ms": 400}


def counts(task: Json, budget: int) -> list[tuple[int, int]]:
    """Returns the evaluations to the goal of each seed, without and with skills; a run that missed it counts as its budget."""
    def one(run: Json) -> int:
        found = evaluations(run["curve"], task["goal"])
        return budget if found is None else found

    return [(one(r["without"]), one(r["with"])) for r in task["runs"]]


def saving(pairs: list[tuple[int, int]]) -> float | None:
    """Returns how many times the evaluations with skills those without are, by their means."""
    return sum(a for a, _ in pairs) / max(1, sum(b for _, b in pairs)) if pairs else None


def interval(pairs: list[tuple[int, int]]) -> list[float]:
    """Returns the 95 % interval of a task's saving, over seeds that are drawn anew."""
    rng = random.Random(1)
    found = sorted(saving(rng.choices(pairs, k=len(pairs))) or 0.0 for _ in range(DRAWS)) if pairs else []
    return [found[int(0.025 * DRAWS)], found[int(0.975 * DRAWS) - 1]] if found else []


def median_interval(tasks: list[list[tuple[int, int]]]) -> list[float]:
    """Returns the 95 % interval of the median saving, over tasks and seeds that are drawn anew."""
    rng = random.Random(1)
    found = sorted(statistics.median(saving(rng.choices(t, k=len(t))) or 0.0 for t in rng.choices(tasks, k=len(tasks))) for _ in range(DRAWS))
    return [found[int(0.025 * DRAWS)], found[int(0.975 * DRAWS) - 1]]


def floor_of(task: Json, budget: int) -> float | None:
    """Returns the fewest evaluations to the goal that a choice which knows all skills beforehand could reach. The best skill that any run tried from the
    reference comes first. The way from its speed-up to the goal follows, as the mean of the runs that came so far. It is too low by the luck of those
    that came further at once. A run that missed the goal counts to its budget. None: the raw data has no trials."""
    if not any("trials" in r["with"] for r in task["runs"]):
        return None
    without = statistics.fmean(a for a, _ in counts(task, budget))
    level = max((t["to"] for r in task["runs"] for t in r["with"]["trials"] if t["from"] == 1.0), default=0.0)
    if level >= task["goal"]:
        return 1.0
    if level <= 1.0:
        return without
    ways = []
    for run in (r[arm] for r in task["runs"] for arm in ARMS):
        if (begun := evaluations(run["curve"], level)) is not None:
            ended = evaluations(run["curve"], task["goal"])
            ways.append((budget if ended is None else ended) - begun)
    return min(without, 1.0 + statistics.fmean(ways)) if ways else without


def floors(document: Json, plans: bool) -> list[float]:
    """Returns how many times that many evaluations the mean without skills is, of each task with a floor."""
    out = []
    for t in document["tasks"]:
        pairs = counts(t, document["budget"])
        floor = floor_of(t, document["budget"])
        if t["plans"] == plans and pairs and floor is not None:
            out.append(statistics.fmean(a for a, _ in pairs) / floor)
    return out


def summary(document: Json, plans: bool) -> Json | None:
    """Returns the figures over all tasks that ran with this setting of plans."""
    pairs = [p for t in document["tasks"] if t["plans"] == plans and (p := counts(t, document["budget"]))]
    if not pairs:
        return None
    ratios = [saving(p) or 0.0 for p in pairs]
    medians = [statistics.median(a for a, _ in p) / max(1.0, statistics.median(b for _, b in p)) for p in pairs]
    worse = [i for p in pairs if (i := interval(p)) and i[1] < 1.0]
    better, slower = sum(r > 1.0 for r in ratios), sum(r < 1.0 for r in ratios)
    return {"tasks": len(pairs), "median": statistics.median(ratios), "interval": median_interval(pairs), "median_of_medians": statistics.median(medians),
            "better": better, "worse": slower, "sign_test": bench_landscape.sign_test(better, slower), "worse_beyond_noise": len(worse)}


def rows_of(document: Json) -> list[list[str]]:
    rows = [["task", "plans", "best of the lessons", "at the goal without", "with", "evaluations without", "with", "saving (95 %)", "by a skill at once"]]
    has_floors = any(floors(document, plans) for plans in (False, True))
    if has_floors:
        rows[0].append("best skill first")
    for t in document["tasks"]:
        pairs = counts(t, document["budget"])
        reached = [sum(evaluations(r[arm]["curve"], t["goal"]) is not None for r in t["runs"]) for arm in ARMS]
        means = [statistics.fmean(p[i] for p in pairs) if pairs else None for i in (0, 1)]
        at_once = sum(r["with"]["applied_first"] for r in t["runs"])
        rows.append([t["task"], "yes" if t["plans"] else "no", f"{t['best_of_lessons']:.2f}×", *(f"{n} of {len(pairs)}" for n in reached),
                     *(common.number(m, 1) for m in means), f"{common.number(saving(pairs))} ({common.interval(interval(pairs))})",
                     f"{at_once} of {5 * len(pairs)}", *([common.number(floor_of(t, document["budget"]), 1)] if has_floors else [])])
    return rows


def failures(document: Json) -> list[str]:
    """Returns a line for each failure: lessons that earned nothing, a task without a run, a campaign without a valid
    candidate. So does an arm whose steps were given skills, or none, against its setting."""
    out = [f"{', '.join(b['learnt_on'])}: no skill was earned" for b in document["books"] if b["asked"] and not b["skills"]]
    for t in document["tasks"]:
        if not t["runs"]:
            out.append(f"{t['task']}: no campaign ran")
        elif not sum(r["with"]["given"] for r in t["runs"]):
            out.append(f"{t['task']}, with skills: no step was given one")
        out += [f"{t['task']}, without skills, seed {r['seed']}: {r['without']['given']} steps were given some" for r in t["runs"] if r["without"]["given"]]
        out += [f"{t['task']}, {arm} skills, seed {r['seed']}: no valid candidate" for r in t["runs"] for arm in ARMS if not r[arm]["valid"]]
    return out


def page_table(documents: dict[str, Json]) -> str:
    return render(next(iter(documents.values())))


def sentence(figures: Json, plans: str) -> str:
    return (f"Without skills, {plans} plans, the median task needs {common.number(figures['median'])} times the evaluations "
            f"({common.interval(figures['interval'])}; {WANTED} is wanted); by the median of the seeds in place of their mean "
            f"{common.number(figures['median_of_medians'])}. Skills save on {figures['better']} of {figures['better'] + figures['worse']} tasks "
            f"(sign test {common.number(figures['sign_test'], 3)}); {figures['worse_beyond_noise']} are worse beyond their noise.")


def floor_sentence(document: Json, plans: bool) -> str | None:
    found = floors(document, plans)
    if not found:
        return None
    return (f"If each task's best skill came first, and the search then went on as it does: {common.number(statistics.median(found))} times in the median of "
            f"{len(found)} tasks. Best skill first: it, and the way from its speed-up to the goal, by the runs that came so far.")


def books_text(document: Json) -> str:
    return "; ".join(f"{', '.join(b['learnt_on'])}{', with plans' if b['plans'] else ''}: "
                     + (", ".join(f"{n} {s}" for s, n in sorted(b["states"].items())) or "none") for b in document["books"] if b["asked"])


def render(document: Json) -> str:
    told = [sentence(f, word) for plans, word in ((False, "no"), (True, "with")) if (f := summary(document, plans))]
    told += [s for plans in (False, True) if (s := floor_sentence(document, plans))]
    cost = document["cost"]
    return "\n\n".join([common.table(rows_of(document)), *told,
                        f"{document['seeds']} seeds, at most {document['budget']} candidates each; the goal is {100 * SHARE:.0f} % of the best of "
                        f"{document['lessons']} lessons of {document['budget']}. A run that missed it counts as its budget. By a skill at once: of the "
                        f"first five candidates with skills. Intervals: over seeds, that of the median over tasks and seeds. Skills earned: {books_text(document)}. "
                        f"Figures: {FIGURES[document['figures']]}. An evaluation took {common.number(cost['compile_s'] / max(1, cost['compiled']))} s to compile and "
                        f"{common.number(cost['judge_s'] / max(1, cost['screened'] + cost['confirmed']))} s to measure, with waits; {cost['compiled']:,} were compiled and "
                        f"{cost['screened']:,} measured for {cost['asked']:,} proposals."])


def trial(arguments: argparse.Namespace, halves: list[list[str]], plans: bool) -> Json:
    with common.scratch() as folder:
        plan = folder / "plan.json"
        plan.write_text(json.dumps(plan_of(arguments, halves, plans)), encoding="utf-8")
        done = common.ask([arguments.bin / "bench-skills", plan, "--bin", arguments.bin])
    if done is None:
        raise SystemExit(2)
    for part in (*done["tasks"], *done["books"]):
        part["plans"] = plans
    for i, book in enumerate(done["books"]):
        book["asked"] = arguments.swap or i == 0  # without the swap, only the first half's skills are asked for
    return done


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--seeds", type=int, help="runs of each arm (short 1, long 5)")
    p.add_argument("--budget", type=int, help="candidates of each run (short 12, long 60)")
    p.add_argument("--lessons", type=int, help="campaigns of each task that earn skills (short 1, long 2)")
    p.add_argument("--plans", choices=["no", "yes", "both"], default="no", help="the generator's own sequences")
    p.add_argument("--task", nargs="+", help="these tasks of the halves alone", choices=[t for half in HALVES for t in half])
    p.add_argument("--figures", choices=["judge", "calls"], default="judge",
                   help="the judge's screening, or the fastest of plain calls, which wait for no timing core")
    p.add_argument("--seconds", type=float, default=86_400.0, help="no campaign begins after so many; what did not run is left out, and said")
    arguments = p.parse_args()
    common.need(arguments.bin, "bench-skills", "bench-call-runner")
    long = arguments.long
    arguments.seeds = arguments.seeds or (5 if long else 1)
    arguments.budget = arguments.budget or (60 if long else 12)
    arguments.lessons = arguments.lessons or (2 if long else 1)
    arguments.swap = long
    halves = [[t for t in half if not arguments.task or t in arguments.task] for half in (HALVES if long else SHORT)]
    document = common.header("skills", arguments) | {"figures": arguments.figures, "seeds": arguments.seeds, "budget": arguments.budget, "lessons": arguments.lessons,
                                                     "tasks": [], "books": [], "cost": {}}
    for plans in {"no": [False], "yes": [True], "both": [False, True]}[arguments.plans]:
        done = trial(arguments, halves, plans)
        document["tasks"] += done["tasks"]
        document["books"] += done["books"]
        document["cost"] = {k: v + document["cost"].get(k, 0) for k, v in done["cost"].items()}
    document["summary"] = {"no plans": summary(document, False), "plans": summary(document, True)}
    common.publish(common.close(document), render(document), arguments.json)
    for line in (failed := failures(document)):
        common.say(line)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
