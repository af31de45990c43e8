"""Nodes that share a PostgreSQL: throughput of the queue, scale with nodes, queue times, jobs held, campaigns under kills.

Scale is shown with jobs of 200 ms that only wait, because all nodes share this machine.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import common
import namespaces
from postgres import Postgres, programs

Json = dict[str, Any]
TASKS = common.ROOT / "tests" / "node" / "tasks"
ELSEWHERE = "[[device]]\ntarget = \"cpu\"\nelsewhere = true\n"
WAITS = 16  # jobs at once of a node where scale is measured


class Nodes:
    """Daemons with data directories of their own."""

    def __init__(self, server: Postgres, binaries: Path, database: str, network: namespaces.Network | None = None) -> None:
        self.server, self.bin, self.database, self.network = server, binaries, database, network
        self.root = Path(tempfile.mkdtemp(prefix="kevolve-cluster-"))
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        server.sql(f"create database {database}")
        subprocess.run([binaries / "kevolve", "cluster", "init", "--quiet", "--postgres", server.connection("owner", database),
                        "--deployment", "bench"], check=True)

    def login(self, name: str, role: str) -> None:
        self.server.sql(f"do $$ begin create role \"{name}\" login in role kevolve_{role}; "
                        "exception when duplicate_object then null; end $$")

    def start(self, name: str, role: str, *, waits: int = WAITS, more: str = "", cluster: str = "") -> Path:
        """Starts a daemon; returns its folder."""
        folder = self.root / name
        folder.mkdir(exist_ok=True)
        self.login(name, role)
        (folder / "kevolved.toml").write_text(
            f'data_dir = "data"\nlisten = "127.0.0.1:0"\n{more}\n[cluster]\npostgres = "{self.server.connection(name, self.database)}"\n'
            f'deployment = "bench"\nnode = "{name}"\nrole = "{role}"\nwaits = {waits}\n{cluster}\n', encoding="utf-8")
        log = (folder / "log").open("ab")
        self.running[name] = subprocess.Popen([*self.inside(name), self.bin / "kevolved", "kevolved.toml"], cwd=folder,
                                              stdout=log, stderr=log)
        return folder

    def inside(self, name: str) -> list[str]:
        return self.network.add(name) if self.network else []

    def await_live(self, count: int) -> None:
        while int(self.server.sql("select count(*) from kevolve.list_nodes() where state = 'live'", self.database)[0][0]) < count:
            for name, process in self.running.items():
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended: {(self.root / name / 'log').read_text(encoding='utf-8')[-500:]}")
            time.sleep(0.1)

    def kill(self, name: str) -> None:
        process = self.running.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        for process in self.running.values():
            process.send_signal(signal.SIGTERM)
        for process in self.running.values():
            process.wait()
        self.running.clear()
        shutil.rmtree(self.root, ignore_errors=True)


def drive(nodes: Nodes, **how: Any) -> Json:
    words = [f"--{key.replace('_', '-')}={value}" for key, value in how.items()]
    nodes.login("bench-home", "home")
    out = common.ask([nodes.bin / "bench-cluster", "--postgres", nodes.server.connection("bench-home", nodes.database), *words],
                     check=False)
    if out is None:
        raise RuntimeError("bench-cluster failed")
    return out


def waited(nodes: Nodes) -> tuple[float, float]:
    """Returns median and 95th percentile of the milliseconds from put to claim of the jobs that ended last."""
    row = nodes.server.sql(
        "select percentile_cont(array[0.5, 0.95]) within group (order by extract(epoch from claimed_at - made_at) * 1000) "
        "from kevolve.jobs where state = 'done'", nodes.database)[0][0].strip("{}").split(",")
    return float(row[0]), float(row[1])


def scale(server: Postgres, binaries: Path, counts: list[int], seconds: float) -> list[Json]:
    rows: list[Json] = []
    for count in counts:
        nodes = Nodes(server, binaries, f"scale_{count}")
        try:
            for i in range(count):
                nodes.start(f"w{i}", "worker", more=ELSEWHERE + "[limits]\ncompilers = 1")
            nodes.await_live(count)
            full = WAITS * count / 0.2
            # As many jobs are in flight as run at once, and a few that wait, so that no node is idle for want of work.
            busy = drive(nodes, jobs=int(full * seconds), in_flight=WAITS * count + 8 * count, group=32)
            nodes.server.sql("delete from kevolve.jobs", nodes.database)
            calm = drive(nodes, jobs=int(full * 0.75 * seconds), in_flight=100_000, pace=full * 0.75, group=8)
            median, high = waited(nodes)
            rows.append({"nodes": count, "jobs_a_second": busy["jobs_a_second"], "of_all_slots": busy["jobs_a_second"] / full,
                         "waited_ms_at_75_percent": median, "waited_ms_95": high, "lost": busy["lost"] + calm["lost"],
                         "twice": busy["twice"] + calm["twice"]})
            common.say(f"{count} nodes: {rows[-1]}")
        finally:
            nodes.stop()
    for row in rows:
        row["of_linear"] = row["jobs_a_second"] / row["nodes"] / rows[0]["jobs_a_second"] * rows[0]["nodes"]
    return rows


def throughput(server: Postgres, binaries: Path, jobs: int, held: int) -> Json:
    nodes = Nodes(server, binaries, "throughput")
    try:
        for i in range(4):
            nodes.start(f"w{i}", "worker", waits=held, more=ELSEWHERE + "[limits]\ncompilers = 1")
        nodes.await_live(4)
        fast = drive(nodes, jobs=jobs, in_flight=2_000, milliseconds=0, group=100)
        many = drive(nodes, jobs=held, in_flight=held, milliseconds=5_000, group=200)
        return {"jobs_a_second": fast["jobs_a_second"], "group": 100, "held": many["most_in_flight"],
                "lost": fast["lost"] + many["lost"], "twice": fast["twice"] + many["twice"]}
    finally:
        nodes.stop()


class Faults:
    """Random faults while campaigns run, and what became of the campaigns."""

    def __init__(self, nodes: Nodes, seed: int, candidates: int) -> None:
        self.nodes, self.random, self.candidates = nodes, random.Random(seed), candidates
        self.campaigns: list[str] = []
        self.before: dict[str, list[str]] = {}  # the longest log of a campaign that a node has told
        self.counts: dict[str, int] = {}
        self.longest_take_over = 0.0
        for name in ("h1", "h2"):
            nodes.start(name, "home", more=ELSEWHERE, cluster='durable = "cluster"')
        for name in ("w1", "w2"):
            nodes.start(name, "worker")
        nodes.await_live(4)
        self.submit()

    def submit(self) -> None:
        """Starts a campaign on each home; a home that does not answer yet is asked again."""
        for home in ("h1", "h2"):
            while True:
                told = self.kevolve(home, "submit", str(TASKS / "row_energy.toml"), "--set", f"seed={len(self.campaigns) + 1}",
                                    "--set", f"budget.candidates={self.candidates}", "--set", "stop.stall=100000")
                if told is not None and "id" in told:
                    break
                time.sleep(0.5)
            self.campaigns.append(told["id"])

    def kevolve(self, home: str, *words: str) -> Json | None:
        return common.ask([*self.nodes.inside(home), self.nodes.bin / "kevolve", *words, "--data", self.nodes.root / home / "data", "--json"], check=False)

    def homes(self) -> dict[str, str]:
        return {row[0].replace("-", ""): row[1] for row in self.nodes.server.sql(
            "select id, home from kevolve.campaigns where not ended", self.nodes.database)}

    def events(self) -> int:
        return int(self.nodes.server.sql("select coalesce(sum(events), 0) from kevolve.campaigns", self.nodes.database)[0][0])

    def log_of(self, home: str, campaign: str) -> list[str]:
        done = subprocess.run([*self.nodes.inside(home), self.nodes.bin / "kevolve", "events", campaign, "--data", self.nodes.root / home / "data", "--json"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        return [self.content(line) for line in done.stdout.splitlines()]

    @staticmethod
    def content(line: str) -> str:
        event = json.loads(line)
        for of_this_node in ("sequence", "time", "time_ns"):
            event.pop(of_this_node, None)
        return json.dumps(event, sort_keys=True)

    def remember(self) -> None:
        for campaign, home in self.homes().items():
            log = self.log_of(home, campaign)
            if len(log) > len(self.before.get(campaign, [])):
                self.before[campaign] = log

    def fault(self) -> None:
        """One fault: a node, a helper, PostgreSQL, or a node that is cut off for longer than it counts as live."""
        kind = self.random.choice(["worker", "worker", "home", "helper", "helper", "postgres", "frozen",
                                   *(["network", "network"] if self.nodes.network else [])])
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if kind == "postgres":
            self.nodes.server.kill()
            self.nodes.server.start()
        elif kind == "helper":
            self.kill_helper(self.nodes.running[self.random.choice(["w1", "w2"])].pid)
        elif kind == "network" and self.nodes.network:
            name = self.random.choice(["w1", "w2", "h1", "h2"])
            self.nodes.network.cut(name, True)
            time.sleep(self.random.choice([2, 10]))  # the fault itself: shorter, or longer, than a node counts as live
            self.nodes.network.cut(name, False)
        elif kind == "frozen":
            process = self.nodes.running[self.random.choice(["w1", "w2", "h1", "h2"])]
            process.send_signal(signal.SIGSTOP)
            time.sleep(10)  # the fault itself: a node is gone after 8 s
            process.send_signal(signal.SIGCONT)
        else:
            name = self.random.choice(["h1", "h2"] if kind == "home" else ["w1", "w2"])
            self.remember()
            self.nodes.kill(name)
            begun = time.monotonic()
            mine = [c for c, home in self.homes().items() if home == name]
            if kind == "home" and mine:
                while any(self.homes().get(c) == name for c in mine):
                    time.sleep(0.2)
                self.longest_take_over = max(self.longest_take_over, time.monotonic() - begun)
            self.nodes.start(name, "home" if kind == "home" else "worker", more=ELSEWHERE if kind == "home" else "",
                             cluster='durable = "cluster"' if kind == "home" else "")

    def kill_helper(self, daemon: int) -> None:
        children = subprocess.run(["pgrep", "-P", str(daemon)], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
        if children:
            subprocess.run(["kill", "-KILL", self.random.choice(children)], check=False)

    def await_progress(self) -> bool:
        """Returns once a campaign has advanced; false: all have ended."""
        before = self.events()
        while self.homes():
            if self.events() > before:
                return True
            time.sleep(0.1)
        return False

    @staticmethod
    def finished_twice(log: list[str]) -> list[int]:
        finished = [json.loads(e) for e in log if '"node_finished"' in e]
        indices = [e.get("data", e).get("index") for e in finished]
        return [i for k, i in enumerate(indices) if i in indices[:k]]

    def result(self) -> Json:
        while self.homes():
            time.sleep(0.5)
        lost = twice = wrong = apart = 0
        rows = self.nodes.server.sql("select id, home, events from kevolve.campaigns", self.nodes.database)
        homes = {row[0].replace("-", ""): row[1] for row in rows}
        shared = {row[0].replace("-", ""): int(row[2]) for row in rows}
        for campaign in self.campaigns:
            log = self.log_of(homes[campaign], campaign)
            before = self.before.get(campaign, [])
            lost += sum(1 for a, b in zip(before, log) if a != b) + max(0, len(before) - len(log))
            again = self.finished_twice(log)
            twice += len(again)
            apart += len(log) != shared[campaign]
            if again or len(log) != shared[campaign]:
                sessions = [i for i, e in enumerate(log) if '"session_started"' in e]
                common.say(f"campaign {campaign} on {homes[campaign]}: {len(log)} events, {shared[campaign]} in PostgreSQL, sessions "
                           f"from events {sessions}; finished twice: {again}")
            status = self.kevolve(homes[campaign], "status", campaign)
            wrong += 0 if status and status["state"] == "finished" and status["candidates"] >= self.candidates else 1
        return {"faults": sum(self.counts.values()), "by_kind": self.counts, "campaigns": len(self.campaigns),
                "events": self.events(), "lost": lost, "twice": twice, "apart": apart, "unfinished": wrong,
                "longest_take_over_s": round(self.longest_take_over, 1)}


def rate(nodes: Nodes, name: str, clustered: bool, candidates: int, seed: int) -> float:
    """Returns the candidates a minute of one campaign on a fresh node, which is a member of the cluster or is not."""
    folder = nodes.root / name
    if clustered:
        nodes.start(name, "home")
        nodes.await_live(1)
    else:
        folder.mkdir()
        (folder / "kevolved.toml").write_text('data_dir = "data"\nlisten = "127.0.0.1:0"\n', encoding="utf-8")
        with (folder / "log").open("ab") as log:
            nodes.running[name] = subprocess.Popen([nodes.bin / "kevolved", "kevolved.toml"], cwd=folder, stdout=log, stderr=log)
    at = ["--data", folder / "data", "--json"]
    while common.ask([nodes.bin / "kevolve", "list", *at], check=False) is None:
        time.sleep(0.2)
    begun = time.monotonic()
    told = common.ask([nodes.bin / "kevolve", "submit", TASKS / "row_energy.toml", "--set", f"seed={seed}", "--set",
                       f"budget.candidates={candidates}", "--set", "stop.stall=100000", *at])
    assert told is not None
    subprocess.run([nodes.bin / "kevolve", "watch", told["id"], *at], stdout=subprocess.DEVNULL, check=True)
    seconds = time.monotonic() - begun
    process = nodes.running.pop(name)
    process.send_signal(signal.SIGTERM)
    process.wait()
    return candidates / seconds * 60


def beside(server: Postgres, binaries: Path, rounds: int, candidates: int, seed: int) -> Json:
    """The same campaign on a node that is a member of a cluster of one, and on one that is not, in turn."""
    found: list[Json] = []
    for i in range(rounds):
        nodes = Nodes(server, binaries, f"beside_{i}")  # a fresh database: a known one would answer for the judge
        row: Json = {}
        try:
            for clustered in ((True, False) if i % 2 else (False, True)):
                row["with" if clustered else "without"] = rate(nodes, "member" if clustered else "alone", clustered,
                                                               candidates, seed)
        finally:
            nodes.stop()
        found.append(row)
        common.say(f"round {i + 1}: {row}")
    return {"rounds": found, "candidates": candidates, "of_alone": statistics.median(r["with"] / r["without"] for r in found)}


def faults(server: Postgres, binaries: Path, count: int, seed: int, network: namespaces.Network | None) -> Json:
    nodes = Nodes(server, binaries, "faults", network)
    candidates = 40 if count <= 20 else 150
    try:
        run = Faults(nodes, seed, candidates)
        while sum(run.counts.values()) < count:
            if not run.await_progress():
                run.submit()  # all have ended
                continue
            run.fault()
            common.say(f"fault {sum(run.counts.values())}: {run.counts}, {run.events()} events")
        return run.result()
    finally:
        nodes.stop()


def render(document: Json) -> str:
    if "faults" in document:
        f = document["faults"]
        return common.table([["faults", "of these", "campaigns", "events", "lost", "counted twice", "logs apart", "unfinished", "longest take-over, s"],
                             [str(f["faults"]), ", ".join(f"{kind} {n}" for kind, n in sorted(f["by_kind"].items())),
                              str(f["campaigns"]), str(f["events"]), str(f["lost"]), str(f["twice"]), str(f["apart"]), str(f["unfinished"]),
                              str(f["longest_take_over_s"])]])
    if "beside" in document:
        b = document["beside"]
        rows = [[f"{r['with']:.1f}", f"{r['without']:.1f}", f"{r['with'] / r['without']:.3f}"] for r in b["rounds"]]
        return common.table([["candidates a minute, in a cluster", "alone", "ratio"], *rows, ["median", "", f"{b['of_alone']:.3f}"]])
    cells = [["nodes", "jobs a second", "of linear", "of the slots", "wait, median ms", "95 %", "lost", "twice"]]
    cells += [[str(r["nodes"]), f"{r['jobs_a_second']:.1f}", f"{r['of_linear']:.3f}", f"{r['of_all_slots']:.3f}",
               f"{r['waited_ms_at_75_percent']:.2f}", f"{r['waited_ms_95']:.1f}", str(r["lost"]), str(r["twice"])]
              for r in document["scale"]]
    queue = document["queue"]
    return common.table(cells) + (
        f"\n\nOne PostgreSQL: {queue['jobs_a_second']:.0f} jobs a second, put in groups of {queue['group']}; "
        f"{queue['held']} in flight held; {queue['lost']} lost, {queue['twice']} twice.")


def under_faults(a: argparse.Namespace) -> Json:
    missing = namespaces.available()
    if missing:
        common.say(f"no network is cut: {missing}")
    network = None if missing else namespaces.Network()
    server = Postgres(namespaces.ADDRESS if network else "127.0.0.1")
    try:
        return {"faults": faults(server, a.bin, a.faults, a.seed, network)}
    finally:
        server.stop()
        if network:
            network.remove()


def measured(a: argparse.Namespace) -> Json:
    if a.faults:
        return under_faults(a)
    server = Postgres()
    try:
        if a.beside:
            return {"beside": beside(server, a.bin, a.beside, 120 if a.long else 60, a.seed)}
        rows = scale(server, a.bin, a.nodes or ([1, 2, 4, 8] if a.long else [1, 2]), a.seconds or (20.0 if a.long else 4.0))
        return {"scale": rows, "queue": throughput(server, a.bin, 20_000 if a.long else 2_000, 4_000 if a.long else 1_000)}
    finally:
        server.stop()


def fell_short(document: Json) -> bool:
    """Returns true if a job or a result was lost or counted twice, or a campaign did not end."""
    if "faults" in document:
        return any(document["faults"][key] for key in ("lost", "twice", "apart", "unfinished"))
    return "scale" in document and any(r["lost"] or r["twice"] for r in [*document["scale"], document["queue"]])


def main() -> None:
    p = common.parser(__doc__ or "")
    p.add_argument("--nodes", type=int, action="append", help="how many nodes; repeat it")
    p.add_argument("--faults", type=int, help="so many random faults during campaigns, and nothing else")
    p.add_argument("--beside", type=int, help="so many campaigns on a member of a cluster and on a node alone, and nothing else")
    p.add_argument("--seconds", type=float, default=0.0, help="of each measurement")
    a: argparse.Namespace = p.parse_args()
    common.need(a.bin, "kevolve", "kevolved", "bench-cluster")
    random.seed(a.seed)
    if programs() is None:
        print("skipped: PostgreSQL's programs are not installed: apt-get install postgresql")
        sys.exit(77)
    document = common.header("cluster", a)
    document = common.close({**document, **measured(a)})
    common.publish(document, render(document), a.json)
    sys.exit(1 if fell_short(document) else 0)


if __name__ == "__main__":
    main()
