"""Runs a daemon for an hour at full speed with a generator that costs nothing. Records memory, threads, descriptors and
the data directory over time. Campaigns end and others begin, so memory kept for ended ones shows.
"""

from __future__ import annotations

import math
import subprocess
import time
from pathlib import Path

import common
from bench_calls import Asking
from bench_daemon import PROGRAMS
from common import Json

from tests.fake_model.server import FakeModel

CAMPAIGN = common.ROOT / "tests" / "node" / "tasks" / "row_energy.toml"
AT_ONCE = 3  # campaigns
CANDIDATES = 400  # of each campaign
KEPT_SAMPLES = 100
KEPT_CANDIDATES = 4000  # in ended campaigns
T_95_OF_8 = 2.306  # Student's t, two-sided, 8 degrees of freedom: a line through ten means
SETTLED = 1 / 6  # share of the time after which start-up allocations are complete


class Soaked(Asking):
    """Runs campaigns one after the other."""

    def __init__(self, folder: Path, data: Path, url: str) -> None:
        super().__init__(folder, data, url)
        settings = self.settings.read_text(encoding="utf-8")
        self.settings.write_text(settings.replace("[limits]", f"[limits]\nkeep_candidates = {KEPT_CANDIDATES}"), encoding="utf-8")
        self.submitted = 0
        self.known: dict[str, Json] = {}  # all campaigns, including forgotten ones

    def feed(self) -> Json:
        """Keeps campaigns running; returns the finished ones and the number of candidates."""
        rows = self.campaigns()
        self.known |= {c["id"]: c for c in rows}
        running = sum(c["state"] not in ("finished", "failed") for c in rows)
        for _ in range(running, AT_ONCE + 1):  # one waits for its turn
            self.submitted += 1
            self.verb("submit", CAMPAIGN, "--set", "generator=[{kind='llm',in_flight=8}]", "--set",
                      f"budget.candidates={CANDIDATES}", "--set", f"judge.keep_samples={KEPT_SAMPLES}", "--set",
                      f"seed={self.submitted}")
        known = self.known.values()
        return {"candidates": sum(c["candidates"] for c in known), "finished": sum(c["state"] == "finished" for c in known),
                "failed": sum(c["state"] == "failed" for c in known), "kept": sum(c["candidates"] for c in rows)}


def state_of(pid: int, data: Path) -> Json:
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines())
    kib = int(subprocess.run(["du", "-sk", data], stdout=subprocess.PIPE, text=True, check=False).stdout.split()[0])
    return {"anonymous_kib": int(status["RssAnon"].split()[0]), "resident_kib": int(status["VmRSS"].split()[0]),
            "threads": int(status["Threads"]), "descriptors": len(list(Path(f"/proc/{pid}/fd").iterdir())), "disk_kib": kib}


def store_kib(daemon: Asking) -> Json:
    """Returns the store's part of the daemon's memory, as counted by the store."""
    name = "kevolve_store_memory_bytes"
    lines = [line.split() for line in daemon.read("/metrics").decode().splitlines() if line.startswith(name + "{")]
    return {"store_" + where.split('"')[1] + "_kib": int(value) // 1024 for where, value in lines}


def slope(xs: list[float], ys: list[float]) -> tuple[float, float]:
    """Returns the slope of the least-squares line, and its standard error if the points are independent."""
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mean_x) ** 2 for x in xs)
    if not spread or len(xs) < 3:
        return 0.0, math.inf
    rise = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / spread
    left = sum((y - mean_y - rise * (x - mean_x)) ** 2 for x, y in zip(xs, ys))
    return rise, math.sqrt(left / (len(xs) - 2) / spread)


