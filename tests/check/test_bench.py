"""Tests interrupted benchmarks and the pages of docs/results."""

import io
import os
import signal
import sys
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "bench"))

import bench_results
import bench_search
import common


class CutOff(unittest.TestCase):
    def test_measurements_before_a_signal_are_kept(self) -> None:
        def measure(name: str) -> common.Json:
            if name == "second":
                os.kill(os.getpid(), signal.SIGTERM)
            return {"task": name}

        document = common.Json(command="bench", seed=1)
        with redirect_stderr(io.StringIO()):
            common.each(document, ["first", "second", "third"], measure)
        self.assertEqual(document["tasks"], [{"task": "first"}])
        self.assertEqual(document["cut_off"], "second")
        out = io.StringIO()
        with redirect_stdout(out):
            common.publish(document, "a table", as_json=True)
        self.assertIn('"cut_off": "second"', out.getvalue())

    def test_a_whole_one_says_nothing_of_it(self) -> None:
        document = common.Json()
        common.each(document, ["first"], lambda name: {"task": name})
        self.assertEqual(document, {"tasks": [{"task": "first"}]})
        self.assertEqual(signal.getsignal(signal.SIGTERM), signal.SIG_DFL)


class Pages(unittest.TestCase):
    def test_tables_are_those_of_their_raw_data(self) -> None:
        self.assertEqual(bench_results.outdated(), [])

    def test_every_file_is_linked_from_a_page(self) -> None:
        self.assertEqual(bench_results.unlinked(), [])

    def test_a_changed_figure_is_put_right(self) -> None:
        page = (bench_results.FOLDER / "search.md").read_text(encoding="utf-8")
        self.assertIn("81 of 120", page)
        changed = page.replace("12.99×", "13.99×")
        self.assertNotEqual(changed, page)
        self.assertEqual(bench_results.filled(changed), page)


class Searches(unittest.TestCase):
    def document(self, *valid: int) -> common.Json:
        runs = [{"seed": 1 + k, "candidates": 2, "valid": v} for k, v in enumerate(valid)]
        return {"seeds": 2, "tasks": [{"task": "softmax", "runs": {"adaptive": runs}}]}

    def test_campaigns_with_valid_candidates_are_no_failure(self) -> None:
        self.assertEqual(bench_search.failures(self.document(2, 1)), [])

    def test_a_campaign_without_a_valid_candidate_is_one(self) -> None:
        self.assertEqual(bench_search.failures(self.document(2, 0)), ["softmax, adaptive, seed 2: none of 2 candidates is valid"])

    def test_a_campaign_that_did_not_run_is_one(self) -> None:
        self.assertEqual(bench_search.failures(self.document(1)), ["softmax, adaptive: 1 of 2 campaigns did not run"])


if __name__ == "__main__":
    unittest.main()
