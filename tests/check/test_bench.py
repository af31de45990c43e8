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
import bench_relay
import bench_search
import bench_skills
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


class Skills(unittest.TestCase):
    def run_of(self, at: int | None, *, given: int = 3, valid: int = 8) -> common.Json:
        curve = [{"candidates": 1, "speedup": 1.2}, *([] if at is None else [{"candidates": at, "speedup": 1.95}])]
        return {"best": 1.95, "curve": curve, "valid": valid, "given": given, "applied_first": 1}

    def document(self, *, skills: int = 2, given: int = 3, told: int = 0, valid: int = 8,
                 pairs: tuple[tuple[int | None, int | None], ...] = ((4, 2), (None, 4))) -> common.Json:
        runs = [{"seed": 1 + k, "without": self.run_of(a, given=told, valid=valid), "with": self.run_of(b, given=given)} for k, (a, b) in enumerate(pairs)]
        return {"seeds": len(pairs), "budget": 8, "lessons": 1, "figures": "judge",
                "cost": {"compile_s": 1.0, "compiled": 2, "judge_s": 0.5, "screened": 2, "confirmed": 0, "asked": 4},
                "books": [{"learnt_on": ["softmax_rows"], "plans": False, "asked": True, "states": {"hypothesis": skills}, "skills": [{}] * skills}],
                "tasks": [{"task": "row_lse", "plans": False, "goal": 1.9, "best_of_lessons": 2.0, "runs": runs}]}

    def test_skills_that_were_earned_and_given_are_no_failure(self) -> None:
        self.assertEqual(bench_skills.failures(self.document()), [])

    def test_lessons_without_a_skill_and_steps_that_were_given_none_are(self) -> None:
        self.assertEqual(bench_skills.failures(self.document(skills=0, given=0)),
                         ["softmax_rows: no skill was earned", "row_lse, with skills: no step was given one"])

    def test_skills_in_the_arm_without_and_missing_campaigns_are(self) -> None:
        self.assertEqual(bench_skills.failures(self.document(told=4, pairs=((4, 2),))),
                         ["row_lse, without skills, seed 1: 4 steps were given some"])
        self.assertEqual(bench_skills.failures(self.document(pairs=())), ["row_lse: no campaign ran"])
        self.assertEqual(bench_skills.failures(self.document(valid=0, pairs=((4, 2),))), ["row_lse, without skills, seed 1: no valid candidate"])

    def test_a_run_that_missed_the_goal_counts_as_its_budget(self) -> None:
        document = self.document()
        self.assertEqual(bench_skills.counts(document["tasks"][0], 8), [(4, 2), (8, 4)])
        self.assertEqual(bench_skills.saving([(4, 2), (8, 4)]), 2.0)
        self.assertEqual(bench_skills.interval([(4, 2), (8, 4)]), [2.0, 2.0])
        self.assertEqual(bench_skills.interval([]), [])

    def test_a_task_is_worse_beyond_its_noise_only_with_its_whole_interval(self) -> None:
        self.assertEqual(bench_skills.summary(self.document(pairs=((2, 4), (4, None))), False)["worse_beyond_noise"], 1)
        self.assertEqual(bench_skills.summary(self.document(pairs=((2, 4), (8, 2))), False)["worse_beyond_noise"], 0)
        self.assertIsNone(bench_skills.summary(self.document(), True))

    def test_the_best_skill_first_is_followed_by_the_way_of_runs_that_came_so_far(self) -> None:
        task = self.document(pairs=((4, 3), (None, 7)))["tasks"][0]
        self.assertIsNone(bench_skills.floor_of(task, 8))
        for run in task["runs"]:
            run["with"]["trials"] = [{"candidates": 1, "from": 1.0, "to": 1.1}, {"candidates": 5, "from": 1.5, "to": 1.95}]
        self.assertEqual(bench_skills.floor_of(task, 8), 1 + (3 + 2 + 7 + 6) / 4)  # all came past 1.1 at once
        task["runs"][0]["with"]["trials"][0]["to"] = 1.95
        self.assertEqual(bench_skills.floor_of(task, 8), 1.0)
        for run in task["runs"]:
            run["with"]["trials"] = []
        self.assertEqual(bench_skills.floor_of(task, 8), 6.0)  # no skill fits: the search without

    def test_the_page_says_the_floor_where_trials_were_recorded(self) -> None:
        document = self.document()
        self.assertNotIn("best skill first", bench_skills.page_table({"skills": document}))
        document["tasks"][0]["runs"][0]["with"]["trials"] = [{"candidates": 1, "from": 1.0, "to": 1.95}]
        document["tasks"][0]["runs"][1]["with"]["trials"] = []
        text = bench_skills.page_table({"skills": document})
        self.assertIn("best skill first", text)
        self.assertIn("6.00 times in the median of 1 tasks", text)

    def test_the_page_has_a_row_a_task_and_the_median_saving(self) -> None:
        text = bench_skills.page_table({"skills": self.document()})
        self.assertIn("| row_lse | no    | 2.00×               | 1 of 2              | 2 of 2 | 6.0                 | 3.0  | 2.00 (2.00–2.00) | 2 of 10", text)
        self.assertIn("the median task needs 2.00 times the evaluations (2.00–2.00; 1.5 is wanted)", text)
        self.assertIn("softmax_rows: 2 hypothesis", text)


class Relay(unittest.TestCase):
    def test_a_prompts_file_names_its_campaign_and_the_prompt(self) -> None:
        prompt = "0123456789abcdef0123456789abcdef-3-0-1"
        self.assertEqual(bench_relay.prompt_of(bench_relay.prompt_name("attention-skills", prompt)), ("attention-skills", prompt))

    def test_skills_come_from_other_tasks(self) -> None:
        for task in bench_relay.TASKS:
            lessons = bench_relay.lessons_of(task)
            self.assertEqual(len(lessons), bench_relay.LESSONS)
            self.assertNotIn(task, lessons)

    def test_the_table_has_a_row_a_campaign(self) -> None:
        row = {"task": "nearest", "arm": "documents", "valid": 7, "candidates": 8, "no_candidate": 1, "replies": 9, "prompt_tokens": 30_000,
               "reply_tokens": 9_000, "best_after": {"4": 2.5}, "confirmed": {"speedup": 3.0, "ci95": [2.9, 3.1]}}
        self.assertEqual(bench_relay.table_rows([row])[1],
                         ["nearest", "documents", "7 of 8", "2 of 9", "30,000", "9,000", "2.50×", "", "3.00× [2.90–3.10]"])


if __name__ == "__main__":
    unittest.main()
