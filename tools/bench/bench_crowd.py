"""Measures a node with a long history and a hundred thousand actors: the time after a crash until its data can be read,
and its answers to polling clients beside silent connections, while it judges.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path

import common
from bench_daemon import AT_ONCE, READABLE_LIMIT_S, Daemon, polled, ratios
from common import Json

PROGRAMS = ("kevolve", "kevolved", "kevolve-serve", "bench-crowd", "kevolve-judge", "kevolve-zygote", "kevolve-compile-server")
CAMPAIGN = common.ROOT / "config" / "examples" / "softmax.toml"
STEADY = common.ROOT / "tests" / "node" / "tasks" / "row_energy.toml"
ANSWER_LIMIT_S = 0.05
BYTES_LIMIT = 1.5  # of an empty actor's
WARM = 100  # candidates of each campaign that keeps the node busy, before measuring


class CrowdedNode(Daemon):
    """The node with additional actors and one provider."""

    def __init__(self, folder: Path, data: Path, actors: int, model: str, cores: list[int]) -> None:
        super().__init__(folder, data)
        self.actors = actors
        self.model = model
        self.cores = cores

    def command(self) -> list[str]:
        return ["taskset", "-c", ",".join(map(str, self.cores)), str(self.folder / "bench-crowd"), "serve", "--data", str(self.data), "--bin", str(self.folder), "--actors",
                str(self.actors), "--model", self.model]


class Running:
    """The requests of `polled`, with campaigns that run by themselves. Campaigns open before are suspended. Candidates
    from a server that answers at once, all of one cost, keep the node fully busy at a steady rate.
    """

    def __init__(self, daemon: Daemon, resting: list[str]) -> None:
        self.daemon = daemon
        for identity in resting:
            self.verb("pause", identity)
        for k in range(AT_ONCE):
            self.verb("submit", STEADY, "--set", "generator=[{kind='llm',in_flight=8}]", "--set", "budget.candidates=1000000",
                      "--set", "stop.stall=1000000", "--set", f"seed={k + 1}")
        self.submitted = resting

    def verb(self, *words: object) -> None:
        subprocess.run([str(self.daemon.folder / "kevolve"), *map(str, words), "--data", str(self.daemon.data)],
                       cwd=common.ROOT, stdout=subprocess.DEVNULL, check=True)

    def feed(self) -> None:
        pass


def read_all(daemon: Daemon) -> Json:
    """Reads the state of every campaign, and for an ended and an open one the newest nodes and one complete node."""
    rows = daemon.get("/v1/campaigns?limit=1000")["items"]
    out: Json = {"campaigns": len(rows), "candidates": sum(c["candidates"] for c in rows)}
    for row in (next(c for c in rows if c["state"] == "finished"), next(c for c in rows if c["state"] != "finished")):
        page = daemon.get(f"/v1/campaigns/{row['id']}/tree?limit=100")
        node = daemon.get(f"/v1/campaigns/{row['id']}/candidates/{page['items'][-1]['index']}")
        out[row["state"]] = {"id": row["id"], "tree": page["total"], "source_bytes": len(node["source"])}
    return out


def fill(programs: Path, data: Path, campaigns: int, nodes: int) -> Json:
    """Fills a data directory with campaigns of so many candidates in all."""
    filled = common.ask([programs / "bench-crowd", "fill", "--data", data, "--campaign", CAMPAIGN, "--set",
                         "budget.wall=24h", "--set", "stop.stall=1000000", "--campaigns", campaigns, "--nodes", nodes])
    if filled is None:
        raise SystemExit(1)
    return filled


def actor_bytes(programs: Path, data: Path, actors: int) -> Json:
    """Returns the bytes of an empty actor, of a live search node and of a revived one."""
    measured = common.ask([programs / "bench-crowd", "actors", "--data", data, "--actors", actors])
    if measured is None:
        raise SystemExit(1)
    return measured


def restarts(daemon: Daemon, times: int) -> list[Json]:
    out = []
    for _ in range(times):
        begin = time.monotonic()
        listed = daemon.start()
        seen = read_all(daemon)
        out.append({"listed_s": round(listed, 3), "read_s": round(time.monotonic() - begin, 3), **seen})
        daemon.kill()
    return out


def live_actors(daemon: Daemon) -> int:
    return sum(kind["live"] for kind in daemon.get("/v1/actors/summary")["items"])


def silent(daemon: Daemon, count: int) -> list[socket.socket]:
    """Opens connections that begin a request and never end it."""
    url = urllib.parse.urlparse(f"http://127.0.0.1:{daemon.connection.port}")
    out = []
    for _ in range(count):
        s = socket.create_connection((url.hostname, url.port), timeout=5)
        s.sendall(b"GET /v1/actors HTTP/1.1\r\nHost: ")
        out.append(s)
    return out


def pooled(runs: list[Json]) -> Json:
    """Combines runs: every round of each, all restarts, and the slowest run's answer times."""
    first = runs[0]
    for what, of in (("command", lambda r: r["command"]), ("revision", lambda r: r["revision"]),
                     ("processor", lambda r: (r["machine"]["cpu"], r["machine"]["cores"])),
                     ("what was filled in", lambda r: r["filled"])):
        if any(of(r) != of(first) for r in runs):
            raise SystemExit(f"--pool: the documents differ in {what}")
    out = {**first, "date": f"{first['date']} and {len(runs) - 1} more calls until {runs[-1]['date']}",
           "restarts": [s for r in runs for s in r["restarts"]]}
    for what in ("polled", "polled_beside_silent"):
        together: Json = dict(first[what])
        for key in ("alone_per_minute", "polled_per_minute", "still_per_minute"):
            together[key] = [x for r in runs for x in r[what][key]]
        for key in ("requests", "failed", "client_cpu_s"):
            together[key] = sum(r[what][key] for r in runs)
        for key in ("median_s", "p99_s"):
            together[key] = max(r[what][key] for r in runs)
        out[what] = {**together, **ratios(together)}
    return out


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--campaigns", type=int, help="short 5, long 50")
    p.add_argument("--nodes", type=int, help="of all of them (short 2,000, long 100,000)")
    p.add_argument("--actors", type=int, help="short 10,000, long 100,000")
    p.add_argument("--clients", type=int, help="that poll (short 10, long 50)")
    p.add_argument("--rounds", type=int, help="of the rate with and without clients (short 1, long 18)")
    p.add_argument("--seconds", type=float, help="of each reading of the rate (short 5, long 10)")
    p.add_argument("--memory", action="store_true", help="measures the bytes of an actor alone")
    p.add_argument("--pool", type=Path, nargs="+", metavar="FILE",
                   help="measures nothing: the rounds of these documents, taken together")
    p.add_argument("--node-cores", type=int, help="cores of the node and of what it starts; clients and the server of "
                   "candidates have the others, as on machines of their own (0: all cores are everybody's)", default=0)
    arguments = p.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    if not 0 <= arguments.node_cores < len(cores):
        p.error(f"--node-cores {arguments.node_cores}: this machine has {len(cores)}, and clients need one")
    if arguments.pool:
        document = pooled([json.loads(f.read_text(encoding="utf-8")) for f in arguments.pool])
        common.publish(document, render(document), arguments.json)
        return
    common.need(arguments.bin, *PROGRAMS)
    document = common.header("crowd", arguments)
    campaigns, nodes, actors, clients, quiet, kills, seconds, rounds = (
        (50, 100_000, 100_000, 50, 1_000, 10, 10, 18) if arguments.long else (5, 2_000, 10_000, 10, 100, 2, 5, 1))
    campaigns, nodes = arguments.campaigns or campaigns, arguments.nodes or nodes
    actors, clients, rounds = arguments.actors or actors, arguments.clients or clients, arguments.rounds or rounds
    seconds = arguments.seconds or seconds
    with common.scratch() as scratch:
        data = scratch / "data"
        common.say(f"{campaigns} campaigns, {nodes} nodes")
        document["filled"] = fill(arguments.bin, data, campaigns, nodes)
        document["actor_bytes"] = actor_bytes(arguments.bin, data, min(actors, 20_000))
        if arguments.memory:
            common.publish(common.close(document), render(document), arguments.json)
            return
        document["restarts"] = restarts(Daemon(arguments.bin, data), kills)
        os.sched_setaffinity(0, cores[arguments.node_cores:])  # for everything but the node
        document["node_cores"] = arguments.node_cores
        fake = subprocess.Popen([sys.executable, "-m", "tests.fake_model.server"], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True, cwd=common.ROOT)
        node = CrowdedNode(arguments.bin, data, actors, fake.stdout.readline().strip(),
                           cores[:arguments.node_cores] or cores)
        node.start()
        running = Running(node, [c["id"] for c in node.campaigns() if c["state"] != "finished"])
        deadline = time.monotonic() + 300
        while (there := live_actors(node)) < actors:
            if time.monotonic() > deadline:
                raise SystemExit(f"{there} of {actors} actors after five minutes")
            time.sleep(0.2)
        document["actors"] = there
        while any(c["state"] == "running" and c["candidates"] < WARM for c in node.campaigns()):
            time.sleep(0.2)
        common.say(f"{document['actors']} actors, {clients} clients")
        document["polled"] = polled(running, clients, seconds, rounds)
        common.say(f"{quiet} silent connections beside them")
        connections = silent(node, quiet)
        document["polled_beside_silent"] = {"silent": quiet, **polled(running, clients, seconds, rounds)}
        for c in connections:
            c.close()
        node.kill()
        fake.stdin.close()
        fake.wait(30)
    common.publish(common.close(document), render(document), arguments.json)


