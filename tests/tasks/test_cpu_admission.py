"""CPU tasks that ship: each reference, handed in as a candidate, is admitted, right and as fast as itself.

In tasks with a softmax, exponentials of scores that were not shifted are refused.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import tomllib
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "config/tasks"
FEW = ("map_id", "batch_event_truncate")
KEVOLVE = Path(os.environ["KEVOLVE_BIN"]) / "kevolve"


def judged(files: list[Path], core: int) -> dict[str, subprocess.CompletedProcess[str]]:
    """Evaluates each file's reference on that core alone."""
    out = {}
    for file in files:
        reference = FOLDER / tomllib.loads(file.read_text(encoding="utf-8"))["reference"]["file"]
        out[file.name] = subprocess.run(["taskset", "-c", str(core), KEVOLVE, "eval", file, reference, "--json"],
                                        capture_output=True, text=True, timeout=200, check=False)
    return out


class Admission(unittest.TestCase):
    """The checks that every task must pass. The subclasses say which tasks."""

    def check_admitted(self, files: list[Path]) -> None:
        cores = sorted(os.sched_getaffinity(0))
        with ThreadPoolExecutor(len(cores)) as pool:
            parts = [pool.submit(judged, files[i::len(cores)], core) for i, core in enumerate(cores)]
        for task, said in (item for part in parts for item in part.result().items()):
            with self.subTest(task=task):
                self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
                result = json.loads(said.stdout)
                self.assertEqual(result["verdict"], "pass")
                # Code against itself is neither a factor faster nor slower.
                self.assertLess(result["timing"]["ci95"][0], 1.05)
                self.assertGreater(result["timing"]["ci95"][1], 0.95)

    def check_unshifted(self, task: str) -> None:
        with self.subTest(task=task), tempfile.TemporaryDirectory() as folder:
            text = (FOLDER / f"{task}.c").read_text(encoding="utf-8")
            unshifted = text.replace(" - largest)", ")")
            self.assertNotEqual(unshifted, text)
            candidate = Path(folder) / "unshifted.c"
            candidate.write_text(unshifted, encoding="utf-8")
            said = subprocess.run([KEVOLVE, "eval", FOLDER / f"{task}.task.toml", candidate, "--json"],
                                  capture_output=True, text=True, timeout=200, check=False)
            self.assertEqual(json.loads(said.stdout)["verdict"], "nonfinite", said.stdout + said.stderr)


class FewTasks(Admission):
    """One task of whole numbers, and one whose outputs' length depends on the data."""

    def test_each_is_admitted(self) -> None:
        self.check_admitted([FOLDER / f"{name}.task.toml" for name in FEW])

    def test_unshifted_exponentials_are_refused(self) -> None:
        self.check_unshifted("softmax_rows")


class AllTasks(Admission):
    """Every task that ships."""

    def test_each_is_admitted(self) -> None:
        files = sorted(FOLDER.glob("*.task.toml"))
        self.assertGreater(len(files), 10)
        self.check_admitted(files)

    def test_unshifted_exponentials_are_refused(self) -> None:
        for task in ("attention", "attention_causal", "sdpa_mlp", "softmax_rows"):
            self.check_unshifted(task)


if __name__ == "__main__":
    unittest.main()
