"""Tests that the quickstart, its campaign file and README name the same example."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Quickstart(unittest.TestCase):
    def test_its_example_says_so_and_is_the_one_in_readme(self) -> None:
        (example,) = re.findall(r"config/examples/(\w+)\.toml", (ROOT / "tools" / "quickstart").read_text(encoding="utf-8"))
        marked = [f.stem for f in (ROOT / "config" / "examples").rglob("*.toml") if f.read_text(encoding="utf-8").startswith("# The quickstart")]
        self.assertEqual(marked, [example])
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertRegex(readme, rf"\n{example}: [\d.]+x faster than the reference")
        # The output shows a search: several new bests, and a winner that is none of the first drafts.
        self.assertGreaterEqual(len(re.findall(r"\] new best: candidate \d+", readme)), 2)
        (winner,) = re.findall(r"\n  winner  candidate (\d+) of \d+\n", readme)
        self.assertGreater(int(winner), 10)


if __name__ == "__main__":
    unittest.main()
