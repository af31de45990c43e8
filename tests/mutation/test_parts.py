"""Tests the mutation bench without a judge: contracts, draws, mutators, the search for witnesses, and the score."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import support

support.need_libclang()

import bench_mutation
import numpy as np
from mutation import contract, controls, costs, faults, inputs, mutants, mutate_c, originals, replays, score
from mutation.cases import CLANG, Workshop
from mutation.judge import code_of
from mutation.search import Hint, Search, asan_line, hints_of_special

os.environ["WITNESS_SECONDS"] = "1"
FLAGS = ["-std=gnu11"]
SUM = """#include <stdint.h>
void f(const float *x, float *y, int64_t n) {
  float sum = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    sum += x[i] * 2.0f;
  y[0] = sum;
}
"""
TASK = """[task]
name = "f"
family = "reduction"
summary = "Twice the sum"

[[argument]]
name = "x"
role = "input"
dtype = "f32"
shape = ["n"]
fill = { distribution = "normal", mean = 0.0, std = 1.0 }

[[argument]]
name = "y"
role = "output"
dtype = "f32"
shape = ["1"]

[[argument]]
name = "n"
role = "size"

[[shape]]
n = 1000

[[shape]]
n = 5
held_out = true

[reference]
language = "c"
file = "f.c"
entry = "f"

