"""Plays search policies on recorded landscapes: the measured candidates of a task, in place of generator and judge.

  landscape                compares the policies on the records; without --records on the six that are shipped
  landscape record         measures candidates of tasks by uniform expansion; goes on where it was stopped
  landscape play           plays the contenders that are named, and prints the share of steps that a record lacks
  landscape bound          adds to finished records what bounds their candidates, made again from their moves
  landscape moves          compares campaigns with and without move priorities, on records that hold bottlenecks
  landscape constants      chooses constants on half of the records and confirms them on the other half

Example: tools/bench/run landscape record --task softmax_rows --seconds 180 --out records
         tools/bench/run landscape record --seconds 300 --out records --keep-finished     all twelve; again after a stop, for the rest
         tools/bench/run landscape play --records records --contender adaptive --contender "wide: search.exploration=2"
         tools/bench/run landscape record --bound 2 … (or landscape bound --records FOLDER) and landscape moves --records FOLDER
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import common
from common import Json

SHIPPED = common.ROOT / "tests" / "landscape" / "records"
CAMPAIGN = common.ROOT / "config" / "examples" / "softmax.toml"
MOST_LACKING = 0.05  # a figure counts only if its records lack fewer of the wanted steps
ONE = "search.in_flight=1"
# Small shapes of the tasks, which the judge measures in a fraction of a second.
SIZES: dict[str, dict[str, int]] = {
    "softmax_rows": {"rows": 128, "cols": 512}, "layernorm": {"rows": 256, "cols": 512}, "row_lse": {"rows": 128, "cols": 512},
    "gemm": {"m": 96, "n": 96, "k": 96},
    "conv2d": {"batch": 1, "channels": 8, "outputs": 8, "height": 34, "width": 34, "side": 3},
    "attention": {"length": 96, "dim": 64}, "nearest": {"n": 512, "k": 32, "dim": 32}, "n_body": {"n": 256},
    "sobel": {"height": 270, "width": 480}, "black_scholes": {"n": 16384},
    "mbdt": {"features": 64, "batch": 512, "borders_each": 8}, "map_id": {"entries": 4096, "count": 32768},
}
DEFAULT = "adaptive"  # the policy of a campaign file that names none
POLICIES = ["random", "greedy", "beam", "evolution", "uct"]  # the others
MEMORIES = ["parent", "siblings", "both"]
CONTENDERS = [
    f"default: {ONE}", *[f"{p}: search.policy={p}; {ONE}" for p in POLICIES], f"omniscient: play.omniscient=true; {ONE}",
    "evolution, 16 in flight: search.policy=evolution; search.in_flight=16", "default, 16 in flight: search.in_flight=16",
    *[f"memory {m} alone: " + "; ".join(f"memory.{x}={float(x == m)}" for x in [*MEMORIES, "none"]) + f"; {ONE}" for m in MEMORIES],
    f"no fresh starts: memory.none=0; stall.restarts=0; {ONE}", f"no crossover: search.combine=0; {ONE}",
    f"evolution without crossover: search.policy=evolution; evolution.crossover=0; {ONE}", f"no novelty: play.novelty=false; {ONE}",
]
# Pairs of contenders: the first is compared with the second.
COMPARISONS = [
    ("default", "random"), *[("default", p) for p in POLICIES[1:]], ("omniscient", "random"), ("omniscient", "default"),
    *[(f"memory {m} alone", "default") for m in MEMORIES], ("no fresh starts", "default"), ("no crossover", "default"),
    ("evolution without crossover", "evolution"), ("no novelty", "default"),
]
IN_FLIGHT = [("evolution, 16 in flight", "evolution"), ("default, 16 in flight", "default")]
# Settings among which `constants` chooses.
CONSTANTS = [
    *[f"uct {c}: search.policy=uct; search.exploration={c}; {ONE}" for c in (0.1, 0.25, 0.5, 2.0)],
    *[f"uct {c}, widening {w}: search.policy=uct; search.exploration={c}; search.widening={w}; {ONE}"
      for c in (0.1, 0.25, 0.5, 1.0) for w in (1.0, 4.0)],
    *[f"beam {w}: search.policy=beam; search.beam_width={w}; {ONE}" for w in (4, 8, 16)],
    *[f"adaptive {n}: search.policy=adaptive; stall.after={n}; {ONE}" for n in (6, 12, 24)],
    *[f"evolution {i}: search.policy=evolution; evolution.islands={i}; {ONE}" for i in (1, 2)],
    f"greedy: search.policy=greedy; {ONE}", f"random: search.policy=random; {ONE}",
]


def records_of(arguments: argparse.Namespace) -> list[Path]:
    found = sorted(arguments.records.glob("*.landscape"))
    if not found:
        raise SystemExit(f"{arguments.records} has no *.landscape: tools/bench/run landscape record --out {arguments.records}")
    return found


def play(arguments: argparse.Namespace, records: list[Path], contenders: list[str]) -> Json:
    command: list[object] = [arguments.bin / "bench-landscape", "play", *records, "--campaign", CAMPAIGN, "--seeds", arguments.seeds,
                             "--seed", arguments.seed, "--budget", arguments.budget, "--share", arguments.share]
    if arguments.other_generator or arguments.records == SHIPPED:  # test data, which stays when the generator changes
        command.append("--other-generator")
    for c in contenders:
        command += ["--contender", c]
    common.say(f"{len(contenders)} contenders on {len(records)} landscapes, {arguments.seeds} seeds")
    played = common.ask(command)
    if played is None:
        raise SystemExit(2)
    for landscape in played["landscapes"]:
        landscape["record"] = Path(landscape["record"]).name
        landscape["plays"] = {p["contender"]: p for p in landscape["plays"]}
    return played


def sign_test(better: int, worse: int) -> float:
    """Returns the chance of so many better ones, or more, if neither is better; ties are left out."""
    n = better + worse
    return sum(math.comb(n, k) for k in range(better, n + 1)) / 2**n


def resampled(values: list[tuple[list[float], list[float]]], figure: Callable[[list[tuple[list[float], list[float]]]], float | None],
              draws: int = 400) -> list[float]:
    """Returns the 95 % interval of a figure over tasks and seeds, both drawn anew; the seeds of a pair stay together."""
    rng = random.Random(1)
    found = []
    for _ in range(draws):
        sample = []
        for a, b in rng.choices(values, k=len(values)):
            seeds = rng.choices(range(len(a)), k=len(a))
            sample.append(([a[i] for i in seeds], [b[i] for i in seeds]))
        if (x := figure(sample)) is not None:
            found.append(x)
    found.sort()
    return [found[int(0.025 * len(found))], found[int(0.975 * len(found))]] if found else []


def ratio(pair: tuple[list[float], list[float]]) -> float | None:
    """Returns the ratio of restricted means: the evaluations after the first drafts, a miss as the budget. None if all the
    drafts were at the goal."""
    a, b = sum(pair[0]), sum(pair[1])
    return a / b if b > 0 else (None if a == 0 else math.inf)


def median_ratio(pairs: list[tuple[list[float], list[float]]]) -> float | None:
    found = [r for p in pairs if (r := ratio(p)) is not None]
    return statistics.median(found) if found else None


def final_ratio(pairs: list[tuple[list[float], list[float]]]) -> float | None:
    return math.exp(statistics.fmean(math.log(x / y) for a, b in pairs for x, y in zip(a, b))) if pairs else None


def counted(landscapes: list[Json], first: str, second: str) -> list[Json]:
    return [x for x in landscapes if all(x["plays"][c]["lacking"] < MOST_LACKING for c in (first, second))]


def comparison(landscapes: list[Json], first: str, second: str) -> Json:
    among = counted(landscapes, first, second)
    pairs = [(x["plays"][first]["evaluations"], x["plays"][second]["evaluations"]) for x in among]
    ratios = [r for p in pairs if (r := ratio(p)) is not None]
    better, worse = sum(r < 1 for r in ratios), sum(r > 1 for r in ratios)
    return {"first": first, "second": second, "landscapes": len(among), "of": len(landscapes), "median_ratio": median_ratio(pairs),
            "interval": resampled(pairs, median_ratio) if pairs else [], "better": better, "worse": worse,
            "sign_test": sign_test(better, worse),
            "ratios": {x["record"]: r for x, p in zip(among, pairs) if (r := ratio(p)) is not None}}


def in_flight(landscapes: list[Json], first: str, second: str) -> Json:
    among = counted(landscapes, first, second)
    pairs = [(x["plays"][first]["final"], x["plays"][second]["final"]) for x in among]
    return {"first": first, "second": second, "landscapes": len(among), "of": len(landscapes), "final_ratio": final_ratio(pairs),
            "interval": resampled(pairs, final_ratio) if pairs else []}


def lacking(landscapes: list[Json], name: str) -> float:
    steps = sum(x["plays"][name]["steps"] for x in landscapes)
    return sum(x["plays"][name]["lacking"] * x["plays"][name]["steps"] for x in landscapes) / max(1, steps)


def compare(arguments: argparse.Namespace) -> Json:
    played = play(arguments, records_of(arguments), CONTENDERS)
    all_of = played["landscapes"]
    return played | {"default": DEFAULT, "comparisons": [comparison(all_of, a, b) for a, b in COMPARISONS],
                     "in_flight": [in_flight(all_of, a, b) for a, b in IN_FLIGHT],
                     "lacking": {c.split(":")[0]: lacking(all_of, c.split(":")[0]) for c in CONTENDERS}}


def chance(p: float) -> str:
    return "< 0.001" if p < 0.001 else common.number(p, 3)


def named(document: Json, contender: str) -> str:
    """Returns a contender's name for a table, with the policy that was the default of its build; it was uct before records said so."""
    return contender.replace("default", f"default ({document.get('default', 'uct')})")


