"""Runs `trace --target cuda` on modules of every kind that it accepts or refuses, outside the sandbox and without a GPU."""

import argparse
import importlib.util
import json
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path
from unittest import mock

import forked

sys.path.append(str(forked.PACKAGE))

from kevolve_torch import thin, weights  # noqa: E402 - the package's folder is none of the path's

GIB = 1 << 30
NORMED = """
import torch


class Model(torch.nn.Module):
    def __init__(self, n, slope):
        super().__init__()
        self.linear = torch.nn.Linear(n, n)
        self.norm = torch.nn.BatchNorm1d(n)
        self.drop = torch.nn.Dropout(0.5)
        self.register_buffer("mask", torch.tril(torch.ones(n, n)))
        self.slope = slope

    def forward(self, x, scale):
        state = torch.zeros(x.shape[0], x.shape[1], device=x.device)
        y = self.drop(self.norm(self.linear(x))) @ self.mask + state
        return torch.nn.functional.leaky_relu(y, self.slope) * scale


def get_inputs():
    return [torch.rand(32, 24), 3]


def get_init_inputs():
    return [24, 0.1]
"""

WIDE = """
import torch


class Model(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.linear = torch.nn.Linear(n, n)

    def forward(self, x):
        return torch.sigmoid(self.linear(x)).sum(dim=1)


n = 16384


def get_inputs():
    return [torch.randn(4, n)]


def get_init_inputs():
    return [n]
"""
CARRIED = """
import torch


class Cell(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.randn(8, 4)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()

    def forward(self, x, first):
        self.cell.hidden.copy_(first)
        self.cell.hidden = torch.tanh(x + self.cell.hidden / 3.0)
        return self.cell.hidden * 2.0


def get_inputs():
    return [torch.randn(8, 4), torch.randn(8, 4)]


def get_init_inputs():
    return []
"""


def plain(body, inputs="[torch.randn(64, 32)]", head=""):
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return (f"import torch\n{head}\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n{lines}\n\n"
            f"def get_inputs():\n    return {inputs}\n\n\ndef get_init_inputs():\n    return []\n")


