"""Measures the node's overhead: candidates per minute beside a bare loop with the same compiles and judge runs, and the
daemon's own CPU time for each candidate.
"""

from __future__ import annotations

import bisect
import statistics
import subprocess
import time
from pathlib import Path

import common
from common import Json


class CpuClock:
    """The CPU time of a whole process without its children. Reading its clock does not disturb it."""

    def __init__(self, pid: int) -> None:
        self.clock = ((~pid) << 3) | 2  # CPUCLOCK_SCHED, as in clock_getcpuclockid(3)
        self.times: list[int] = []
        self.used: list[int] = []

    def sample(self) -> None:
        try:
            used = time.clock_gettime_ns(self.clock)
        except OSError:
            return  # it has ended
        self.times.append(time.time_ns())
        self.used.append(used)

    def at(self, when: int) -> float:
        i = bisect.bisect_left(self.times, when)
        if i == 0 or i == len(self.times):
            return float(self.used[min(i, len(self.used) - 1)])
        share = (when - self.times[i - 1]) / (self.times[i] - self.times[i - 1])
        return self.used[i - 1] + share * (self.used[i] - self.used[i - 1])


def round_of(arguments: object, campaign: Path, wall: int, seed: int, folder: Path) -> Json | None:
    a = arguments
    data = folder / "data"
    process = subprocess.Popen([a.bin / "kevolve", "run", campaign, "--data", data, "--json", "--quiet",
                                "--set", f"budget.wall={wall}s", "--set", f"seed={seed}",
                                "--set", "stop.speedup=1000000", "--set", "stop.stall=100000"], stdout=subprocess.DEVNULL)
    clock = CpuClock(process.pid)
    while process.poll() is None:
        clock.sample()
        time.sleep(0.05)
    loop = common.ask([a.bin / "bench-bare-loop", "--bin", a.bin, "--data", data])
    if loop is None:
        return None
    begin, end = loop["first_selected_ns"], loop["last_finished_ns"]
    loop["daemon_cpu_s"] = (clock.at(end) - clock.at(begin)) / 1e9
    loop["daemon_ms_per_candidate"] = loop["daemon_cpu_s"] * 1e3 / max(1, loop["candidates"])
    loop["of_bare"] = loop["campaign"]["candidates_per_minute"] / loop["bare"]["candidates_per_minute"]
    return loop


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--rounds", type=int)
    p.add_argument("--wall", type=int, help="seconds of each campaign (short 20, long 60)")
    p.add_argument("--task", action="append", help="campaigns under config/examples (default: gemm and softmax)")
    arguments = p.parse_args()
    common.need(arguments.bin, "kevolve", "bench-bare-loop")
    document = common.header("overhead", arguments)
    wall = arguments.wall or (60 if arguments.long else 20)
    rounds = arguments.rounds or (4 if arguments.long else 3)
    document |= {"wall_s": wall, "rounds": []}
    for name in arguments.task or ["gemm", "softmax"]:
        for i in range(rounds):
            common.say(f"{name}: round {i + 1} of {rounds}")
            with common.scratch() as folder:
                campaign = common.ROOT / "config" / "examples" / f"{name}.toml"
                if r := round_of(arguments, campaign, wall, arguments.seed + i, folder):
                    document["rounds"].append(r)
    document["summary"] = summarise(document["rounds"])
    common.publish(common.close(document), render(document), arguments.json)


def summarise(rounds: list[Json]) -> list[Json]:
    out = []
    for task in dict.fromkeys(r["task"] for r in rounds):
        mine = [r for r in rounds if r["task"] == task]
        out.append({"task": task, "median_of_bare": statistics.median(r["of_bare"] for r in mine),
                    "median_daemon_ms": statistics.median(r["daemon_ms_per_candidate"] for r in mine)})
    return out


def render(document: Json) -> str:
    rows = [["task", "seed", "candidates", "campaign, a minute", "bare loop, a minute", "of bare",
             "judge busy s of s (campaign)", "(bare)", "compile s (campaign, bare)", "daemon ms a candidate", "of it proposing"]]
    for s in document["summary"]:
        for r in (r for r in document["rounds"] if r["task"] == s["task"]):
            c, b = r["campaign"], r["bare"]
            rows.append([r["task"], str(r["seed"]), str(r["candidates"]), common.number(c["candidates_per_minute"], 0),
                         common.number(b["candidates_per_minute"], 0), common.number(r["of_bare"], 3),
                         f"{c['judge_s']:.1f} of {c['seconds']:.1f}",
                         f"{b['judge_s']:.1f} of {b['seconds']:.1f}", f"{c['compile_s']:.1f}, {b['compile_s']:.1f}",
                         common.number(r["daemon_ms_per_candidate"], 2),
                         f"≤ {1e3 * c['propose_s'] / max(1, r['candidates']):.2f}"])
    return common.table(rows) + "\n\n" + "\n".join(
        f"{s['task']}: median {s['median_of_bare']:.3f} of the bare loop (wanted 0.9), "
        f"median {s['median_daemon_ms']:.2f} ms of daemon CPU a candidate (allowed 3)" for s in document["summary"])


def page_table(documents: dict[str, Json]) -> str:
    rows = [["machine", "task", "candidates a minute, of the bare loop's", "daemon's processor time a candidate"]]
    rows += [[d["machine"]["cpu"], s["task"], f"{s['median_of_bare']:.3f}", f"{s['median_daemon_ms']:.2f} ms"]
             for d in documents.values() for s in d["summary"]]
    return common.table(rows)


if __name__ == "__main__":
    main()