def shown(document: Json) -> list[str]:
    """Returns the contenders of the table of tasks: the default, the policies that the document has, the omniscient one."""
    played = document["landscapes"][0]["plays"]
    return ["default", *[p for p in [*POLICIES, "adaptive"] if p in played], "omniscient"]


def comparison_rows(document: Json, comparisons: list[Json]) -> list[list[str]]:
    rows = [["policy", "against", "evaluations to the goal, ratio in the median task", "better on", "sign test", "landscapes"]]
    rows += [[named(document, c["first"]), named(document, c["second"]), f"{common.number(c['median_ratio'])} ({common.interval(c['interval'])})",
              f"{c['better']} of {c['better'] + c['worse']}", chance(c["sign_test"]), f"{c['landscapes']} of {c['of']}"]
             for c in comparisons]
    return rows


def task_rows(document: Json) -> list[list[str]]:
    names = shown(document)
    rows = [["landscape", "candidates", "best", "at the goal", *[named(document, n) for n in names]]]
    for x in document["landscapes"]:
        cells = [f"{p['restricted_mean']:.1f}" + ("" if p["lacking"] < MOST_LACKING else f" (lacks {100 * p['lacking']:.0f} %)")
                 for p in (x["plays"][n] for n in names)]
        rows.append([x["record"].removesuffix(".landscape"), str(x["candidates"]), f"{x['best']:.2f}×", str(x["at_the_goal"]), *cells])
    return rows


