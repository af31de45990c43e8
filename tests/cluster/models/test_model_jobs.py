"""A home whose model's key another node holds: calls travel as jobs, and none is lost or made once too often."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import unittest
import urllib.request
from collections import Counter
from pathlib import Path

import postgres
from slurm_cluster import wait_for

from tests.fake_model.server import FakeModel

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(os.environ.get("KEVOLVE_BIN", ROOT / "build" / "bin")).resolve()
MOST_CALLS = 2  # of one question: the second after a call in doubt
CANDIDATES = 2
PROVIDER = '[[provider]]\nname = "shared"\nkind = "openai-chat"\nmodel = "fake"\n'


@unittest.skipIf(not postgres.programs(), "no PostgreSQL: apt-get install postgresql")
class ModelJobs(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="kevolve-models-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name in ("row_energy.c", "row_energy.task.toml", "row_energy.toml"):
            shutil.copy(ROOT / "tests" / "node" / "tasks" / name, self.folder)
        self.database = postgres.Postgres()
        self.addCleanup(self.database.stop)
        wait_for(self.database.ready)
        self.kevolve("cluster", "init", "--postgres", self.database.connection("owner"), "--deployment", "lab")
        self.database.ask("create role home login in role kevolve_home; create role second login in role kevolve_home;"
                          "create role one login in role kevolve_worker; create role two login in role kevolve_worker")
        self.home = "home"  # the one that is asked about the campaign
        self.fake = FakeModel(1, longest_s=0)
        self.addCleanup(self.fake.close)

    def kevolve(self, *words: str) -> str:
        done = subprocess.run([str(BIN / "kevolve"), *words], capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}{self.logs()}")
        return done.stdout

    def logs(self) -> str:
        """Returns the last lines of the nodes' logs."""
        return "".join(f"\n{p.name}:\n{p.read_text(errors='replace')[-3000:]}" for p in sorted(self.folder.glob("*.log")))

    def start(self, name: str, settings: str, cluster: str = "") -> subprocess.Popen[bytes]:
        """Returns a node in a data directory of its own; `cluster` stands in [cluster]."""
        (self.folder / f"{name}.toml").write_text(
            f'data_dir = "{name}"\nlisten = "127.0.0.1:0"\n{settings}[cluster]\npostgres = "{self.database.connection(name)}"\n'
            f'deployment = "lab"\nnode = "{name}"\nrole = "{"worker" if name in ("one", "two") else "home"}"\n{cluster}')
        with (self.folder / f"{name}.log").open("a") as log:
            node = subprocess.Popen([str(BIN / "kevolved"), str(self.folder / f"{name}.toml")], stdout=log, stderr=subprocess.STDOUT)
        self.addCleanup(node.wait)
        self.addCleanup(node.kill)
        return node

    def start_home(self, name: str = "home", cluster: str = "") -> subprocess.Popen[bytes]:
        """A home that judges itself and has no key."""
        home = self.start(name, PROVIDER + 'elsewhere = true\n', cluster)
        wait_for(lambda: self.joined(name))
        return home

    def joined(self, name: str) -> bool:
        """Returns true if the home answers and is in the cluster."""
        asked = subprocess.run([str(BIN / "kevolve"), "nodes", "list", "--data", name, "--json"], capture_output=True, text=True,
                               check=False, cwd=self.folder)
        return asked.returncode == 0 and json.loads(asked.stdout)["state"] == "joined"

    def start_worker(self, name: str) -> subprocess.Popen[bytes]:
        worker = self.start(name, PROVIDER + f'url = "{self.fake.url}"\n')
        wait_for(lambda: self.live(name))
        return worker

    def live(self, name: str) -> bool:
        return self.database.ask(f"select count(*) from kevolve.list_nodes() where name = '{name}' and state = 'live'") == "1"

    def submit(self) -> str:
        return self.kevolve("submit", "row_energy.toml", "--set", "generator[0].kind=llm", "--set", "generator[0].in_flight=1", "--set",
                            "draft.candidates=1", "--set", f"budget.candidates={CANDIDATES}", "--set", "profile.share=0",
                            "--data", "home", "--quiet").strip()

    def finish(self, campaign: str) -> list[dict]:
        """Waits for the end of the campaign; its exchanges with the model."""
        wait_for(lambda: json.loads(self.kevolve("status", campaign, "--data", self.home, "--json"))["state"] == "finished", 300)
        status = json.loads(self.kevolve("status", campaign, "--data", self.home, "--json"))
        self.assertEqual((status["candidates"], status["in_flight"]), (CANDIDATES, 0), self.logs())
        return [x for n in range(1, CANDIDATES + 1)
                for x in json.loads(self.kevolve("candidate", campaign, str(n), "--data", self.home, "--json"))["exchanges"]]

    def check(self, exchanges: list[dict]) -> None:
        """Every request that the model got is on record, and no question was asked again once it was answered."""
        self.assertTrue(exchanges)
        recorded = Counter(c["request_sha256"] for x in exchanges for c in x["calls"])
        for digest, seen in Counter(a.sha256 for a in self.fake.asked).items():
            self.assertLessEqual(seen, recorded[digest], exchanges)
        for x in exchanges:
            self.assertLessEqual(len(x["calls"]), MOST_CALLS, x)
            self.assertEqual([c["outcome"] == "answered" for c in x["calls"]], [False] * (len(x["calls"]) - 1) + [True], x)
            self.assertEqual(x["answer"]["model"], "fake-1")

    def metrics(self) -> dict[str, float]:
        """Returns the home's figures of its cluster, by name and labels."""
        data = self.folder / self.home
        request = urllib.request.Request(json.loads((data / "admin.json").read_text())["url"] + "/metrics",
                                         headers={"Authorization": "Bearer " + (data / "token").read_text().strip()})
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - the node's own address
            lines = answer.read().decode().splitlines()
        return {name: float(value) for name, value in (x.rsplit(" ", 1) for x in lines if x.startswith("kevolve_cluster_"))}

    def hold(self) -> str:
        """Begins a campaign whose first call has reached the model, which does not answer."""
        self.fake.gate.clear()
        self.addCleanup(self.fake.gate.set)
        campaign = self.submit()
        wait_for(lambda: len(self.fake.asked) == 1)
        return campaign

    def test_a_home_without_a_key_uses_the_model_of_a_worker(self) -> None:
        self.start_home()
        self.start_worker("one")
        exchanges = self.finish(self.submit())
        self.check(exchanges)
        self.assertEqual(len(self.fake.asked), sum(len(x["calls"]) for x in exchanges))
        self.assertEqual(self.database.ask("select distinct node from kevolve.jobs where kind = 'model' and state = 'done'"), "one")
        figures = self.metrics()
        self.assertEqual(figures["kevolve_cluster_joined"], 1)
        self.assertEqual(figures['kevolve_cluster_nodes{state="live"}'], 2, figures)
        sent = figures['kevolve_cluster_jobs_total{event="sent"}']
        self.assertGreaterEqual(sent, len(self.fake.asked))
        self.assertEqual(sent, figures['kevolve_cluster_jobs_total{event="received"}'])

    def test_a_call_whose_worker_dies_is_made_again_once_and_both_are_counted(self) -> None:
        self.start_home()
        worker = self.start_worker("one")
        campaign = self.hold()
        worker.kill()
        worker.wait()
        self.start_worker("two")
        wait_for(lambda: len(self.fake.asked) == 2)
        self.fake.gate.set()
        exchanges = self.finish(campaign)
        self.check(exchanges)
        first = exchanges[0]["calls"]
        self.assertEqual([c["outcome"] == "answered" for c in first], [False, True], first)
        self.assertIn("held the job until its lease ran out", first[0]["detail"])
        self.assertEqual(first[0]["request_sha256"], first[1]["request_sha256"])

    def test_a_call_in_doubt_when_its_home_dies_is_made_again_once(self) -> None:
        home = self.start_home()
        self.start_worker("one")
        campaign = self.hold()
        home.kill()
        home.wait()
        self.start_home()
        wait_for(lambda: len(self.fake.asked) == 2)
        self.fake.gate.set()
        exchanges = self.finish(campaign)
        self.check(exchanges)
        first = exchanges[0]["calls"]
        self.assertEqual(len(first), 2, first)
        self.assertEqual((first[0]["outcome"], first[0]["detail"]), ("lost", "the node went down before the answer came"))

    def test_a_call_in_doubt_is_made_again_once_by_the_home_that_takes_over(self) -> None:
        durable = 'durable = "cluster"\n'
        home = self.start_home(cluster=durable)
        self.start_home("second", durable)
        self.start_worker("one")
        campaign = self.hold()
        home.kill()
        home.wait()
        self.home = "second"
        wait_for(lambda: len(self.fake.asked) == 2)
        self.fake.gate.set()
        exchanges = self.finish(campaign)
        self.check(exchanges)
        first = exchanges[0]["calls"]
        self.assertEqual([(c["outcome"], c["detail"]) for c in first][0], ("lost", "the node went down before the answer came"), first)
        self.assertEqual(len(first), 2, first)


if __name__ == "__main__":
    unittest.main()