[tolerance]
relative = 1e-5
absolute = 1e-4
"""


def made(source: str) -> list[mutants.Mutant]:
    return list(mutate_c.Mutations(source, FLAGS).all())


class Contracts(unittest.TestCase):
    def test_expressions_have_the_contract_s_meaning(self) -> None:
        for text, value in (("n + 2*pad - taps + 1", 9), ("ceildiv(n, 4)", 2), ("min(n, 3) * max(pad, 5)", 15), ("(n - 1) / 2 % 2", 1),
                            ("-n + 10", 2), ("sum(x) + 1", 43)):
            with self.subTest(text=text):
                self.assertEqual(contract.evaluate(text, {"n": 8, "pad": 1, "taps": 2}, lambda name: 42), value)

    def test_an_expression_of_unknown_names_waits(self) -> None:
        with self.assertRaises(KeyError):
            contract.evaluate("n + m", {"n": 1})

    def test_an_invalid_expression_is_refused(self) -> None:
        for text in ("n +", "n $ m", "(n", "n m"):
            with self.subTest(text=text), self.assertRaises(ValueError):
                contract.evaluate(text, {"n": 1, "m": 1})

    def test_sizes_obey_the_contract_s_rules(self) -> None:
        size = contract.Argument("n", "size", "i64", minimum=2, multiple=4)

        def allows(n: int, declared_only: bool = False) -> bool:
            return contract.Contract("f", "f", Path(), "c", Path(), None, (size,), (), ({"n": 6},), (False,), {},
                                     declared_only).allows({"n": n})

        self.assertEqual([n for n in range(10) if allows(n)], [4, 6, 8])
        self.assertEqual([n for n in range(10) if allows(n, declared_only=True)], [6])

    def test_every_shipped_task_and_every_own_one_loads(self) -> None:
        loaded = list(originals.contracts())
        self.assertGreaterEqual(len(loaded), 28 + 14)
        self.assertEqual(len([c for c in loaded if c.path.parent == originals.OWN]), 14)


class Draws(unittest.TestCase):
    def test_every_pattern_stays_within_the_fill_rule(self) -> None:
        rng = np.random.default_rng(1)
        for fill, low, high in (({"distribution": "uniform", "low": 2.0, "high": 3.0}, 2.0, 3.0),
                                ({"distribution": "normal", "mean": 1.0, "std": 0.5}, -0.5, 2.5)):
            a = contract.Argument("x", "input", "f64", ("r", "c"), fill)
            for pattern in inputs.patterns_of(a):
                with self.subTest(pattern=pattern, fill=fill):
                    x = inputs.draw_real(a, (6, 7), pattern, rng)
                    self.assertEqual(x.size, 42)
                    self.assertGreaterEqual(x.min(), low)
                    self.assertLessEqual(x.max(), high)

    def test_whole_numbers_stay_within_the_fill_rule(self) -> None:
        a = contract.Argument("x", "input", "i64", ("n",), {"distribution": "lengths", "low": 2, "high": 9})
        for pattern in inputs.patterns_of(a):
            with self.subTest(pattern=pattern):
                x = inputs.draw_whole(a, (50,), pattern, np.random.default_rng(1))
                self.assertGreaterEqual(x.min(), 2)
                self.assertLessEqual(x.max(), 9)

    def test_keys_ascend_without_repetition(self) -> None:
        a = contract.Argument("x", "input", "i64", ("n",), {"distribution": "sorted_unique"})
        for pattern in inputs.patterns_of(a):
            with self.subTest(pattern=pattern):
                self.assertTrue((np.diff(inputs.draw_keys(a, 100, pattern, np.random.default_rng(1))) > 0).all())

    def test_samples_hit_as_their_rule_says(self) -> None:
        table = np.arange(0, 300, 3)

        def hits(hit: float, pattern: str) -> float:
            a = contract.Argument("x", "input", "i64", ("n",), {"distribution": "sample_of", "argument": "t", "hit": hit})
            return float(np.isin(inputs.draw_samples(a, 400, table, pattern, np.random.default_rng(1)), table).mean())

        self.assertEqual(hits(0.5, "no_hit"), 0.0)
        self.assertEqual(hits(0.5, "all_hit"), 1.0)
        self.assertEqual(hits(1.0, "no_hit"), 1.0)
        self.assertEqual(hits(0.0, "all_hit"), 0.0)
        self.assertTrue(0.4 < hits(0.5, "usual") < 0.6)


class Mutators(unittest.TestCase):
    def names(self, source: str) -> set[tuple[str, str, str]]:
        return {(m.kind, m.before, m.after) for m in made(source)}

    def test_each_class_is_made_where_its_syntax_stands(self) -> None:
        found = self.names(SUM)
        for expected in (("boundary", "<", "<="), ("boundary", "n", "(n) - 1"), ("arithmetic", "+=", "-="), ("arithmetic", "*", "/"),
                         ("index", "i", "(i) + 1"), ("initialisation", "+=", "="), ("initialisation", "0.0f", "1.0f"),
                         ("precision", "sum += x[i] * 2.0f", "sum = mutant_f16(sum + (x[i] * 2.0f))"), ("precision", "float", "_Float16")):
            self.assertIn(expected, found)

    def test_arithmetic_inside_an_index_is_a_fault_of_the_index(self) -> None:
        found = self.names("void f(float *y, const float *x, long n, long m) { for (long i = 0; i < n; ++i) y[i * m + 1] = x[i] + 1.0f; }")
        self.assertIn(("index", "*", "/"), found)
        self.assertIn(("index", "m", "n"), found)
        self.assertIn(("arithmetic", "+", "-"), found)
        self.assertNotIn(("arithmetic", "*", "/"), found)

    def test_denormals_and_the_sign_of_zero_are_lost_where_floats_are_read_stored_and_negated(self) -> None:
        found = {m.name for m in made("#include <math.h>\nvoid f(float *y, const float *x, long n) {\n"
                                      "  for (long i = 0; i < n; ++i) y[i] = copysignf(-x[i], x[i] - 1.0f);\n}\n") if m.kind == "special"}
        self.assertTrue({"denormal read as zero", "denormal stored as zero", "zero read without sign", "zero stored without sign",
                         "negated from zero", "sign compared"} <= found, found)

    def test_a_macro_s_inside_is_left_alone(self) -> None:
        source = "#define TWICE(x) ((x) * 2)\nlong f(long n) { return TWICE(n) + 1; }\n"
        self.assertEqual({m.before for m in made(source) if m.line == 2} & {"*", "2"}, set())

    def test_every_mutant_differs_and_most_compile(self) -> None:
        file = originals.TASKS / "softmax_rows.c"
        every = made(file.read_text(encoding="utf-8"))
        self.assertEqual({m.kind for m in every}, {"arithmetic", "boundary", "index", "initialisation", "precision", "special"})
        with tempfile.TemporaryDirectory() as folder:
            at = Path(folder) / "m.c"
            for m in mutants.choose(every, 3, "1"):
                with self.subTest(name=m.name, before=m.before, after=m.after):
                    self.assertNotEqual(m.source, file.read_text(encoding="utf-8"))
                    at.write_text(m.source, encoding="utf-8")
                    done = subprocess.run([CLANG, "-w", "-fsyntax-only", "-march=native", at], capture_output=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr.decode())

    def test_a_choice_takes_turns_among_operators(self) -> None:
        every = made((originals.TASKS / "layernorm.c").read_text(encoding="utf-8"))
        chosen = [m for m in mutants.choose(every, 4, "1") if m.kind == "boundary"]
        self.assertEqual(len(chosen), 4)
        self.assertEqual(len({m.name for m in chosen}), 4)


class Searches(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        at = Path(cls.folder.name)
        (at / "f.task.toml").write_text(TASK, encoding="utf-8")
        (at / "f.c").write_text(SUM, encoding="utf-8")
        cls.contract = contract.load(at / "f.task.toml")
        cls.search = Search(Workshop(cls.contract, at / "work", 1), 1)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def build(self, source: str) -> Path:
        file = Path(self.folder.name) / "k.c"
        file.write_text(source, encoding="utf-8")
        subprocess.run([CLANG, "-w", "-O2", "-shared", "-fPIC", "-o", file.with_suffix(".so"), file, "-lm"], check=True)
        return file.with_suffix(".so")

    def kind(self, source: str, *hints: Hint) -> str | None:
        found = self.search.witness(self.build(source), hints)
        return found.how if found else None

    def test_equivalents_have_no_witness(self) -> None:
        for source in (SUM, SUM.replace("float sum", "double sum"), SUM.replace("x[i] * 2.0f", "x[i] + x[i]"),
                       SUM.replace("int64_t i = 0; i < n; ++i", "int64_t i = n - 1; i >= 0; --i")):
            self.assertIsNone(self.kind(source))
        self.assertEqual(self.search.unfit(self.build(SUM)), {})

    def test_planted_faults_have_one(self) -> None:
        for source, how in ((SUM.replace("2.0f", "2.001f"), "wrong"), (SUM.replace("i < n", "i < n - 1"), "wrong"),
                            (SUM.replace("y[0] = sum", "y[0] = sum; y[1] = 0"), "touched"),
                            (SUM.replace("y[0] = sum", "y[0] = sum; y[100000] = 0"), "signal"),
                            (SUM.replace("y[0] = sum", "for (volatile int spin = n > 64; spin;) ; y[0] = sum"), "endless"),
                            (SUM.replace("y[0] = sum", "y[0] = sum; ((float *)x)[n - 1] = 3"), "changed"),
                            (SUM.replace("sum += x[i] * 2.0f", "sum += (float)(_Float16)(x[i] * 2.0f)"), "wrong")):
            with self.subTest(how=how):
                self.assertEqual(self.kind(source), how)

    def test_a_fault_of_sizes_is_found_by_its_hint(self) -> None:
        mutant = next(m for m in faults.all_faults(self.contract, SUM, "1") if m.after == "n == 33")
        self.assertEqual(self.kind(mutant.source, *mutant.hints), "wrong")

    def test_faults_of_values_are_found_by_their_hints(self) -> None:
        every = [m for m in faults.all_faults(self.contract, SUM, "1") if m.kind == "value"]
        self.assertTrue({"all equal", "sorted", "reversed", "one hot", "all zero"} <= {m.name for m in every})
        for m in every:
            with self.subTest(name=m.name):
                self.assertEqual(self.kind(m.source, *m.hints), "wrong")

    def test_faults_of_state_are_found_by_repeated_calls(self) -> None:
        every = [m for m in faults.all_faults(self.contract, SUM, "1") if m.kind == "state"]
        self.assertIn("result kept by pointer", {m.name for m in every})
        for m in every:
            with self.subTest(name=m.name):
                self.assertEqual(self.kind(m.source, *m.hints), "wrong")

    def test_a_local_array_s_overrun_is_found_by_the_sanitizer(self) -> None:
        source = SUM.replace("  float sum = 0.0f;", "  float sum = 0.0f, kept[n]; for (int64_t i = 0; i <= n; ++i) kept[i] = 0.0f;")
        file = Path(self.folder.name) / "k.c"
        for text, expected in ((source, True), (source.replace("<=", "<"), False)):
            file.write_text(text, encoding="utf-8")
            found = self.search.sanitized(file, file.with_suffix(".asan"))
            self.assertEqual("buffer-overflow" in asan_line(found.text), expected, found.text)

    def test_equal_machine_code_is_known(self) -> None:
        first = code_of(self.build(SUM))
        self.assertEqual(first, code_of(self.build(SUM.replace("float sum = 0.0f", "float sum = 0.0f * 1.0f"))))
        self.assertNotEqual(first, code_of(self.build(SUM.replace("2.0f", "3.0f"))))

    def test_variants_for_controls_are_right(self) -> None:
        names = set()
        for v in controls.variants(SUM, "", FLAGS, may_be_fast=False):
            names.add(v.name.split(" in line")[0])
            with self.subTest(name=v.name):
                self.assertIsNone(self.kind(v.source))
        self.assertTrue({"reversed loop", "four sums", "double sum"} <= names)


class SpecialSearches(unittest.TestCase):
    """Witnesses of faults that only the least numbers, or zeros with a sign, show."""

    def witnesses(self, task: str, *wanted: str) -> dict[str, str | None]:
        """Returns, by operator, how a witness of its first mutant shows it."""
        out: dict[str, str | None] = {}
        with tempfile.TemporaryDirectory() as folder:
            c = contract.load(originals.OWN / f"{task}.task.toml")
            search = Search(Workshop(c, Path(folder) / "work", 1), 1)
            source = c.reference.read_text(encoding="utf-8")
            for m in [*made(source), *faults.all_faults(c, source, "1")]:
                if m.kind != "special" or m.name not in wanted or out.get(m.name):
                    continue
                file = Path(folder) / "k.c"
                file.write_text(m.source, encoding="utf-8")
                subprocess.run([CLANG, "-w", "-O2", "-shared", "-fPIC", "-o", file.with_suffix(".so"), file, "-lm"], check=True)
                found = search.witness(file.with_suffix(".so"), m.hints or hints_of_special(c))
                out[m.name] = found.how if found else None
        return out

    def test_a_flushed_denormal_has_a_witness_where_the_tolerance_sees_it(self) -> None:
        wanted = ("denormal read as zero", "denormal stored as zero", "a denormal")
        self.assertEqual(self.witnesses("special_rows", *wanted), dict.fromkeys(wanted, "wrong"))

    def test_a_lost_sign_of_zero_has_a_witness_where_the_tolerance_sees_it(self) -> None:
        wanted = ("zero read without sign", "sign compared", "a negative zero")
        self.assertEqual(self.witnesses("signed_rows", *wanted), dict.fromkeys(wanted, "wrong"))

    def test_neither_has_one_where_the_tolerance_hides_it(self) -> None:
        hidden = ("denormal read as zero", "denormal stored as zero", "zero stored without sign")
        self.assertEqual(self.witnesses("log_softmax", *hidden), dict.fromkeys(hidden))


class Replays(unittest.TestCase):
    def test_a_kernel_is_clean_only_if_it_was_replayed_and_nothing_was_found(self) -> None:
        for answer, state in (({"verdict": "pass", "sanitised": "9 draws on 3 shapes"}, "clean"),
                              ({"verdict": "pass"}, "unsanitised"),
                              ({"verdict": "pass", "sanitised": "9 draws", "unsanitised": "it does not build"}, "unsanitised"),
                              ({"verdict": "out_of_bounds", "rule": "sanitizer"}, "refused"),
                              ({"fault": "the judge ended"}, "fault")):
            with self.subTest(answer=answer):
                self.assertEqual(replays.state_of(answer), state)

    def test_the_winners_of_every_published_campaign_are_replayed_each_source_once(self) -> None:
        names = {f"winner/{f.stem.removeprefix('quality-')}" for f in originals.EVERY_WINNER}
        found = [(o.name, o.source, o.flags) for c in originals.contracts() for o in replays.kernels(c)]
        self.assertLessEqual({"winner/zen5", "winner/unseen"}, names)
        self.assertEqual({n for n, _, _ in found if n.startswith("winner/")} - names, set())
        by_task = [[(o.source, o.flags) for o in replays.kernels(c)] for c in originals.contracts(["softmax_rows", "gemm"])]
        for sources in by_task:
            self.assertGreater(len(sources), 4)
            self.assertEqual(len(sources), len(set(sources)))

    def test_a_finding_or_a_missing_replay_fails_the_run(self) -> None:
        clean = {"task": "t", "original": "hand", "flags": "", "state": "clean"}
        self.assertTrue(replays.holds([clean, clean | {"state": "not compiled"}]))
        for state in ("refused", "unsanitised", "fault"):
            self.assertFalse(replays.holds([clean, clean | {"state": state}]))
        self.assertFalse(replays.holds([]))

    def test_the_table_counts_by_kind_of_kernel(self) -> None:
        rows = [{"task": "t", "original": n, "flags": "", "state": s}
                for n, s in (("reference", "clean"), ("winner/zen5", "clean"), ("winner/xeon", "refused"), ("hand", "clean"))]
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in replays.table(rows).splitlines()]
        self.assertIn(["recorded winners", "2", "1", "0", "1", "0", "0"], lines)
        self.assertEqual(lines[-1][:3], ["all", "4", "3"])


class Costs(unittest.TestCase):
    def test_the_kernel_that_is_screened_out_is_right(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            c = contract.load(originals.TASKS / "softmax_rows.task.toml")
            search = Search(Workshop(c, Path(folder) / "work", 1), 1, generic=8)
            file = Path(folder) / "k.c"
            file.write_text(costs.slower(c), encoding="utf-8")
            subprocess.run([CLANG, "-w", "-O2", "-shared", "-fPIC", "-o", file.with_suffix(".so"), file, "-lm"], check=True)
            self.assertIsNone(search.witness(file.with_suffix(".so")))

    def test_a_screened_candidate_that_met_draws_and_a_slow_champion_are_counted(self) -> None:
        screened = costs.figures_of({"verdict": "pass", "cost": {"calls": "40", "ms.whole": "120.5", "ms.pools": "20.5"}})
        self.assertEqual((screened["draws"], screened["calls"], screened["whole_ms"]), (0, 40, 100.0))
        champion = costs.figures_of({"verdict": "pass", "cost": {"draws": "700", "ms.draws": "2500", "ms.sanitised": "600"}})
        s = costs.summary([{"task": "a", "screened": screened, "champion": champion}, {"task": "b", "not compiled": "why"}])
        self.assertEqual((s["tasks"], s["screened_with_draws"], s["over_the_limit"]), (1, 0, ["a"]))
        self.assertEqual(costs.summary([{"task": "a", "screened": champion, "champion": screened}])["screened_with_draws"], 1)


class Originals(unittest.TestCase):
    def test_several_words_choose_the_originals_of_each(self) -> None:
        def chosen(words: str | None) -> list[str]:
            return [n for n in ("reference", "hand", "honest/blocked_gemm", "winner/zen5")
                    if originals.is_named(originals.Original(n, "c", "", ""), words)]

        self.assertEqual(chosen("honest,hand"), ["hand", "honest/blocked_gemm"])
        self.assertEqual(len(chosen(None)), 4)


class Files(unittest.TestCase):
    def test_no_object_takes_the_place_of_one_that_waits_for_the_judge(self) -> None:
        c = contract.load(originals.TASKS / "gemm.task.toml")
        bench = bench_mutation.Bench(argparse.Namespace(bin=Path()), Path(), bench_mutation.Results(None))
        self.assertEqual(len({bench._file(c) for _ in range(3)}), 3)


class Scores(unittest.TestCase):
    def test_the_share_is_of_those_with_a_witness(self) -> None:
        rows = [{"class": "value", "task": "a", "state": s} for s in ("killed", "killed", "killed", "survived", "unknown", "same code")]
        s = score.score([*rows, {"class": "index", "task": "b", "state": "killed"}])
        self.assertEqual(s["classes"]["value"] | {}, {"killed": 3, "survived": 1, "unknown": 1, "same code": 1, "not compiled": 0,
                                                       "fault": 0, "mutants": 6, "witnessed": 4, "share": 0.75})
        self.assertEqual(s["classes"]["index"]["share"], 1.0)
        self.assertEqual([m.split(":")[0] for m in s["missed"]], ["all", "value"])

    def test_controls_count_unless_they_are_unfit(self) -> None:
        row = {"class": "control", "task": "a", "original": "reference", "operator": "flags O2"}
        rows = [row | {"state": "passed", "judge": {}}, row | {"state": "refused", "judge": {"rule": "tolerance"}}, row | {"state": "unfit"},
                {"class": "value", "state": "killed"}]
        s = controls.summary(rows)
        self.assertEqual((s["runs"], s["passed"], s["unfit"]), (2, 1, 1))
        self.assertEqual(s["refused"][0]["judge"], {"rule": "tolerance"})

    def test_nothing_witnessed_misses_nothing(self) -> None:
        self.assertEqual(score.score([{"class": "value", "task": "a", "state": "unknown"}])["missed"], [])


if __name__ == "__main__":
    unittest.main()