def render(document: Json) -> str:
    return page(document) + (f"\n\n{document['campaigns']:,.0f} campaigns, {document['campaigns_a_minute']:,.0f} in a minute of processor time.")


def page(document: Json) -> str:
    shares = [document["lacking"][n] for n in shown(document)]
    flights = [["16 in flight against 1", "final speed-up, ratio", "landscapes"]]
    flights += [[named(document, f["second"]), f"{common.number(f['final_ratio'], 3)} ({common.interval(f['interval'], 3)})", f"{f['landscapes']} of {f['of']}"]
                for f in document["in_flight"]]
    return "\n\n".join([
        common.table(task_rows(document)), common.table(comparison_rows(document, document["comparisons"])), common.table(flights),
        f"Mean evaluations after the shared first drafts to {100 * document['share']:.0f} % of the re-measured best; a miss counts as the budget "
        f"of {document['budget']}. {document['seeds']} seeds. Intervals: 95 %, over tasks and seeds. The records lack "
        f"{100 * min(shares):.1f} to {100 * max(shares):.1f} % of the wanted steps; a landscape counts in a row only below "
        f"{100 * MOST_LACKING:.0f} % for both."])


def page_table(documents: dict[str, Json]) -> str:
    """Returns a document of move priorities whole; else the whole of the first document, and of the others the policies beside each other."""
    first, *others = documents.values()
    if "moves" in first:
        return render_moves(first)
    parts = [page(first)]
    for d in others:
        beside = [c for c in d["comparisons"] if c["second"] in ("random", "default") and c["first"] in ("omniscient", *shown(d))]
        plans = "With the generator's ready sequences" if all(x["plans"] for x in d["landscapes"]) else "Without ready sequences"
        parts += [plans + ":", common.table(task_rows(d)), common.table(comparison_rows(d, beside))]
    return "\n\n".join(parts)


