"""The mutation bench with the judge, in its short form: a fault a class of each of five tasks, and honest controls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

import support

support.need_libclang()

from bench_mutation import SHORT_TASKS
from mutation import originals
from mutation.judge import Judge

BENCH = support.ROOT / "tools" / "bench" / "run"
# Classes in which the judge refuses every witnessed fault of the short form.
CERTAIN = ("arithmetic", "boundary", "index", "initialisation", "precision", "size", "value")


class Part(unittest.TestCase):
    tasks: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    certain: tuple[str, ...] = CERTAIN

    @classmethod
    def setUpClass(cls) -> None:
        if not cls.tasks:
            raise unittest.SkipTest("the cases of every part")
        words = [*(word for task in cls.tasks for word in ("--task", task)), *cls.words]
        done = subprocess.run([BENCH, "mutation", *words, "--json", "--bin", os.environ["KEVOLVE_BIN"]], stdout=subprocess.PIPE,
                              text=True, timeout=1400, check=False)
        cls.status = done.returncode
        cls.document = json.loads(done.stdout.strip().splitlines()[-1])

    def test_faults_with_witnesses_are_refused(self) -> None:
        classes = self.document["score"]["classes"]
        for name in self.certain:
            with self.subTest(name=name):
                self.assertGreater(classes[name]["witnessed"], 0)
                self.assertEqual(classes[name]["survived"], 0,
                                 [r["diff"] for r in self.document["survivors"] if r["class"] == name])

    def test_every_survivor_comes_with_its_witness(self) -> None:
        self.assertEqual(len(self.document["survivors"]), self.document["score"]["all"]["survived"])
        for r in self.document["survivors"]:
            self.assertIn("how", r["witness"])
            self.assertTrue(r["diff"])

    def test_the_exit_status_tells_whether_the_targets_are_met(self) -> None:
        self.assertEqual(self.document["score"]["all"]["fault"], 0)
        self.assertEqual(self.status != 0, bool(self.document["score"]["missed"]))


class Half(Part):
    def test_no_honest_control_is_refused(self) -> None:
        controls = self.document["controls"]
        self.assertGreaterEqual(controls["runs"], 4)
        self.assertEqual(controls["refused"], [])


class Rows(Half):
    tasks = tuple(SHORT_TASKS[0::2])
    certain = (*CERTAIN, "state")


class Maps(Half):
    # A fault of map_id waits for 3,000 calls, which a slow machine does not make: `state` is not certain here.
    tasks = tuple(SHORT_TASKS[1::2])


class StateAndSpecial(Part):
    # This seed draws a fault after 25 calls, and a sign that is compared, which -0 alone shows.
    tasks = ("signed_rows",)
    words = ("--class", "state", "--class", "special", "--most", "1", "--controls", "0", "--seed", "3")
    certain = ("state", "special")


class OwnTasks(unittest.TestCase):
    def test_are_admitted(self) -> None:
        with Judge(Path(os.environ["KEVOLVE_BIN"])) as judge:
            for file in sorted(originals.OWN.glob("*.task.toml")):
                judge.tasks[file.name] = file
                with self.subTest(task=file.name):
                    admitted = judge.ask({"op": "judge", "task": file.name, "object": "", "stages": ["admit"]})
                    self.assertEqual(admitted["verdict"], "pass", admitted)


if __name__ == "__main__":
    sys.exit(unittest.main())
