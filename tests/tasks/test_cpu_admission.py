"""Every CPU task that ships: its reference, handed in as a candidate, is admitted, right and as fast as itself."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
import unittest
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "config/tasks"
KEVOLVE = Path(os.environ["KEVOLVE_BIN"]) / "kevolve"


class CpuTasks(unittest.TestCase):
    def test_each_is_admitted(self) -> None:
        files = sorted(FOLDER.glob("*.task.toml"))
        self.assertGreater(len(files), 10)
        for file in files:
            with self.subTest(task=file.name):
                reference = FOLDER / tomllib.loads(file.read_text(encoding="utf-8"))["reference"]["file"]
                said = subprocess.run([KEVOLVE, "eval", file, reference, "--json"], capture_output=True, text=True,
                                      timeout=120, check=False)
                self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
                result = json.loads(said.stdout)
                self.assertEqual(result["verdict"], "pass")
                self.assertLess(result["timing"]["ci95"][0], 1.05)  # no factor, of code against itself
                self.assertGreater(result["timing"]["ci95"][1], 0.95)


if __name__ == "__main__":
    unittest.main()