def trend(what: str, minutes: list[float], kib: list[float]) -> list[str]:
    """Returns the row of a quantity: the means of tenths of the time, which vary less than single readings, and their
    line.
    """
    length = (minutes[-1] - minutes[0]) / 10
    bins: list[list[float]] = [[] for _ in range(10)]
    for minute, x in zip(minutes, kib):
        bins[min(9, int((minute - minutes[0]) / length))].append(x)
    means = [sum(b) / len(b) for b in bins if b]
    rise, error = slope([float(k) for k in range(len(means))], means)
    first = sum(means) / len(means)
    low, high = (100 * 9 * (rise + sign * T_95_OF_8 * error) / first for sign in (-1, 1))
    return [what, f"{min(means):.0f} to {max(means):.0f}", f"{100 * 9 * rise / first:+.1f} %", f"{low:+.1f} to {high:+.1f} %"]


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--minutes", type=float, help="short 1, long 60")
    arguments = p.parse_args()
    minutes = arguments.minutes or (60 if arguments.long else 1)
    common.need(arguments.bin, *PROGRAMS)
    document = common.header("soak", arguments)
    every = max(1.0, minutes * 60 / 360)
    rows: list[Json] = []
    with common.scratch() as scratch:
        fake = FakeModel(arguments.seed, longest_s=0)
        daemon = Soaked(arguments.bin, scratch / "data", fake.url)
        daemon.start()
        begin = time.monotonic()
        while (now := time.monotonic() - begin) < minutes * 60:
            rows.append({"minute": round(now / 60, 3), **daemon.feed(), **state_of(daemon.process.pid, daemon.data),
                         **store_kib(daemon)})
            if len(rows) % 30 == 0:
                common.say(f"{now / 60:.0f} of {minutes:.0f} minutes, {rows[-1]['candidates']} candidates")
            time.sleep(max(0.0, begin + len(rows) * every - time.monotonic()))
        document["exit_code"] = daemon.stop()
        fake.close()
    document |= {"campaigns_at_once": AT_ONCE, "candidates_each": CANDIDATES, "keep_samples": KEPT_SAMPLES,
                 "keep_candidates": KEPT_CANDIDATES, "rows": rows}
    common.publish(common.close(document), render(document), arguments.json)


def render(document: Json) -> str:
    rows = document["rows"]
    settled = rows[int(len(rows) * SETTLED):]
    shown = [settled[i * (len(settled) - 1) // 5] for i in range(6)]
    columns = [("minute", "minute"), ("candidates", "candidates"), ("kept", "of them there"), ("finished", "campaigns ended"), ("anonymous_kib", "memory, KiB"),
               ("store_cache_kib", "store's cache"), ("store_writes_kib", "its writes"), ("store_readers_kib", "its readers"),
               ("threads", "threads"), ("descriptors", "descriptors"), ("disk_kib", "data directory, KiB")]
    columns = [c for c in columns if c[0] in settled[0]]  # older documents have fewer columns
    minutes = [r["minute"] for r in settled]
    # The store's memory fills up to a bound; a leak would show in the rest.
    parts = [key for key, _ in columns if key.startswith("store_")]
    trends = [[f"from minute {minutes[0]:.0f} on", "means of tenths of that time, KiB", "rise of their line", "95 % interval"],
              trend("anonymous memory", minutes, [r["anonymous_kib"] for r in settled])]
    if parts:
        trends.append(trend("the same without the store's own", minutes,
                            [r["anonymous_kib"] - sum(r[p] for p in parts) for r in settled]))
    trends.append(trend("data directory", minutes, [r["disk_kib"] for r in settled]))
    made = settled[-1]["candidates"] - settled[0]["candidates"]
    disk = settled[-1]["disk_kib"] - settled[0]["disk_kib"]
    return "\n".join([
        common.table([[title for _, title in columns], *[[f"{r[k]:g}" for k, _ in columns] for r in shown]]), "",
        (f"{made / max(1e-9, minutes[-1] - minutes[0]):.0f} candidates a minute, {document['campaigns_at_once']} campaigns at once of "
         f"{document['candidates_each']} candidates each, written by a server that answers at once; failed campaigns: "
         f"{rows[-1]['failed']}; exit status in the end: {document['exit_code']}"),
        (f"disk: {disk / max(1, made):.1f} KiB a candidate made, raw samples kept of {document['keep_samples']} a campaign"
         + (f", of ended campaigns {document['keep_candidates']} candidates" if "keep_candidates" in document else "")), "",
        common.table(trends)])


if __name__ == "__main__":
    main()