def answers(what: str, polls: Json) -> str:
    return (f"{what}: {polls['requests']} requests of {polls['clients']} clients, {polls['failed']} failed, median "
            f"{common.nanoseconds(1e9 * (polls['median_s'] or 0))}, 99 % within "
            f"{common.nanoseconds(1e9 * (polls['p99_s'] or 0))} (wanted: {common.nanoseconds(1e9 * ANSWER_LIMIT_S)}); "
            f"candidates a minute {portion(polls['ratio'])} of the "
            f"{sum(polls['alone_per_minute']) / len(polls['alone_per_minute']):.0f} without (wanted: 0.98); "
            f"{portion(polls['still_ratio'])} where the same clients ask a server beside the node that only sends these "
            f"pages' bytes, and {portion(polls['own_ratio'])} of that where they ask the node")


def portion(ratio: Json) -> str:
    return f"{common.number(ratio['value'], 3)} ({common.interval(ratio['interval'], 3)})"


def bytes_of(document: Json) -> list[str]:
    """Returns a line on the memory of actors; none for a document from before it was measured."""
    if not (measured := document.get("actor_bytes")):
        return []
    b = measured["bytes"]
    return [(f"bytes an actor, of {measured['actors']} each: empty {b['empty']:.0f}; a live search node {b['live']:.0f}, "
             f"{b['live'] / b['empty']:.2f} times as many (wanted: {BYTES_LIMIT}); a revived one {b['revived']:.0f}, "
             f"{b['revived'] / b['empty']:.2f} times; {measured['answered_when_revived']} of the latter answered with their verdict")]


