"""The batch scripts of tools/slurm under a real Slurm: they start, drain, preempt and restart workers."""

from __future__ import annotations

import shutil
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

import slurm_cluster
from slurm_cluster import SlurmCluster, wait_for

HERE = Path(__file__).resolve().parent
SCRIPTS = HERE.parents[2] / "tools" / "slurm"
MISSING = slurm_cluster.missing_programs()


@unittest.skipIf(MISSING, f"no {', '.join(MISSING)}: apt-get install munge slurmctld slurmd slurm-client")
class Workers(unittest.TestCase):
    """One Slurm for all tests of a class; a recording daemon stands where kevolved does."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.slurm = SlurmCluster()
        cls.addClassCleanup(cls.slurm.stop)
        cls.slurm.start()

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="kevolve-workers-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("record", "local"):
            (self.folder / name).mkdir()
        self.environment = {
            "RECORD": str(self.folder / "record"), "KEVOLVED": str(HERE / "recording_daemon.py"),
            "SLURM_TMPDIR": str(self.folder / "local"), "KEVOLVE_POSTGRES": 'host=db options="-c a=\\b" dbname=kevolve',
            "KEVOLVE_DEPLOYMENT": "lab"}

    def submit(self, *words: str, script: str = "worker.sbatch", **more: str) -> str:
        """Submits a script; the job is cancelled when the test ends."""
        number = self.slurm.submit(f"--output={self.folder}/out.%j", "--partition=low", *words, str(SCRIPTS / script),
                                   **{**self.environment, **more})
        self.addCleanup(self.slurm.cancel, number)
        return number

    def recorded(self, ending: str) -> list[Path]:
        """The files of one kind that daemons have written, the oldest first."""
        return sorted((self.folder / "record").glob(f"*.{ending}"), key=lambda p: p.stat().st_mtime_ns)

    def wait_started(self, count: int) -> list[dict]:
        """Waits for so many daemons; their settings."""
        try:
            wait_for(lambda: len(self.recorded("started")) >= count)
        except TimeoutError as error:
            outputs = "\n".join(p.read_text() for p in self.folder.glob("out.*"))
            raise TimeoutError(outputs + self.slurm.logs()) from error
        return [tomllib.loads(p.read_text()) for p in self.recorded("settings")]

    def whole_node(self) -> str:
        return f"--cpus-per-task={self.slurm.cores}"

    def preempt(self) -> None:
        """Runs a job of higher priority that needs the whole node."""
        self.slurm.run_through("--partition=high", self.whole_node(), f"--output={self.folder}/high", "--wrap=true")


class Scripts(Workers):
    """These take seconds."""

    def test_writes_settings_from_its_environment(self) -> None:
        more = self.folder / "more.toml"
        more.write_text("[limits]\ncompilers = 2\n")
        number = self.submit(KEVOLVE_LABELS="rack-3,fast", KEVOLVE_PASSWORD_FILE="/etc/kevolve/password",
                             KEVOLVE_TARGETS="cpu cuda", KEVOLVE_SETTINGS=str(more))
        (settings,) = self.wait_started(1)
        data = settings.pop("data_dir")
        self.assertTrue(data.startswith(str(self.folder / "local")), data)
        self.assertEqual(settings, {
            "listen": "127.0.0.1:0",
            "cluster": {"postgres": self.environment["KEVOLVE_POSTGRES"], "password_file": "/etc/kevolve/password",
                        "deployment": "lab", "node": f"slurm-{number}-0", "role": "worker", "labels": ["rack-3", "fast"]},
            "device": [{"target": "cpu"}, {"target": "cuda"}], "limits": {"compilers": 2}})

    def test_a_cancelled_worker_drains_and_does_not_start_again(self) -> None:
        number = self.submit()
        self.wait_started(1)
        self.slurm.cancel(number)
        self.assertEqual(self.slurm.job(number)["JobState"], "CANCELLED")
        self.assertEqual(len(self.recorded("ended")), 1)
        self.assertEqual(list((self.folder / "local").iterdir()), [])

    def test_a_worker_that_fails_does_not_start_again(self) -> None:
        (self.folder / "record" / "fail").touch()
        number = self.submit()
        wait_for(lambda: self.slurm.job(number)["JobState"] == "FAILED")
        self.assertEqual(self.slurm.job(number)["ExitCode"], "3:0")
        self.assertEqual(self.slurm.job(number)["Restarts"], "0")

    def test_each_task_is_a_worker_with_a_folder_and_a_name_of_its_own(self) -> None:
        if self.slurm.cores < 2:
            self.skipTest("one core: two tasks do not fit")
        number = self.submit("--ntasks=2")
        settings = self.wait_started(2)
        self.assertEqual({s["cluster"]["node"] for s in settings}, {f"slurm-{number}-0", f"slurm-{number}-1"})
        self.assertEqual(len({s["data_dir"] for s in settings}), 2)

    def test_a_worker_gets_the_gpu_that_it_asks_for(self) -> None:
        self.submit("--gpus-per-task=1", KEVOLVE_TARGETS="cuda")
        (settings,) = self.wait_started(1)
        self.assertEqual(settings["device"], [{"target": "cuda"}])
        self.assertEqual([p.read_text() for p in self.recorded("gpus")], ["0"])

    def test_an_array_is_a_worker_an_element(self) -> None:
        number = self.submit("--array=3-4", script="workers.sbatch")
        settings = self.wait_started(2)
        self.assertEqual({s["cluster"]["node"] for s in settings}, {f"slurm-{number}_3-0", f"slurm-{number}_4-0"})

    def test_names_the_variable_that_is_missing(self) -> None:
        number = self.submit(KEVOLVE_DEPLOYMENT="")
        wait_for(lambda: self.slurm.job(number)["JobState"] == "FAILED")
        self.assertIn("KEVOLVE_DEPLOYMENT: is the name of the deployment", (self.folder / f"out.{number}").read_text())


class Requeues(Workers):
    """Slurm makes a job that it requeues wait until its credential has expired."""

    def test_a_preempted_worker_drains_leaves_nothing_and_starts_again(self) -> None:
        number = self.submit(self.whole_node())
        self.wait_started(1)
        self.preempt()
        self.assertEqual(len(self.recorded("ended")), 1)
        first, second = self.wait_started(2)
        self.assertEqual(first["cluster"]["node"], f"slurm-{number}-0")
        self.assertEqual(second["cluster"]["node"], f"slurm-{number}-0.1")
        self.assertEqual(len(list((self.folder / "local").iterdir())), 1)

    def test_a_requeued_worker_drains_and_starts_again(self) -> None:
        number = self.submit()
        self.wait_started(1)
        self.slurm.ask("scontrol", "requeue", number)
        self.wait_started(2)
        self.assertEqual(len(self.recorded("ended")), 1)

    def test_preemption_of_one_element_leaves_the_others_alone(self) -> None:
        if self.slurm.cores < 2:
            self.skipTest("one core: two elements do not fit")
        number = self.submit("--array=1-2", f"--cpus-per-task={self.slurm.cores // 2}", script="workers.sbatch")
        self.wait_started(2)
        self.slurm.run_through("--partition=high", f"--output={self.folder}/high", "--wrap=true")
        names = [s["cluster"]["node"] for s in self.wait_started(3)]
        self.assertEqual(len(self.recorded("ended")), 1)
        self.assertIn(names[2], {f"slurm-{number}_1-0.1", f"slurm-{number}_2-0.1"})


class TimeLimit(Workers):
    """Slurm counts limits in minutes."""

    def test_a_worker_drains_before_its_time_limit_and_does_not_start_again(self) -> None:
        number = self.submit("--time=1")
        wait_for(lambda: self.slurm.job(number)["JobState"] == "COMPLETED")
        self.assertEqual(len(self.recorded("ended")), 1)
        self.assertEqual(self.slurm.job(number)["Restarts"], "0")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main(verbosity=2)
