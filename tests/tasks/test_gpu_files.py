"""Tests the files of the tasks with PyTorch references, without PyTorch."""

from __future__ import annotations

import ast
import tomllib
import unittest

from task_file import FOLDER, evaluate, shipped, sizes_of, source_of, written

EXAMPLES = FOLDER.parents[1] / "examples" / "gpu"
CONVOLUTION_BATCHES = [64, 128, 256, 512, 1024, 2048]


class Files(unittest.TestCase):
    def test_every_reference_defines_its_entry_over_the_task_s_arguments(self) -> None:
        for name, task in shipped().items():
            with self.subTest(task=name):
                self.assertEqual(task["reference"]["language"], "pytorch")
                tree = ast.parse(source_of(task).read_text(encoding="utf-8"))
                entry = next(f for f in tree.body
                             if isinstance(f, ast.FunctionDef) and f.name == task["reference"]["entry"])
                own = [a["name"] for a in task["argument"] if a["role"] != "output"]
                self.assertEqual([a.arg for a in entry.args.args if a.arg not in own], [])
                needed = [a["name"] for a in task["argument"] if a["role"] in ("input", "inout", "weight")]
                self.assertEqual([n for n in needed if n not in [a.arg for a in entry.args.args]], [])

    def test_a_reference_names_no_dtype_and_no_device(self) -> None:
        for file in FOLDER.glob("*.py"):
            with self.subTest(file=file.name):
                self.assertNotRegex(file.read_text(encoding="utf-8"), r"float(16|32|64)|\.half\(|\.float\(|cuda")

    def test_every_task_has_unseen_shapes_work_a_goal_and_a_tolerance(self) -> None:
        for name, task in shipped().items():
            with self.subTest(task=name):
                self.assertGreaterEqual(sum(s.get("held_out", False) for s in task["shape"]), 3)
                self.assertGreater(task["goal"]["speedup"], 1.0)
                self.assertEqual(task["timing"]["cache"], "cold")
                if any(a["dtype"].startswith("f") for a in written(task)):
                    self.assertIn("tolerance", task)
                if "derived" not in task:
                    for shape in task["shape"]:
                        self.assertGreater(evaluate(task["work"]["bytes"], sizes_of(task, shape)), 0)

    def test_the_convolution_is_asked_for_at_its_production_batches(self) -> None:
        for name in ("conv1d_f16", "conv1d_f32"):
            shapes = [sizes_of(shipped()[name], s) for s in shipped()[name]["shape"] if not s.get("held_out")]
            self.assertEqual([s.pop("batch") for s in shapes], CONVOLUTION_BATCHES)
            self.assertEqual(shapes, [{"in_channels": 96, "out_channels": 96, "length": 200}] * 6)

    def test_every_task_has_a_campaign(self) -> None:
        for name in shipped():
            with self.subTest(task=name):
                campaign = tomllib.loads((EXAMPLES / f"{name}.toml").read_text(encoding="utf-8"))
                self.assertEqual(campaign["target"], "cuda")
                self.assertEqual((EXAMPLES / campaign["task"]).resolve(), FOLDER / f"{name}.task.toml")


if __name__ == "__main__":
    unittest.main()
