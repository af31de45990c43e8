"""Tests the cost of a search node beside an actor that does nothing, and that finished ones answer when they are asked."""

import json
import os
import subprocess
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("KEVOLVE_BIN", ROOT / "build" / "bin")) / "bench-crowd"
ACTORS = 20000


def told(*words: object) -> dict:
    return json.loads(subprocess.run([PROGRAM, *map(str, words)], check=True, stdout=subprocess.PIPE, text=True).stdout)


class SearchNodes(unittest.TestCase):
    def test_a_live_one_costs_at_most_half_more_than_an_empty_actor(self) -> None:
        with TemporaryDirectory(prefix="kevolve-crowd-") as folder:
            data = Path(folder) / "data"
            told("fill", "--data", data, "--campaign", ROOT / "config" / "examples" / "softmax.toml", "--set", "budget.wall=24h",
                 "--campaigns", 2, "--nodes", 2000)
            # Memory of the process holds whatever else it did meanwhile, which only adds: the least of three counts.
            runs = [told("actors", "--data", data, "--actors", ACTORS) for _ in range(3)]
        measured = runs[-1]
        bytes_of = {kind: min(run["bytes"][kind] for run in runs) for kind in measured["bytes"]}
        if bytes_of["empty"] < 500:
            self.skipTest("this build's allocator does not count")
        self.assertLessEqual(bytes_of["live"], 1.5 * bytes_of["empty"], runs)
        self.assertLessEqual(bytes_of["revived"], 1.5 * bytes_of["empty"], runs)
        self.assertEqual(measured["answered_when_revived"], ACTORS)


if __name__ == "__main__":
    unittest.main()
