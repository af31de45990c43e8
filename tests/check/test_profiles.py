"""Tests the figures of the benchmarks about profiles: what each pass took, the sums of loops, the ratios of move priorities."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "bench"))

import bench_diagnosis
import bench_explain
import bench_landscape
import bench_loopsums


class Passes(unittest.TestCase):
    def test_each_pass_has_its_median_longest_and_perturbation(self) -> None:
        kernels = [{"task": "a", "planted": "x", "found": "x", "notes": {}, "seconds": {"cpu.loops": 1.0, "cpu.ports": 0.5}, "perturbation": {"cpu.loops": 0.1},
                    "findings": [{"evidence": {"call_ns": 9e6}}]},
                   {"task": "b", "planted": "x", "found": "y", "notes": {}, "seconds": {"cpu.loops": 3.0}, "perturbation": {"cpu.loops": 0.3},
                    "call_ns": 11e6},
                   {"task": "c", "planted": "x", "found": "y", "notes": {"cpu.loops": "no"}, "seconds": {}, "perturbation": {}}]
        rows = bench_diagnosis.pass_rows_of({"kernels": kernels})
        self.assertEqual(rows[1:], [["cpu.loops", "2", "2.00", "3.00", "1 of 2", "1 of 1", "20 %", "30 %"],
                                    ["cpu.ports", "1", "0.50", "0.50", "1 of 1", "1 of 1", "-", "-"]])
        self.assertIn("cpu.ports", bench_diagnosis.render({"kernels": kernels}))


class LoopSums(unittest.TestCase):
    def profile(self, share: float | None, **loops: object) -> dict[str, object]:
        entry = {"name": "cpu.loops", "state": "ran", "seconds": 1.5, "perturbation": None, "reason": None} | loops
        return {"passes": [{"name": "admit", "state": "reused"}, entry],
                "diagnosis": {"shape": "n=1", "probed_call_ns": 1e6, "timed_share": share, "loops": [{"ns": 5.0}, {"ns": None}]}}

    def test_a_sum_within_a_tenth_of_the_call_counts_and_another_does_not(self) -> None:
        rows = [bench_loopsums.row_of(str(s), self.profile(s)) for s in (0.91, 1.09, 0.89, 1.11, None)]
        self.assertEqual([bench_loopsums.within(r) for r in rows], [True, True, False, False, False])
        self.assertEqual((rows[0]["loops"], rows[0]["timed"]), (2, 1))
        self.assertIn("on 2 of 4 tasks with timed loops, of 5 tasks", bench_loopsums.render({"tasks": rows}))

    def test_a_skipped_pass_says_why(self) -> None:
        row = bench_loopsums.row_of("t", self.profile(None, state="skipped", reason="no plugin"))
        self.assertIn("no plugin", bench_loopsums.render({"tasks": [row]}))

    def test_the_shipped_tasks_with_a_reference_for_processors_are_found(self) -> None:
        self.assertLessEqual(set(bench_loopsums.SHORT), set(bench_loopsums.shipped()))


class Explanations(unittest.TestCase):
    def test_the_loops_that_stay_are_named_with_their_obstacle_and_the_free_ones_are_not(self) -> None:
        blocked = {"obstacle": "early_end", "rewrite": "a fixed end", "assertion": None}
        reasons = bench_explain.reasons_of({"reference": {"loops": [{"line": 3, "order": None, "vectors": None}, {"line": 5, "order": blocked, "vectors": None}],
                                                          "kept": [{"line": 9, "why": "a goto"}, {"line": 0, "why": "no syntax tree"}]}})
        self.assertEqual([(r["line"], r["obstacle"]) for r in reasons], [(5, "early_end"), (9, "kept_text")])

    def test_an_operator_whose_loops_are_free_has_a_reason_if_it_is_near_its_roof_or_a_bottleneck_is_named(self) -> None:
        roof = {"kind": "roof", "line": None, "words": "near", "rewrite": "fewer bytes"}
        near = bench_explain.reasons_of({"reasons": [roof, {**roof, "kind": "bottleneck"}]})
        self.assertEqual([r["obstacle"] for r in near], ["near_roof"])
        row = {"task": "a", "search": None, "bound": None, "reasons": [], "verdict": "pass", "rewritten": None}
        said = bench_explain.render({"tasks": [row, {**row, "reasons": near}, {**row, "bound": "denormals"}, {**row, "bound": "unknown"}]})
        self.assertIn("a reason is named for 2 of 4 operators", said)

    def test_every_operator_has_its_task_and_its_rewrite(self) -> None:
        for name in bench_explain.OPERATORS:
            self.assertTrue(bench_explain.task_of(name).exists(), name)
            self.assertTrue((bench_explain.OWN / f"{name}.rewritten.c").exists(), name)

    def test_gains_of_twice_the_speed_are_counted(self) -> None:
        def row(name: str, speedup: float | None) -> dict[str, object]:
            return {"task": name, "search": None, "bound": None, "reasons": [], "verdict": "pass" if speedup else "wrong_result",
                    "rewritten": {"speedup": speedup, "interval": [1.0, 3.0]} if speedup else None}

        text = bench_explain.render({"tasks": [row("a", 2.5), row("b", 1.9), row("c", None)]})
        self.assertIn("2× or more on 1 of 3", text)
        self.assertIn("wrong_result", text)


class Moves(unittest.TestCase):
    def test_only_records_with_a_bottleneck_count_in_the_ratio(self) -> None:
        def plays(with_them: int) -> dict[str, object]:
            return {m.partition(":")[0]: {"restricted_mean": 1.0, "lacking": 0.0, "evaluations": [with_them if m.startswith("with") and not m.startswith("without") else 10]}
                    for m in bench_landscape.MOVES}

        document = {"default": "adaptive", "share": 0.95, "budget": 60, "seeds": 1, "moves": [],
                    "landscapes": [{"record": "a.landscape", "bounds": 4, "candidates": 9, "plays": plays(5)}]}
        c = bench_landscape.comparison(document["landscapes"], "with", "without")
        self.assertEqual(c["ratios"], {"a.landscape": 0.5})
        document["moves"] = [c]
        self.assertIn("4 of 9", bench_landscape.page_table({"landscape-moves": document}))


if __name__ == "__main__":
    unittest.main()
