"""Tests a daemon under disturbances: kill -9 of it and of its helpers during campaigns, an event stream that is cut
repeatedly, and polling clients. Acknowledged data is never lost, finished work is never repeated, and nothing is
left behind.
"""

from __future__ import annotations

import http.client
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time
import urllib.parse
from pathlib import Path

import common
from bench_durability import (
    CAMPAIGN,
    Observer,
    check,
    descendants,
    total,
    wait_for_orphans,
)
from common import Json

PROGRAMS = ("kevolve", "kevolved", "kevolve-serve", "kevolve-judge", "kevolve-zygote", "kevolve-compile-server", "bench-crowd")
HELPERS = ("kevolve-judge", "kevolve-zygote", "kevolve-compile-server")
AT_ONCE = 3  # campaigns
READABLE_LIMIT_S = 2.0
PAUSE_S = 0.5  # between a client's requests


class Daemon:
    def __init__(self, folder: Path, data: Path) -> None:
        self.folder = folder
        self.data = data
        self.settings = data.parent / "kevolved.toml"
        self.settings.write_text(f'data_dir = "{data}"\nlisten = "127.0.0.1:0"\n[limits]\ncampaigns = {AT_ONCE}\n',
                                 encoding="utf-8")
        self.process: subprocess.Popen[bytes] | None = None
        self.connection: http.client.HTTPConnection | None = None

    def command(self) -> list[str]:
        return [str(self.folder / "kevolved"), str(self.settings)]

    def start(self) -> float:
        """Starts it; returns the seconds until it answers with its campaigns."""
        begin = time.monotonic()
        self.connection = None
        # Standard input is an open pipe; only bench-crowd waits for its end.
        self.process = subprocess.Popen(self.command(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, cwd=common.ROOT)
        while time.monotonic() - begin < 60:
            try:
                self.get("/v1/campaigns")
                return time.monotonic() - begin
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                self.connection = None
                time.sleep(0.01)
        raise SystemExit("the daemon does not answer")

    def get(self, path: str) -> Json:
        return json.loads(self.read(path))

    def read(self, path: str) -> bytes:
        if self.connection is None:
            about = json.loads((self.data / "admin.json").read_text(encoding="utf-8"))
            if about["pid"] != self.process.pid:
                raise ValueError("of the one before")
            url = urllib.parse.urlparse(about["url"])
            self.token = (self.data / "token").read_text(encoding="utf-8").strip()
            self.connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=30)
        try:
            self.connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
            answer = self.connection.getresponse()
        except http.client.RemoteDisconnected:  # it was silent for longer than the node keeps a connection
            self.connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
            answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise ValueError(f"{path}: {answer.status}")
        return body

    def submit(self, seed: int) -> str:
        done = subprocess.run([str(self.folder / "kevolve"), "submit", str(CAMPAIGN), "--set", f"seed={seed}", "--data",
                               str(self.data), "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              cwd=common.ROOT, check=False)
        return json.loads(done.stdout)["id"] if done.returncode == 0 else ""

    def campaigns(self) -> list[Json]:
        return self.get("/v1/campaigns?limit=1000")["items"]

    def kill(self) -> dict[int, str]:
        known = descendants(self.process.pid)
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        return known

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def programs_below(root: int) -> dict[str, list[int]]:
    out: dict[str, list[int]] = {}
    for pid in descendants(root):
        try:
            out.setdefault(Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip(), []).append(pid)
        except OSError:
            pass
    return out


def candidates(rows: list[Json]) -> int:
    return sum(c["candidates"] for c in rows)


class Trouble:
    """Keeps campaigns running and kills processes."""

    def __init__(self, arguments: object, scratch: Path) -> None:
        self.bench = arguments.bin
        self.scratch = scratch
        self.random = random.Random(arguments.seed)
        self.folder = scratch / "bin"
        self.folder.mkdir()
        for program in PROGRAMS:
            shutil.copy2(self.bench / program, self.folder)
        self.daemon = Daemon(self.folder, scratch / "data")
        self.next_seed = arguments.seed
        self.submitted: list[str] = []
        self.seen: dict[int, str] = {}
        self.rows: list[Json] = []
        self.helper_rows: list[Json] = []

    def feed(self) -> None:
        running = [c for c in self.daemon.campaigns() if c["state"] not in ("finished", "failed")]
        while len(running) < AT_ONCE + 1:  # one waits for its turn
            self.next_seed += 1
            if identity := self.daemon.submit(self.next_seed):
                self.submitted.append(identity)
            running.append({})

    def observe(self) -> Observer:
        observer = Observer(self.daemon.data, self.daemon.process.pid, self.seen)
        observer.start()
        return observer

    def kill_daemon(self) -> None:
        started = self.daemon.start()
        observer = self.observe()
        self.feed()
        after = self.random.choice([self.random.uniform(0.0, 0.5), self.random.uniform(0.2, 3.0)])
        time.sleep(after)
        acknowledged = self.daemon.campaigns() if self.random.random() < 0.5 else None
        known = self.daemon.kill()
        observer.stop.set()
        observer.join(15)
        waited, left = wait_for_orphans(known, self.folder)
        found = check(self.bench, self.daemon.data, self.scratch, self.seen)
        self.rows.append({"readable_s": round(started, 3), "after_s": round(after, 3), "gone_after_s": round(waited, 3),
                          "left_over": left, "differs": observer.differs,
                          "told": None if acknowledged is None else len(acknowledged),
                          **{k: found.get(k) for k in ("unreadable", "events", "hash_mismatches", "evaluations_finished",
                                                       "evaluations_repeated", "results_without_record", "lost",
                                                       "changed")}})

    def kill_helper(self, name: str) -> None:
        """Kills a helper. The daemon must finish another candidate after each death."""
        self.feed()
        pids: list[int] = []
        for _ in range(3000):
            if pids := programs_below(self.daemon.process.pid).get(name[:15], []):
                break
            time.sleep(0.01)
        if not pids:
            self.helper_rows.append({"helper": name, "found": False})
            return
        time.sleep(self.random.uniform(0.0, 0.4))
        victim = self.random.choice(pids)
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            pass
        before, begin = candidates(self.daemon.campaigns()), time.monotonic()
        while candidates(self.daemon.campaigns()) <= before and time.monotonic() - begin < 120:
            self.feed()
            time.sleep(0.02)
        self.helper_rows.append({"helper": name, "found": True, "next_candidate_s": round(time.monotonic() - begin, 3)})

    def to_the_end(self) -> Json:
        """Waits until every campaign ends."""
        begin = time.monotonic()
        while time.monotonic() - begin < 900:
            open_ones = [c for c in self.daemon.campaigns() if c["state"] not in ("finished", "failed")]
            if not open_ones:
                break
            time.sleep(0.2)
        rows = self.daemon.campaigns()
        code = self.daemon.stop()
        ended = {c["id"]: c["state"] for c in rows}
        return {"exit_code": code, "submitted": len(self.submitted),
                "not_ended": [i for i in self.submitted if ended.get(i) != "finished"],
                **check(self.bench, self.daemon.data, self.scratch, self.seen)}


class CutReader(threading.Thread):
    """Reads every event in pieces: the connection is cut after an arbitrary number of bytes."""

    def __init__(self, daemon: Daemon, cuts: int, seed: int) -> None:
        super().__init__(daemon=True)
        about = json.loads((daemon.data / "admin.json").read_text(encoding="utf-8"))
        self.url = urllib.parse.urlparse(about["url"])
        self.token = daemon.token
        self.cuts = cuts
        self.random = random.Random(seed)
        self.got: list[int] = []
        self.done_cuts = 0

    def run(self) -> None:
        while self.done_cuts < self.cuts:
            connection = http.client.HTTPConnection(self.url.hostname or "", self.url.port, timeout=30)
            connection.request("GET", "/v1/events", headers={
                "Authorization": f"Bearer {self.token}", "Accept": "text/event-stream",
                "Last-Event-ID": str(self.got[-1] if self.got else 0)})
            answer = connection.getresponse()
            left, identity, buffer = self.random.randrange(200, 20_000), 0, b""
            while left > 0:
                piece = answer.read1(min(left, 512))
                if not piece:
                    break
                left -= len(piece)
                buffer += piece
                while b"\n" in buffer:
                    line, buffer = buffer.split(b"\n", 1)
                    if line.startswith(b"id:"):
                        identity = int(line[3:])
                    elif not line and identity:
                        self.got.append(identity)
                        identity = 0
            connection.close()
            self.done_cuts += 1


class Pollers:
    """Clients that request the actors and nodes, one request after the other with a pause between. Their process uses
    little of the node's processor time.
    """

    def __init__(self, daemon: Daemon, paths: list[str], clients: int, port: int | None = None) -> None:
        self.process = crowd(daemon, "poll", paths, port, "--clients", str(clients), "--pause-ms", str(int(1000 * PAUSE_S)))

    def stop(self) -> Json:
        out, _ = self.process.communicate("")
        document: Json = json.loads(out)
        return document


class StillServer:
    """Serves fixed answers copied from the node at its start: the least cost of these pages, on the cores that the node
    has besides the timing core.
    """

    def __init__(self, daemon: Daemon, paths: list[str]) -> None:
        self.process = crowd(daemon, "still", paths)
        os.sched_setaffinity(self.process.pid, os.sched_getaffinity(daemon.process.pid))
        self.port = int(json.loads(self.process.stdout.readline())["port"])

    def stop(self) -> None:
        self.process.communicate("")


def crowd(daemon: Daemon, what: str, paths: list[str], port: int | None = None, *more: str) -> subprocess.Popen[str]:
    about = json.loads((daemon.data / "admin.json").read_text(encoding="utf-8"))
    port = port or urllib.parse.urlparse(about["url"]).port
    return subprocess.Popen([str(daemon.folder / "bench-crowd"), what, "--port", str(port), "--token-file",
                             str(daemon.data / "token"), *more, *paths],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def rate(trouble: Trouble, seconds: float) -> float:
    """Returns candidates per minute."""
    before, begin = candidates(trouble.daemon.campaigns()), time.monotonic()
    while time.monotonic() - begin < seconds:
        trouble.feed()
        time.sleep(0.5)
    return 60 * (candidates(trouble.daemon.campaigns()) - before) / (time.monotonic() - begin)


def polled(trouble: Trouble, clients: int, seconds: float, rounds: int) -> Json:
    """Returns the rate alone, beside clients of the node, and beside the same clients of a fixed server, in turn. The
    difference of the latter two is the cost of the node's answers.
    """
    rates: dict[str, list[float]] = {"alone": [], "polled": [], "still": []}
    took: list[float] = []
    failed, client_cpu = 0, 0.0
    identity = trouble.submitted[0]
    paths = ["/v1/actors", f"/v1/campaigns/{identity}/candidates/1", "/v1/actors/summary", f"/v1/campaigns/{identity}/tree"]
    for _ in range(2 if rounds > 1 else 0):  # the first candidates of a campaign take longer
        rate(trouble, seconds)
    for k in range(rounds):
        for what in list(itertools.permutations(rates))[k % 6]:
            server = StillServer(trouble.daemon, paths) if what == "still" else None
            pollers = None if what == "alone" else Pollers(trouble.daemon, paths, clients, server and server.port)
            rates[what].append(rate(trouble, seconds))
            said = pollers.stop() if pollers else None
            if server:
                server.stop()
            elif said:
                took += [1e-6 * us for us in said["took_us"]]
                failed += said["failed"]
                client_cpu += said["cpu_s"]
    took.sort()
    read = {f"{name}_per_minute": r for name, r in rates.items()}
    return {"clients": clients, **read, **ratios(read), "requests": len(took), "failed": failed,
            "client_cpu_s": client_cpu, "median_s": took[len(took) // 2] if took else None,
            "p99_s": took[int(len(took) * 0.99)] if took else None}


def ratios(read: Json) -> Json:
    alone, beside, still = (read[f"{name}_per_minute"] for name in ("alone", "polled", "still"))
    return {"ratio": ratio_of(alone, beside), "still_ratio": ratio_of(alone, still), "own_ratio": ratio_of(still, beside)}


def ratio_of(before: list[float], after: list[float]) -> Json:
    return {"value": sum(after) / sum(before) if sum(before) else None, "interval": bootstrapped(before, after)}


def bootstrapped(alone: list[float], beside: list[float], seed: int = 1) -> list[float] | None:
    """Returns the 90 % interval of the sums' ratio by bootstrap over pairs; None for fewer than six pairs."""
    if len(alone) < 6 or not all(alone):
        return None
    source = random.Random(seed)
    pairs = list(zip(alone, beside))
    drawn = sorted(sum(b for _, b in some) / sum(a for a, _ in some)
                   for some in (source.choices(pairs, k=len(pairs)) for _ in range(2000)))
    return [drawn[100], drawn[1899]]


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--kills", type=int, help="of the daemon (short 5, long 200)")
    p.add_argument("--helper-kills", type=int, help="of each kind of helper process (short 2, long 20)")
    p.add_argument("--cuts", type=int, help="of an event stream (short 20, long 100)")
    p.add_argument("--clients", type=int, help="that poll (short 10, long 50)")
    arguments = p.parse_args()
    common.need(arguments.bin, *PROGRAMS, "bench-check-log")
    document = common.header("daemon", arguments)
    kills, helper_kills, cuts, clients = (200, 20, 100, 50) if arguments.long else (5, 2, 20, 10)
    kills = kills if arguments.kills is None else arguments.kills
    helper_kills = helper_kills if arguments.helper_kills is None else arguments.helper_kills
    cuts = cuts if arguments.cuts is None else arguments.cuts
    clients = clients if arguments.clients is None else arguments.clients
    with common.scratch() as scratch:
        trouble = Trouble(arguments, scratch)
        for k in range(kills):
            trouble.kill_daemon()
            if (k + 1) % 10 == 0:
                common.say(f"{k + 1} of {kills} kills")
        trouble.daemon.start()
        observer = trouble.observe()
        trouble.feed()
        for name in HELPERS:
            for _ in range(helper_kills):
                trouble.kill_helper(name)
            common.say(f"{name}: {helper_kills} kills")
        reader = CutReader(trouble.daemon, cuts, arguments.seed)
        reader.start()
        while reader.is_alive():
            trouble.feed()
            reader.join(0.5)
        polls = polled(trouble, clients, 20 if arguments.long else 5, 3 if arguments.long else 1) if clients else None
        last = trouble.to_the_end()
        observer.stop.set()
        observer.join(15)
        stored = sorted(trouble.seen)
    got = reader.got
    document |= {"kills": trouble.rows, "helper_kills": trouble.helper_rows, "last": last, "polled": polls,
                 "events_seen": len(stored),
                 "cut": {"cuts": reader.done_cuts, "events": len(got), "twice": len(got) - len(set(got)),
                         "out_of_order": sum(a >= b for a, b in itertools.pairwise(got)),
                         "missed": len([s for s in stored if got and s <= got[-1] and s not in set(got)])}}
    common.publish(common.close(document), render(document), arguments.json)


def render(document: Json) -> str:
    kills, helpers, last = document["kills"], document["helper_kills"], document["last"]
    everything = [*kills, last]
    cut, polls = document["cut"], document["polled"]
    slow = sorted(r["readable_s"] for r in kills)
    facts = [["question", "count"],
             ["kill -9 of the daemon with campaigns running", str(len(kills))],
             *[[f"kill -9 of {name}", str(sum(r["found"] for r in helpers if r["helper"] == name))] for name in HELPERS],
             ["campaigns submitted", str(last["submitted"])],
             ["of them not finished in the end", str(len(last["not_ended"]))],
             ["events seen over HTTP (so acknowledged)", str(document["events_seen"])],
             ["seen events lost after a restart", str(total(everything, "lost"))],
             ["seen events that changed", str(total(everything, "changed") + total(kills, "differs"))],
             ["finished evaluations begun again", str(total(everything, "evaluations_repeated"))],
             ["evaluations that two campaigns paid for at once", str(total([last], "evaluations_twice_at_once"))],
             ["names of records or texts that are not there", str(total(everything, "results_without_record"))],
             ["tree hashes that did not hold", str(total(everything, "hash_mismatches"))],
             ["processes left behind", str(total(kills, "left_over"))],
             ["campaigns readable after a start, median and longest",
              f"{slow[len(slow) // 2]:.2f} s, {slow[-1]:.2f} s (wanted: {READABLE_LIMIT_S:.0f} s)" if slow else "-"],
             ["next candidate after a helper's death, longest",
              f"{max((r['next_candidate_s'] for r in helpers if r['found']), default=0):.1f} s"],
             [f"an event stream cut {cut['cuts']} times: events, twice, out of order, missed",
              f"{cut['events']}, {cut['twice']}, {cut['out_of_order']}, {cut['missed']}"],
             ["exit status of the daemon in the end", str(last["exit_code"])]]
    text = common.table(facts)
    if polls:
        text += (f"\n\n{polls['clients']} clients that poll: {polls['requests']} requests, {polls['failed']} failed, median "
                 f"{common.nanoseconds(1e9 * (polls['median_s'] or 0))}, 99 % within "
                 f"{common.nanoseconds(1e9 * (polls['p99_s'] or 0))} (wanted: 50 ms); candidates a minute beside them "
                 f"{common.number(polls['ratio']['value'], 3)} of those without (wanted: 0.98)")
    return text


if __name__ == "__main__":
    main()