def render_play(document: Json) -> str:
    rows = [["landscape", "contender", "evaluations to the goal", "reached", "lacking", "stretched", "simulated seconds"]]
    for x in document["landscapes"]:
        rows += [[x["record"], n, f"{p['restricted_mean']:.1f}", f"{p['reached']} of {document['seeds']}", f"{100 * p['lacking']:.1f} %",
                  f"{100 * p['stretched']:.1f} %", f"{p['seconds']:.0f}"] for n, p in x["plays"].items()]
    return common.table(rows) + (
        "\n\nLacking: the record has no candidate within three changes of the step's parents; a figure counts only below "
        f"{100 * MOST_LACKING:.0f} %. Stretched: it has one only by more changes than were drawn. {document['campaigns_a_minute']:,.0f} campaigns in a minute of processor time.")


def constants(arguments: argparse.Namespace) -> Json:
    records = records_of(arguments)
    names = [c.split(":")[0] for c in CONSTANTS]
    halves = [play(arguments, records[half::2], [f"default: {ONE}", *CONSTANTS])["landscapes"] for half in (0, 1)]

    def worth(name: str) -> float:
        """Returns the geometric mean of the ratios, where a figure counts."""
        found = [r for x in counted(halves[0], name, "default")
                 if (r := ratio((x["plays"][name]["evaluations"], x["plays"]["default"]["evaluations"]))) is not None and 0 < r < math.inf]
        return statistics.geometric_mean(found) if 2 * len(found) > len(halves[0]) else math.inf

    chosen = min(names, key=worth)
    return {"chosen": chosen, "default": DEFAULT, "share": arguments.share, "seeds": arguments.seeds, "budget": arguments.budget,
            "on_the_first_half": {n: worth(n) for n in names},
            "confirmation": comparison(halves[1], chosen, "default")}


def render_constants(document: Json) -> str:
    rows = [["settings", "evaluations of the default's, geometric mean on the first half"]]
    rows += [[n, common.number(x) if x < math.inf else "too few landscapes count"] for n, x in
             sorted(document["on_the_first_half"].items(), key=lambda i: i[1])]
    return common.table(rows) + "\n\nThe first of them on the other half:\n\n" + common.table(comparison_rows(document, [document["confirmation"]]))


# Campaigns that draw moves against the parent's bottleneck three times as often, and campaigns that do not, by two policies.
MOVES = [f"{w}{n}: {p}profile.move_factor={f}; {ONE}" for n, p in (("", ""), (", random", "search.policy=random; "))
         for w, f in (("with", 3), ("without", 1))]


def moves(arguments: argparse.Namespace) -> Json:
    played = play(arguments, records_of(arguments), MOVES)
    informed = [x for x in played["landscapes"] if x["bounds"] > 0]
    if not informed:
        raise SystemExit(f"no record of {arguments.records} holds a bottleneck: tools/bench/run landscape bound --records {arguments.records}")
    return played | {"default": DEFAULT, "moves": [comparison(informed, "with", "without"), comparison(informed, "with, random", "without, random")]}


def render_moves(document: Json) -> str:
    rows = [["landscape", "candidates with a bottleneck", *[f"{m.split(':')[0]} priorities" for m in ("with", "without", "with, random", "without, random")]]]
    for x in document["landscapes"]:
        cells = [f"{p['restricted_mean']:.1f}" + ("" if p["lacking"] < MOST_LACKING else f" (lacks {100 * p['lacking']:.0f} %)")
                 for p in (x["plays"][m.split(":")[0]] for m in MOVES)]
        rows.append([x["record"].removesuffix(".landscape"), f"{x['bounds']} of {x['candidates']}", *cells])
    return "\n\n".join([
        common.table(rows), common.table(comparison_rows(document, document["moves"])),
        f"Mean evaluations after the shared first drafts to {100 * document['share']:.0f} % of the re-measured best; a miss counts as the budget of "
        f"{document['budget']}. {document['seeds']} seeds. Landscapes without a bottleneck count in no ratio."])


