"""Workers that a real Slurm starts, preempts and restarts during a campaign: no result is lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import postgres
import slurm_cluster
from slurm_cluster import wait_for

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(os.environ.get("KEVOLVE_BIN", ROOT / "build" / "bin")).resolve()
MISSING = slurm_cluster.missing_programs() + ([] if postgres.programs() else ["postgres"])
CANDIDATES = 5


@unittest.skipIf(MISSING, f"no {', '.join(MISSING)}: apt-get install munge slurmctld slurmd slurm-client postgresql")
class Campaign(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="kevolve-campaign-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name in ("row_energy.c", "row_energy.task.toml", "row_energy.toml"):
            shutil.copy(ROOT / "tests" / "node" / "tasks" / name, self.folder)
        self.database = postgres.Postgres()
        self.addCleanup(self.database.stop)
        wait_for(self.database.ready)
        self.kevolve("cluster", "init", "--postgres", self.database.connection("owner"), "--deployment", "lab")
        self.database.ask("create role home login in role kevolve_home; create role worker login in role kevolve_worker")
        self.slurm = slurm_cluster.SlurmCluster()
        self.addCleanup(self.slurm.stop)
        self.slurm.start()

    def kevolve(self, *words: str) -> str:
        done = subprocess.run([str(BIN / "kevolve"), *words], capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}{self.logs()}")
        return done.stdout

    def logs(self) -> str:
        """Returns the last lines of the nodes' logs."""
        return "".join(f"\n{p.name}:\n{p.read_text(errors='replace')[-3000:]}" for p in sorted(self.folder.glob("*.log")))

    def start_home(self) -> None:
        """Starts a home that judges nothing itself."""
        (self.folder / "home.toml").write_text(
            f'data_dir = "home"\nlisten = "127.0.0.1:0"\n[cluster]\npostgres = "{self.database.connection("home")}"\n'
            'deployment = "lab"\nnode = "home-1"\n[[device]]\ntarget = "cpu"\nelsewhere = true\n')
        with (self.folder / "home.log").open("w") as log:
            home = subprocess.Popen([str(BIN / "kevolved"), str(self.folder / "home.toml")], stdout=log, stderr=subprocess.STDOUT)
        self.addCleanup(home.wait)
        self.addCleanup(home.terminate)
        wait_for(lambda: self.answers(home))

    def answers(self, home: subprocess.Popen[bytes]) -> bool:
        self.assertIsNone(home.poll(), self.logs())
        return subprocess.run([str(BIN / "kevolve"), "nodes", "list", "--data", "home"], capture_output=True, check=False,
                              cwd=self.folder).returncode == 0

    def nodes(self) -> dict[str, dict]:
        """Returns the nodes of the cluster by name."""
        return {n["name"]: n for n in json.loads(self.kevolve("nodes", "list", "--data", "home", "--json"))["items"]}

    def status(self, campaign: str) -> dict:
        return json.loads(self.kevolve("status", campaign, "--data", "home", "--json"))

    def joined(self, name: str) -> bool:
        return self.nodes().get(name, {}).get("state") == "live"

    def test_a_preempted_worker_loses_no_result(self) -> None:
        self.start_home()
        job = self.slurm.submit(f"--output={self.folder}/worker.log", "--partition=low", f"--cpus-per-task={self.slurm.cores}",
                                str(ROOT / "tools" / "slurm" / "worker.sbatch"), KEVOLVED=str(BIN / "kevolved"),
                                KEVOLVE_POSTGRES=self.database.connection("worker"), KEVOLVE_DEPLOYMENT="lab", SLURM_TMPDIR=str(self.folder))
        self.addCleanup(self.slurm.cancel, job)
        wait_for(lambda: self.joined(f"slurm-{job}-0"))
        campaign = self.kevolve("submit", "row_energy.toml", "--set", f"budget.candidates={CANDIDATES}", "--set", "profile.share=0", "--data", "home", "--quiet").strip()
        wait_for(lambda: self.status(campaign)["valid"] >= 1, 300)
        before = self.status(campaign)
        self.assertEqual(before["state"], "running", before)
        self.slurm.run_through("--partition=high", f"--cpus-per-task={self.slurm.cores}", f"--output={self.folder}/high.log", "--wrap=true")
        wait_for(lambda: self.joined(f"slurm-{job}-0.1"))
        self.assertFalse(self.joined(f"slurm-{job}-0"))
        wait_for(lambda: self.status(campaign)["state"] not in ("running", "finishing", "paused"), 300)
        after = self.status(campaign)
        self.assertEqual((after["state"], after["candidates"], after["in_flight"]), ("finished", CANDIDATES, 0), self.logs())
        tree = json.loads(self.kevolve("tree", campaign, "--data", "home", "--json"))["items"]
        self.assertEqual({c["state"] for c in tree}, {"finished"}, tree)
        self.assertEqual([c["index"] for c in tree if not c["verdict"]], [])
        self.assertEqual(self.database.ask("select count(*) from kevolve.jobs where state = 'dead'"), "0")


if __name__ == "__main__":
    unittest.main()
