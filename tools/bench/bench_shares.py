"""Measures the effect of priorities: the shares of two campaigns in a device's time and in the candidates."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import common
from bench_daemon import Daemon
from common import Json

PROGRAMS = ("kevolve", "kevolved", "kevolve-serve", "kevolve-judge", "kevolve-zygote", "kevolve-compile-server")
CAMPAIGN = common.ROOT / "config" / "examples" / "softmax.toml"
PAIRS = ((900, 100), (100, 100))
IN_FLIGHT = (12, 4)
ENDLESS = ("stop.speedup=1000", "stop.stall=1000000", "budget.wall=1h", "draft.candidates=10")


class Shared(Daemon):
    def __init__(self, folder: Path, data: Path) -> None:
        super().__init__(folder, data)
        with self.settings.open("a", encoding="utf-8") as out:
            out.write('[[device]]\ntarget = "cpu"\n')

    def begin(self, seed: int, priority: int, in_flight: int) -> str:
        words = [w for text in (*ENDLESS, f"search.in_flight={in_flight}", f"seed={seed}") for w in ("--set", text)]
        done = subprocess.run([self.folder / "kevolve", "submit", CAMPAIGN, "--priority", str(priority), "--quiet", "--data",
                               self.data, *words], stdout=subprocess.PIPE, text=True, cwd=common.ROOT, check=True)
        return done.stdout.strip()

    def spent(self, campaign: str) -> Json:
        status = self.get(f"/v1/campaigns/{campaign}")
        return {"candidates": status["candidates"], "device_s": status["spent"]["device_s"], "state": status["state"]}


def measure(folder: Path, seed: int, priorities: tuple[int, ...], in_flight: int, seconds: float) -> Json:
    """Returns their shares in that time, once each has had a candidate judged."""
    with common.scratch() as scratch:
        daemon = Shared(folder, scratch / "data")
        daemon.start()
        try:
            campaigns = [daemon.begin(seed + i, p, in_flight) for i, p in enumerate(priorities)]
            while any(daemon.spent(c)["candidates"] == 0 for c in campaigns):
                time.sleep(0.05)
            before = [daemon.spent(c) for c in campaigns]
            begin = time.monotonic()
            time.sleep(seconds)
            after = [daemon.spent(c) for c in campaigns]
            took = time.monotonic() - begin
        finally:
            exit_code = daemon.stop()
    got = [{"priority": p, "candidates": a["candidates"] - b["candidates"], "device_s": a["device_s"] - b["device_s"],
            "state": a["state"]} for p, a, b in zip(priorities, after, before)]
    return {"in_flight": in_flight, "seconds": took, "campaigns": got, "exit_code": exit_code}


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def render(document: Json) -> str:
    rows = [["priorities", "in flight, each", "candidates", "of all, the first", "device, s", "of all, the first", "wanted"]]
    for m in document["measured"]:
        both = m["campaigns"]
        first = both[0]
        rows.append([", ".join(str(c["priority"]) for c in both), str(m["in_flight"]),
                     ", ".join(str(c["candidates"]) for c in both),
                     percent(first["candidates"], sum(c["candidates"] for c in both)),
                     ", ".join(f"{c['device_s']:.1f}" for c in both),
                     percent(first["device_s"], sum(c["device_s"] for c in both)),
                     percent(first["priority"], sum(c["priority"] for c in both))])
    ends = sorted({m["exit_code"] for m in document["measured"]})
    states = sorted({c["state"] for m in document["measured"] for c in m["campaigns"]})
    return "\n".join([
        common.table(rows), "",
        (f"{document['measured'][0]['seconds']:.0f} s each, a daemon with one device and its defaults; softmax, written by the embedded generator. "
         f"Campaigns {', '.join(states)} at the end; exit statuses {', '.join(map(str, ends))}")])


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--seconds", type=float, help="short 10, long 100")
    arguments = p.parse_args()
    seconds = arguments.seconds or (100 if arguments.long else 10)
    common.need(arguments.bin, *PROGRAMS)
    document = common.header("shares", arguments)
    document["measured"] = []
    for in_flight in IN_FLIGHT if arguments.long else IN_FLIGHT[:1]:
        for priorities in (*PAIRS, PAIRS[0][:1]):  # finally one alone: the maximal use of the device
            common.say(f"in flight {in_flight}, priorities {', '.join(map(str, priorities))}")
            document["measured"].append(measure(arguments.bin, arguments.seed, priorities, in_flight, seconds))
    common.publish(common.close(document), render(document), arguments.json)


if __name__ == "__main__":
    main()