def bound(arguments: argparse.Namespace) -> int:
    for path in records_of(arguments):
        name = path.stem
        if arguments.task and name not in arguments.task:
            continue
        command: list[object] = [arguments.bin / "bench-landscape", "bound", "--bin", arguments.bin, "--record", path, "--task",
                                 common.ROOT / "config" / "tasks" / f"{name}.task.toml", "--bound", arguments.bound or 2.0, "--most", arguments.most]
        for size, n in SIZES.get(name, {}).items():
            command += ["--size", f"{size}={n}"]
        if (status := subprocess.run([str(c) for c in command], check=False).returncode) != 0:
            return status
    return 0


def record(arguments: argparse.Namespace) -> int:
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.task or list(SIZES):
        command: list[object] = [arguments.bin / "bench-landscape", "record", "--bin", arguments.bin, "--task",
                                 common.ROOT / "config" / "tasks" / f"{name}.task.toml", "--out", arguments.out / f"{name}.landscape",
                                 "--seconds", arguments.seconds, "--seed", arguments.seed, "--bound", arguments.bound,
                                 *(["--plans"] if arguments.plans else []), *(["--keep-finished"] if arguments.keep_finished else [])]
        for size, n in SIZES.get(name, {}).items():
            command += ["--size", f"{size}={n}"]
        common.say(f"{name}: {arguments.seconds} s")
        if (status := subprocess.run([str(c) for c in command], check=False).returncode) != 0:
            return status
    return 0


def main() -> None:
    p = common.parser(__doc__ or "")
    p.formatter_class = argparse.RawDescriptionHelpFormatter
    p.add_argument("what", nargs="?", choices=["compare", "record", "play", "bound", "moves", "constants"], default="compare")
    p.add_argument("--records", type=Path, default=SHIPPED, help="folder of records (the six that are shipped)")
    p.add_argument("--seeds", type=int, help="campaigns of each contender (short 10, long 40)")
    p.add_argument("--budget", type=int, default=60, help="evaluations after the first drafts")
    p.add_argument("--share", type=float, default=0.95, help="of the re-measured best: the goal")
    p.add_argument("--other-generator", action="store_true", help="play records of other generator versions, too")
    p.add_argument("--contender", action="append", help="play: a policy, or \"name: key=value; key=value\" with a campaign file's settings")
    p.add_argument("--task", action="append", help="record: a task of config/tasks; may be repeated")
    p.add_argument("--seconds", type=int, default=180, help="record: time for each task")
    p.add_argument("--plans", action="store_true", help="record: whole sequences of moves are proposed, too")
    p.add_argument("--keep-finished", action="store_true", help="record: leave out what stands finished in the folder")
    p.add_argument("--bound", type=float, default=0.0, help="record: seconds of profiling a candidate, for what bounds it; 0: none (bound: 2)")
    p.add_argument("--most", type=int, default=40, help="bound: profiles of each record, evenly from its fastest candidate to its slowest")
    p.add_argument("--out", type=Path, default=Path("landscapes"), help="record: the folder; what it holds goes on")
    arguments = p.parse_args()
    common.need(arguments.bin, "bench-landscape")
    if arguments.what == "record":
        sys.exit(record(arguments))
    if arguments.what == "bound":
        sys.exit(bound(arguments))
    arguments.seeds = arguments.seeds or (40 if arguments.long else 10)
    document = common.header("landscape", arguments)
    if arguments.what == "compare":
        document |= compare(arguments)
        common.publish(common.close(document), render(document), arguments.json)
    elif arguments.what == "moves":
        document |= moves(arguments)
        common.publish(common.close(document), render_moves(document), arguments.json)
    elif arguments.what == "constants":
        document |= constants(arguments)
        common.publish(common.close(document), render_constants(document), arguments.json)
    else:
        document |= play(arguments, records_of(arguments), arguments.contender or [f"default: {ONE}", f"random: search.policy=random; {ONE}"])
        common.publish(common.close(document), render_play(document), arguments.json)


if __name__ == "__main__":
    main()
