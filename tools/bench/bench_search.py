"""Compares searches with random choice of parents, using the same moves, drafts, seeds and budget. Reports the
candidates judged until the champion reaches 90 % of the best speed-up found by any run. Ends with 1 if a campaign did not run, or
judged no candidate valid.
"""

from __future__ import annotations

import argparse
import statistics

import bench_quality
import common
from common import Json

POLICIES = ["adaptive", "random"]  # unless others are named; the last is what the first ones are compared with
SHARE = 0.9


def evaluations(curve: list[Json], wanted: float) -> int | None:
    """Returns the candidates judged until the champion was that fast."""
    return next((point["candidates"] for point in curve if point["speedup"] >= wanted), None)


def summary(runs: list[Json], wanted: float, budget: int) -> Json:
    """Summarises the runs. A run that never reached the goal counts with its whole budget, as a lower bound."""
    reached = [evaluations(r["curve"], wanted) for r in runs]
    return {"final": [r["speedup"] for r in runs], "evaluations": reached,
            "reached": sum(e is not None for e in reached),
            "median_evaluations": statistics.median(budget if e is None else e for e in reached)}


def measure(arguments: argparse.Namespace, task: str, seeds: int) -> Json:
    runs: dict[str, list[Json]] = {p: [] for p in arguments.policy}
    for seed in range(arguments.seed, arguments.seed + seeds):
        with_seed = argparse.Namespace(**vars(arguments) | {"seed": seed})
        for policy in arguments.policy:  # in turn, so that all see the same noise of the machine
            common.say(f"{task}: {policy}, seed {seed}")
            with common.scratch() as folder:
                done = bench_quality.campaign_of(with_seed, bench_quality.campaign_file(task, folder), arguments.wall, folder, f"search.policy={policy}")
            if done:
                runs[policy].append({"seed": seed, "speedup": done["speedup"], "curve": done["curve"],
                                     "candidates": done["candidates"], "valid": done["run"]["valid"], "stop_reason": done["stop_reason"]})
    best = max((r["speedup"] for all_of in runs.values() for r in all_of), default=0.0)
    return {"task": task, "best": best, "runs": runs,
            "policies": {p: summary(runs[p], SHARE * best, arguments.budget) for p in arguments.policy if runs[p]}}


def failures(document: Json) -> list[str]:
    """Returns a line for each campaign without a valid candidate, and for each policy whose campaigns did not all run."""
    out = []
    for t in document["tasks"]:
        for policy, runs in t["runs"].items():
            if len(runs) < document["seeds"]:
                out.append(f"{t['task']}, {policy}: {document['seeds'] - len(runs)} of {document['seeds']} campaigns did not run")
            out += [f"{t['task']}, {policy}, seed {r['seed']}: none of {r['candidates']} candidates is valid" for r in runs if not r["valid"]]
    return out


def row_of(t: Json, policies: list[str]) -> list[str]:
    out = [t["task"], f"{t['best']:.2f}×"]
    for p in policies:
        s = t["policies"].get(p)
        if not s:
            out += ["-", "-"]
            continue
        bound = "" if s["reached"] * 2 > len(s["final"]) else "≥ "
        out += [f"{statistics.median(s['final']):.2f}× ({min(s['final']):.2f}–{max(s['final']):.2f})",
                f"{bound}{s['median_evaluations']:.0f} ({s['reached']} of {len(s['final'])})"]
    return out


def render(document: Json) -> str:
    policies = document.get("policies", ["uct", "random"])  # of documents that name none
    rows = [["task", "best"] + [cell for p in policies for cell in (f"{p}: final (least–most)", "to 90 % of best")]]
    rows += [row_of(t, policies) for t in document["tasks"]]
    limit = f" or {document['wall']} s" if "wall" in document else ""
    return common.table(rows) + (
        f"\n\n{document['seeds']} seeds, {document['budget']} candidates{limit} each. To 90 %: median of candidates judged until the "
        "champion was at 90 % of the best final result of that task. In brackets: how many runs came there.")


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--task", action="append", choices=bench_quality.CAMPAIGNS + bench_quality.MORE,
                   help="only this one; may be repeated")
    p.add_argument("--budget", type=int, metavar="N", help="candidates of each run (short 30, long 80)")
    p.add_argument("--seeds", type=int, help="runs of each policy (short 2, long 5)")
    p.add_argument("--policy", action="append", metavar="NAME", help="compare these, the last one as the baseline (adaptive, random)")
    p.add_argument("--wall", type=int, default=600, help="most seconds of a run")
    arguments = p.parse_args()
    common.need(arguments.bin, "kevolve", "bench-winner")
    arguments.policy = arguments.policy or POLICIES
    arguments.budget = arguments.budget or (80 if arguments.long else 30)
    seeds = arguments.seeds or (5 if arguments.long else 2)
    document = common.header("search", arguments) | {
        "budget": arguments.budget, "seeds": seeds, "wall": arguments.wall, "policies": arguments.policy}
    common.each(document, arguments.task or ["softmax", "map_id", "row_statistics"],
                lambda t: measure(arguments, t, seeds))
    common.publish(common.close(document), render(document), arguments.json)
    for line in (failed := failures(document)):
        common.say(line)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