class Made:
    """The files that a trace made of a text."""

    def __init__(self, folder, text, *flags, memory=10):
        self.folder = Path(folder)
        path = self.folder / "user.py"
        path.write_text(text, encoding="utf-8")
        forked.run(["trace", "--into", folder, "--name", "made", "--target", "cuda", *flags, str(path)], folder, memory * GIB)
        self.document = json.loads((self.folder / "result.json").read_text(encoding="utf-8"))

    def task(self):
        return tomllib.loads((self.folder / "made.task.toml").read_text(encoding="utf-8"))

    def module(self):
        spec = importlib.util.spec_from_file_location("made_reference", self.folder / "made_reference.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


class Traced(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def made(self, text, *flags, **named):
        out = Made(self.folder.name, text, *flags, **named)
        self.assertNotIn("refused", out.document, out.document.get("refused"))
        return out

    def refused(self, text, *flags, **named):
        first = Made(self.folder.name, text, *flags, **named).document["refused"]
        self.assertTrue(first["remedy"])
        return first["line"], first["what"]


@unittest.skipUnless(importlib.util.find_spec("torch"), "no torch in this Python (cmake -DKEVOLVE_TORCH_PYTHON=…)")
class Programs(Traced):
    def test_a_module_is_called_with_the_arrays_of_the_task(self):
        import torch

        made = self.made(NORMED)
        arguments = {a["name"]: a for a in made.task()["argument"]}
        self.assertEqual([n for n, a in arguments.items() if a["role"] == "weight"],
                         ["linear_weight", "linear_bias", "norm_weight", "norm_bias", "norm_running_mean", "norm_running_var"])
        self.assertEqual(arguments["norm_weight"]["fill"]["low"], 0.5)  # away from one
        self.assertEqual(arguments["norm_weight"]["origin"], "parameter norm.weight")
        self.assertTrue(any("mask" in r and "keeps its values" in r for r in made.document["rules"]))
        self.assertTrue(any("3 is a constant" in r for r in made.document["rules"]))
        module = made.module()
        torch.manual_seed(3)
        values = {n: torch.rand(a["shape"]) + 0.5 for n, a in arguments.items() if a["role"] != "output"}
        model = module.Model(24, 0.1).eval()
        state = {a["origin"].split()[1]: values[n] for n, a in arguments.items() if a["role"] == "weight"}
        model.load_state_dict({**model.state_dict(), **state})
        with torch.no_grad():
            (got,) = module.reference_of_task(**values)
            expected = model(values["x"], 3)
        self.assertTrue(torch.equal(got, expected))
        # The module's own values travel, but for those that the reference makes itself.
        self.assertEqual(made.task()["module"]["weights"], "made.safetensors")
        own = weights.unpacked(torch, (made.folder / "made.safetensors").read_bytes())
        self.assertEqual(sorted(own), sorted(state))
        torch.manual_seed(0)
        fresh = module.Model(24, 0.1).state_dict()
        self.assertTrue(all(torch.equal(own[n], fresh[n]) for n in own))

    def test_in_double_constants_and_states_are_converted(self):
        import torch

        made = self.made(NORMED)
        module = made.module()
        values = {a["name"]: torch.rand(a["shape"], dtype=torch.float64) + 0.5 for a in made.task()["argument"]
                  if a["role"] != "output"}
        with torch.no_grad():
            (got,) = module.reference_of_task(**values)
            model = module.Model(24, 0.1).eval().double()
            state = {a["origin"].split()[1]: values[a["name"]] for a in made.task()["argument"] if a["role"] == "weight"}
            model.load_state_dict({**model.state_dict(), **state})
            torch.set_default_dtype(torch.float64)
            try:
                expected = model(values["x"], 3)
            finally:
                torch.set_default_dtype(torch.float32)
        self.assertEqual(got.dtype, torch.float64)
        self.assertLess(float((got - expected).abs().max()), 1e-12)
        self.assertEqual(torch.get_default_dtype(), torch.float32)

    def test_float32_by_name_is_double_in_the_oracle(self):
        import torch

        module = self.made(plain("y = torch.exp(x).to(torch.float32)\nreturn y / 3.0")).module()
        x = torch.rand(64, 32, dtype=torch.float64)
        (got,) = module.reference_of_task(x=x)
        self.assertEqual(got.dtype, torch.float64)
        self.assertLess(float((got - torch.exp(x) / 3.0).abs().max()), 1e-14)

    def test_a_state_that_each_call_overwrites_is_no_argument(self):
        import torch

        made = self.made(CARRIED)
        self.assertEqual([a["name"] for a in made.task()["argument"]], ["x", "first", "out"])
        with torch.inference_mode():  # as the process of the references does all of it
            module = made.module()
            x, first = torch.randn(8, 4), torch.randn(8, 4)
            expected = torch.tanh(x.double() + first.double() / 3.0) * 2.0
            (narrow,) = module.reference_of_task(x=x, first=first)
            (wide,) = module.reference_of_task(x=x.double(), first=first.double())
            (again,) = module.reference_of_task(x=x, first=first)
        self.assertEqual(wide.dtype, torch.float64)
        self.assertLess(float((wide - expected).abs().max()), 1e-14)  # the state is double in the oracle, too
        self.assertEqual(again.dtype, torch.float32)
        self.assertTrue(torch.equal(narrow, again))  # and no later call writes into a result

    def test_training_mode_takes_the_statistics_of_the_batch(self):
        text = ("import torch\n\n\nclass Model(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                "        self.norm = torch.nn.BatchNorm1d(8)\n\n    def forward(self, x):\n        return self.norm(x)\n\n\n"
                "def get_inputs():\n    return [torch.randn(64, 8)]\n\n\ndef get_init_inputs():\n    return []\n")
        task = self.made(text, "--train").task()
        self.assertTrue(task["module"]["training"])
        self.assertEqual([a["name"] for a in task["argument"]], ["x", "norm_weight", "norm_bias", "out"])


@unittest.skipUnless(importlib.util.find_spec("torch"), "no torch in this Python (cmake -DKEVOLVE_TORCH_PYTHON=…)")
class Thin(unittest.TestCase):
    def test_one_row_stands_for_a_large_array_and_keeps_its_spread(self):
        import torch

        with mock.patch.object(thin, "LARGE", 1000), thin.making(torch, argparse.Namespace(weights="")):
            layer, table = torch.nn.Linear(64, 32), torch.nn.Embedding(64, 32, padding_idx=3)
            small = torch.nn.Linear(8, 8)
        for x in (layer.weight, table.weight):
            self.assertTrue(thin.is_thin(x))
            self.assertEqual(x.untyped_storage().nbytes(), 4 * x.shape[1])
            self.assertEqual(thin.sample(x).shape[0], 1)
        self.assertEqual(list(layer.weight.shape), [32, 64])
        self.assertLessEqual(float(layer.weight.detach().abs().max()), 64 ** -0.5)
        self.assertGreater(float(layer.weight.detach().std()), 0.3 * 64 ** -0.5)
        self.assertTrue(bool((table.weight != 0).all()))  # the row of the padding is a part
        self.assertFalse(thin.is_thin(small.weight))

    def test_with_a_checkpoint_every_array_is_made_whole(self):
        import torch

        with mock.patch.object(thin, "LARGE", 1000), thin.making(torch, argparse.Namespace(weights="own.safetensors")):
            self.assertFalse(thin.is_thin(torch.nn.Linear(64, 32).weight))


@unittest.skipUnless(importlib.util.find_spec("torch"), "no torch in this Python (cmake -DKEVOLVE_TORCH_PYTHON=…)")
class Rules(Traced):
    def test_the_tolerance_admits_tf32_only_where_there_are_products(self):
        product = self.made(plain("return x @ x.T")).document["tolerances"][0]
        self.assertGreater(product["tf32"], 30.0 * product["error"])
        self.assertGreaterEqual(product["absolute"], 3.0 * product["tf32"])
        # Tensor cores ignore the bits that TF32 lacks: in a sum of values of one sign the errors add up.
        text = plain("return (x @ x.T).sum(dim=1)", "[torch.rand(64, 512)]")
        of_one_sign = self.made(text).document["tolerances"][0]
        self.assertGreater(of_one_sign["tf32"], 4e-4 * of_one_sign["median"])
        pointwise = self.made(plain("return torch.sigmoid(x)")).document["tolerances"][0]
        self.assertEqual(pointwise["tf32"], pointwise["error"])
        self.assertLess(pointwise["absolute"], 1e-5)

    def test_strict_fp32_admits_no_tf32_and_says_so(self):
        text = plain("return x @ x.T")
        # The baselines may use what the tolerance admits, and nothing else.
        usual = self.made(text)
        self.assertIs(usual.task()["timing"]["tf32"], True)
        strict = self.made(text, "--strict-fp32")
        self.assertIs(strict.task()["timing"]["tf32"], False)
        loose, narrow = usual.document["tolerances"][0], strict.document["tolerances"][0]
        self.assertLess(narrow["absolute"], 0.5 * loose["tf32"])
        self.assertGreaterEqual(narrow["absolute"], 3.0 * narrow["error"])
        self.assertTrue(strict.document["strict_fp32"])
        self.assertTrue(any(r.startswith("strict fp32:") for r in strict.document["rules"]))
        self.assertNotIn("TF32 error", " ".join(strict.document["rules"]))
        # A GPU's long sums of huge values miss the tolerance as products in TF32 do, so neither task draws them.
        for made in (usual, strict):
            self.assertEqual([a["edge"] for a in made.task()["argument"] if a["name"] == "x"], [["zeros", "cancellation"]])
        pointwise = self.made(plain("return torch.sigmoid(x)")).task()
        self.assertNotIn("tf32", pointwise["timing"])  # no products: nothing to say

    def test_a_product_that_is_only_summed_is_no_work_that_a_kernel_must_do(self):
        cases = [("return ((x @ x.T) / 2.0 - 1.0).sum(dim=1)", False), ("return torch.relu(x @ x.T).sum(dim=1)", True),
                 ("y = x @ x.T\nreturn (y.sum(dim=1), y)", True), ("y = x @ x.T\nreturn (y * y).sum(dim=1)", True)]
        for body, counts in cases:
            with self.subTest(body=body):
                flops = int(self.made(plain(body)).document["work"]["flops"])
                self.assertEqual(flops >= 2 * 64 * 64 * 32, counts, flops)

    def test_the_tolerance_follows_extents_that_were_cut(self):
        made = self.made(plain("return torch.softmax(x, dim=1)", "[torch.rand(4096, 393216)]"))
        self.assertLess(made.document["tolerances"][0]["absolute"], 1e-9)  # results are near 2.5e-6
        self.assertTrue(any("to the power -1" in r for r in made.document["rules"]))

    def test_recurrent_layers_stay_one_operator_and_weights_without_effect_are_left_out(self):
        text = plain("y = self.layer(x)[0]\nself.head(y)\nreturn y", "[torch.randn(4, 6, 8)]").replace(
            "    def forward", "    def __init__(self):\n        super().__init__()\n        self.head = torch.nn.Linear(16, 4)\n"
            "        self.layer = torch.nn.LSTM(8, 16, 2, batch_first=True)\n\n    def forward")
        made = self.made(text)
        weights = [a["name"] for a in made.task()["argument"] if a["role"] == "weight"]
        self.assertEqual(len(weights), 8)
        self.assertFalse([w for w in weights if w.startswith("head")])
        steps, weights = 4 * 6, 4 * 16 * (8 + 16 + 16 + 16)
        self.assertEqual(made.document["work"]["flops"], str(2 * steps * weights))

    def test_large_weights_take_no_memory_and_are_measured_smaller(self):
        made = self.made(WIDE, memory=8)  # a layer of 1 GiB; the seeds, double and TF32 would need five of it
        arguments = {a["name"]: a for a in made.task()["argument"]}
        self.assertEqual(arguments["linear_weight"]["shape"], [16384, 16384])
        fill = arguments["linear_weight"]["fill"]  # that of the whole layer
        self.assertAlmostEqual(fill["high"], 1.0 / 128.0, delta=1e-4)
        self.assertEqual(made.document["work"]["flops"], str(2 * 4 * 16384 * 16384 + 2 * 4 * 16384))
        rules = " | ".join(made.document["rules"])
        self.assertIn("measured on the CPU with n = 2048 in the file", rules)
        # A sum of 16384 results is 8 times that of 2048, and so is what the tolerance admits.
        self.assertIn("'out' goes with these numbers to the power 1", rules)
        tolerance = made.document["tolerances"][0]
        self.assertGreater(tolerance["median"], 0.4 * 16384)
        self.assertGreater(tolerance["absolute"], 1e-4 * tolerance["median"])

    def test_large_inputs_take_no_memory(self):
        made = self.made(plain("return torch.relu(x).sum(dim=1)", "[torch.rand(16384, 131072)]"))  # 8 GiB
        self.assertEqual(made.document["work"]["bytes"], str(4 * 16384 * (131072 + 1)))
        self.assertTrue(any(r.startswith("measured on the CPU at") for r in made.document["rules"]))

    def test_inputs_on_which_the_module_does_nothing_are_drawn_otherwise(self):
        made = self.made(plain("return torch.relu(x)", "[torch.rand(64, 32)]"))
        self.assertEqual(made.task()["argument"][0]["fill"], {"distribution": "normal", "mean": 0.0, "std": 1.0})
        self.assertTrue(any("a copy of 'x' is accepted" in r for r in made.document["rules"]))

    def test_weights_whose_results_are_a_few_huge_ones_are_drawn_narrower(self):
        text = plain("return (x * torch.exp(torch.cumsum(self.steps, dim=0))) @ self.mix", "[torch.randn(64, 32768)]").replace(
            "    def forward", "    def __init__(self):\n        super().__init__()\n"
            "        self.steps = torch.nn.Parameter(torch.randn(64, 32768))\n"
            "        self.mix = torch.nn.Parameter(torch.randn(32768, 8))\n\n    def forward")
        made = self.made(text)
        self.assertEqual(made.task()["argument"][1]["fill"], {"distribution": "normal", "mean": 0.0, "std": 0.1})
        self.assertTrue(any(r.startswith("weights drawn with 0.1 of the module's spread") for r in made.document["rules"]))

    def test_free_dimensions_become_sizes_and_shapes(self):
        text = "import torch\n\n\ndef rows(x):\n    return torch.softmax(x, dim=-1)\n"
        made = self.made(text, "--input", "64x40:f32", "--dynamic", "x:0=rows", "--shape", "rows=512")
        self.assertEqual([s.get("rows") for s in made.task()["shape"]], [64, 512, 33])
        self.assertEqual(made.task()["argument"][1]["shape"], ["rows", 40])
        line, what = self.refused(text, "--input", "64x40:f32", "--dynamic", "x:0=rows", "--shape", "cols=512")
        self.assertIn("--shape cols=512", what)

    def test_numbers_and_unused_inputs_are_no_arguments(self):
        text = plain("return (x.sum() + 1.0, x * 2.0)").replace("forward(self, x)", "forward(self, x, y)").replace(
            "[torch.randn(64, 32)]", "[torch.randn(64, 32), torch.randn(4)]")
        made = self.made(text)
        self.assertEqual([(a["name"], a["shape"]) for a in made.task()["argument"]],
                         [("x", [64, 32]), ("out0", [1]), ("out1", [64, 32])])
        import torch

        out = made.module().reference_of_task(x=torch.ones(64, 32))
        self.assertEqual([list(o.shape) for o in out], [[1], [64, 32]])


@unittest.skipUnless(importlib.util.find_spec("torch"), "no torch in this Python (cmake -DKEVOLVE_TORCH_PYTHON=…)")
class Refusals(Traced):
    def test_refusals_name_the_line(self):
        cases = [
            (plain("y = x * 2\nreturn y + torch.rand_like(x)"), 7, "draws random numbers"),
            (plain("x.add_(1)\nreturn x * 2"), None, "changes its input"),
            (plain("if x.sum() > 0:\n    return x\nreturn -x"), 6, "decides by the values"),
            (plain("return x.numpy()"), 6, "cannot be traced"),
            (plain("return x * 0.0"), 5, "zeros is accepted"),
            (plain("return x.shape[0]"), None, "returns"),
            (plain("return x * 2", head="import nowhere_to_be_found"), 2, "needs the package 'nowhere_to_be_found'"),
            (plain("import lazily_not_found\nreturn x * 2"), 6, "needs the package 'lazily_not_found'"),
            (plain("return x * 2", "[torch.rand(200000, 300000)]"), 9, "the device has 139 GiB"),
            (plain("return x * 2", "['text']"), 9, "has no tensor among its inputs"),
        ]
        for text, line, says in cases:
            with self.subTest(says=says):
                at, what = self.refused(text)
                self.assertIn(says, what)
                if line is not None:
                    self.assertEqual(at, line, what)

    def test_states_that_are_read_and_weights_without_a_number_are_refused(self):
        carried = CARRIED.replace("        self.cell.hidden.copy_(first)\n", "")
        self.assertIn("keeps a state in its attribute 'cell.hidden'", self.refused(carried)[1])
        fixed = WIDE.replace("n = 16384", "").replace("(4, n)", "(4, 16384)").replace("[n]", "[16384]")
        self.assertIn("has weights of 1.0 GiB, too many to measure with here", self.refused(fixed, memory=8)[1])

    def test_memory_is_bounded(self):
        text = plain("return x * 2", "[torch.randn(64, 32)]", "hoard = torch.ones(12 * 2**28)")  # 12 GiB at import
        self.assertIn("memory", self.refused(text)[1])


if __name__ == "__main__":
    unittest.main()