def render(document: Json) -> str:
    if "restarts" not in document:
        return "\n".join(bytes_of(document))
    filled, starts = document["filled"], document["restarts"]
    slow = sorted(r["read_s"] for r in starts)
    of_node = document.get("node_cores", 0)
    apart = [f"the node and all it starts have {of_node} cores, its clients and the server of candidates the other "
             f"{document['machine']['cores'] - of_node}"] if of_node else []
    return "\n".join([
        *apart,
        *bytes_of(document),
        (f"{filled['campaigns']} campaigns ({filled['open']} of them open) with {filled['nodes']} candidates, {len(starts)} kills: "
         f"every state, the tree and a node of an ended and of an open campaign read {slow[len(slow) // 2]:.2f} s (median) and "
         f"{slow[-1]:.2f} s (longest) after the start (wanted: {READABLE_LIMIT_S:.0f} s)"),
        answers(f"{document['actors']} actors", document["polled"]),
        answers(f"the same beside {document['polled_beside_silent']['silent']} silent connections",
                document["polled_beside_silent"])])


def page_table(documents: dict[str, Json]) -> str:
    """Returns a table of answer times and rates beside clients, with one column for each machine. For documents of
    --memory it is a table of the bytes of an actor.
    """
    if all("restarts" not in d for d in documents.values()):
        rows = [["machine", "actors of each kind", "empty", f"live search node (wanted: {BYTES_LIMIT} times)", "revived one"]]
        for d in documents.values():
            b = d["actor_bytes"]["bytes"]
            rows.append([d["machine"]["cpu"], f"{d['actor_bytes']['actors']:,}", f"{b['empty']:.0f} bytes",
                         *(f"{b[kind]:.0f} bytes, {b[kind] / b['empty']:.2f} times" for kind in ("live", "revived"))])
        return common.table(rows)
    rows = [["", *(f"{d['machine']['cores']} cores of {d['machine']['cpu']}" for d in documents.values())]]
    starts = [sorted(r["read_s"] for r in d["restarts"]) for d in documents.values()]
    rows.append(["everything readable after a kill: median, longest", *(f"{s[len(s) // 2]:.2f} s, {s[-1]:.2f} s" for s in starts)])
    for key, beside in (("polled", "50 clients"), ("polled_beside_silent", "50 clients and 1,000 silent connections")):
        polls = [d[key] for d in documents.values()]
        rows.append([f"{beside}: answers, median; 99 % within", *(f"{common.nanoseconds(1e9 * p['median_s'])}; "
                                                                 f"{common.nanoseconds(1e9 * p['p99_s'])}" for p in polls)])
        rows.append([f"{beside}: failed requests", *(f"{p['failed']} of {p['requests']}" for p in polls)])
        rows.append([f"{beside}: candidates a minute, of those without", *(portion(p["ratio"]) for p in polls)])
        rows.append([f"{beside}: of those beside a server that only sends the bytes", *(portion(p["own_ratio"]) for p in polls)])
    return common.table(rows)


if __name__ == "__main__":
    main()
