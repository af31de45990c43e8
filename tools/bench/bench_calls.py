"""Tests model calls over kill -9 of the daemon: a stored reply is never requested again, a call in flight is repeated
at most once, and each call is counted.
"""

from __future__ import annotations

import datetime
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import common
from bench_daemon import Daemon
from common import Json

sys.path.append(str(common.ROOT))
from tests.fake_model.server import FakeModel

PROGRAMS = ("kevolve", "kevolved", "kevolve-serve", "kevolve-judge", "kevolve-zygote", "kevolve-compile-server")
CAMPAIGN = common.ROOT / "tests" / "node" / "tasks" / "row_energy.toml"
MOST_CALLS = 2  # calls of one question, including those that kills cost


class Asking(Daemon):
    """A node whose only provider is the fake one."""

    def __init__(self, folder: Path, data: Path, url: str) -> None:
        super().__init__(folder, data)
        with self.settings.open("a", encoding="utf-8") as out:
            out.write(f'[[provider]]\nname = "fake"\nkind = "openai-chat"\nmodel = "fake"\nurl = "{url}"\n')

    def verb(self, *words: object) -> None:
        subprocess.run([str(self.folder / "kevolve"), *map(str, words), "--data", str(self.data)], cwd=common.ROOT,
                       stdout=subprocess.DEVNULL, check=True)


def moment_ns(text: str | None) -> int:
    return int(datetime.datetime.fromisoformat(text).timestamp() * 1e9) + 1_000_000 if text else 0  # in milliseconds


def exchanges_of(daemon: Asking, campaign: str, nodes: int) -> list[Json]:
    return [x for n in range(1, nodes + 1) for x in daemon.get(f"/v1/campaigns/{campaign}/candidates/{n}")["exchanges"]]


def asked_after_stored(fake: FakeModel, exchanges: list[Json]) -> int:
    """Returns requests that came after the reply to the same question was stored. Identical questions count once all
    are stored.
    """
    stored: dict[str, list[int]] = {}
    for x in exchanges:
        first = min((moment_ns(c["ended"]) for c in x["calls"] if c["outcome"] == "answered"), default=None)
        for digest in {c["request_sha256"] for c in x["calls"]}:
            stored.setdefault(digest, []).append(first if first is not None else sys.maxsize)
    return sum(a.at_ns > max(stored.get(a.sha256, [sys.maxsize])) for a in fake.asked)


def compare(fake: FakeModel, exchanges: list[Json], counted: int) -> Json:
    calls = [c for x in exchanges for c in x["calls"]]
    made = Counter(c["request_sha256"] for c in calls)
    seen = Counter(a.sha256 for a in fake.asked)
    often = [len(x["calls"]) for x in exchanges]
    return {
        "asked_after_stored": asked_after_stored(fake, exchanges),
        "called_after_answered": sum(any(c["outcome"] == "answered" for c in x["calls"][:-1]) for x in exchanges),
        "made_too_often": sum(n > MOST_CALLS for n in often),
        "made_twice": sum(n == MOST_CALLS for n in often),
        "not_in_the_record": sum(max(0, n - made[digest]) for digest, n in seen.items()),
        "in_the_record": len(calls),
        "counted": counted,
        "outcomes": dict(Counter(c["outcome"] or "open" for c in calls)),
    }


def idle(daemon: Asking) -> Json:
    """Waits until nothing is in flight and returns the provider."""
    for _ in range(600):
        provider: Json = daemon.get("/v1/providers")["items"][0]
        if provider["in_flight"] == 0:
            return provider
        time.sleep(0.1)
    raise SystemExit("calls are still in flight a minute after the end")


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--kills", type=int, help="short 5, long 200")
    arguments = p.parse_args()
    kills = arguments.kills or (200 if arguments.long else 5)
    common.need(arguments.bin, *PROGRAMS)
    document = common.header("calls", arguments)
    chance = random.Random(arguments.seed)
    with common.scratch() as scratch:
        fake = FakeModel(arguments.seed)
        daemon = Asking(arguments.bin, scratch / "data", fake.url)
        daemon.start()
        daemon.verb("submit", CAMPAIGN, "--set", "generator=[{kind='llm',in_flight=4}]", "--set", "budget.candidates=100000")
        campaign = daemon.campaigns()[0]["id"]
        for i in range(kills):
            time.sleep(chance.uniform(0.1, 2.0))
            daemon.kill()
            daemon.start()
            if i % 20 == 19:
                common.say(f"{i + 1} kills, {len(fake.asked)} requests")
        daemon.verb("budget", campaign, "--candidates", daemon.campaigns()[0]["candidates"] + 8)
        while daemon.campaigns()[0]["state"] != "finished":
            time.sleep(0.2)
        state = daemon.campaigns()[0]
        counted = idle(daemon)["spent"]["calls"]
        exchanges = exchanges_of(daemon, campaign, state["candidates"])
        document["kills"] = kills
        document["requests"] = len(fake.asked)
        document["candidates"] = state["candidates"]
        document["found"] = compare(fake, exchanges, counted)
        daemon.stop()
        fake.close()
    common.publish(common.close(document), render(document), arguments.json)


def render(document: Json) -> str:
    f = document["found"]
    outcomes = ", ".join(f"{n} {what}" for what, n in sorted(f["outcomes"].items()))
    return "\n".join([
        (f"{document['kills']} kills of the daemon; {document['candidates']} candidates, {document['requests']} requests seen by the "
         f"server, {f['in_the_record']} calls in the record ({outcomes}), {f['counted']} counted with the provider"),
        (f"asked though the reply was stored: {f['asked_after_stored']} seen by the server, {f['called_after_answered']} in the record; "
         f"made more than {MOST_CALLS} times: {f['made_too_often']} ({f['made_twice']} twice); seen by the server and not in the "
         f"record: {f['not_in_the_record']}")])


def page_table(documents: dict[str, Json]) -> str:
    document, = documents.values()
    f = document["found"]
    rows = [["question", "count"], ["kill -9 of the daemon", str(document["kills"])],
            ["candidates", str(document["candidates"])], ["requests seen by the server", str(document["requests"])],
            ["calls in the record", str(f["in_the_record"])], ["calls counted with the provider", str(f["counted"])],
            *[[f"calls {outcome}", str(n)] for outcome, n in sorted(f["outcomes"].items())],
            ["requests although the reply was stored", str(f["asked_after_stored"])],
            [f"questions asked more than {MOST_CALLS} times", str(f["made_too_often"])],
            ["requests missing in the record", str(f["not_in_the_record"])]]
    return common.table(rows)


if __name__ == "__main__":
    main()
