"""Runs `trace` on modules of every kind that it accepts or refuses, outside the sandbox."""

import argparse
import importlib.util
import json
import sys
import tempfile
import unittest
from pathlib import Path

import forked

sys.path.append(str(forked.PACKAGE))

from kevolve_torch import weights as WEIGHTS  # noqa: E402 - the package's folder is none of the path's

HEAD = "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
WITH_MASK = HEAD.replace("    def forward", "    def __init__(self):\n        super().__init__()\n"
                         "        self.mask = torch.arange(8.0)\n\n    def forward")
LINEAR = """import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(8, 8)
        self.register_buffer("steps", torch.tensor(3))

    def forward(self, x):
        return torch.tanh(self.fc(x)) * self.steps


def get_inputs():
    return [torch.randn(4, 8)]
"""
INPUTS = "\n\ndef get_inputs():\n    return [torch.randn(2, 4, 16, 8)]\n\n\ndef get_init_inputs():\n    return []\n"


def traced(body, *flags, head=HEAD):
    """Returns the result of tracing a module whose forward() has this body."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "module.py"
        path.write_text(head + "".join(f"        {line}\n" for line in body.splitlines()) + INPUTS, encoding="utf-8")
        forked.run(["trace", "--into", folder, "--name", "module", *flags, str(path)], folder)
        return json.loads((Path(folder) / "result.json").read_text(encoding="utf-8"))


@unittest.skipUnless(importlib.util.find_spec("torch"), "no torch in this Python (cmake -DKEVOLVE_TORCH_PYTHON=…)")
class Trace(unittest.TestCase):
    def refused(self, body, *flags):
        """Returns line and text of the refusal."""
        first = traced(body, *flags)["refused"]
        return first["line"], first["what"]

    def test_attention_without_dropout_is_a_module_like_any_other(self):
        made = traced("return torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)")
        self.assertNotIn("refused", made, made.get("refused"))

    def test_dropout_in_attention_draws_random_numbers(self):
        line, what = self.refused("return torch.nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5)")
        self.assertIn("draws random numbers", what)
        self.assertEqual(line, 6)

    def test_random_numbers_are_refused_at_their_line(self):
        line, what = self.refused("y = x * 2\nreturn y + torch.rand_like(x)")
        self.assertIn("draws random numbers", what)
        self.assertEqual(line, 7)

    def test_a_changed_input_is_refused(self):
        self.assertIn("changes its input", self.refused("x.add_(1)\nreturn x * 2")[1])

    def test_decisions_by_values_are_refused(self):
        self.assertIn("decides by the values", self.refused("if x.sum() > 0:\n    return x\nreturn -x")[1])

    def test_edges_on_which_the_reference_misses_the_tolerance_are_left_out(self):
        made = traced("return torch.nn.functional.layer_norm(x, (8,))")
        edges = next(a["edge"] for a in made["arguments"] if a["name"] == "x")
        self.assertIn("zeros", edges)
        self.assertNotIn("cancellation", edges)  # a row of nearly equal values has a variance of rounding errors

    def test_a_constant_has_the_name_of_the_attribute_that_holds_it(self):
        made = traced("return x * self.mask + torch.tensor([2.0])", head=WITH_MASK)
        self.assertEqual([a["origin"] for a in made["arguments"] if a["origin"].startswith("constant")],
                         ["constant 0 mask", "constant 1"])

    def test_baselines_get_what_is_drawn_for_a_plain_attribute(self):
        import torch

        footer = {}
        exec((forked.PACKAGE.parent / "module_footer.py").read_text(encoding="utf-8"), footer)
        module = torch.nn.Sequential(torch.nn.Linear(2, 2, bias=False))
        module[0].mask = torch.zeros(2)
        with torch.no_grad():
            footer["_installer"](module, {"w": "0.weight", "m": "0.mask"})({"w": torch.ones(2, 2), "m": torch.ones(2)})
        self.assertTrue(module[0].mask.all() and (module[0].weight == 1.0).all())

    def weighed(self, folder, *flags):
        """Returns the refusal of a module with a linear layer, or None, and its file of weights."""
        path = Path(folder) / "module.py"
        path.write_text(LINEAR, encoding="utf-8")
        forked.run(["trace", "--into", folder, "--name", "module", *flags, str(path)], folder)
        document = json.loads((Path(folder) / "result.json").read_text(encoding="utf-8"))
        file = Path(folder) / "module.safetensors"
        return document.get("refused"), file.read_bytes() if file.exists() else None, document

    def test_the_modules_own_weights_are_written_beside_the_task(self):
        import torch

        with tempfile.TemporaryDirectory() as folder:
            refused, data, document = self.weighed(folder)
            self.assertIsNone(refused)
            task = (Path(folder) / "module.task.toml").read_text(encoding="utf-8")
            self.assertIn('weights = "module.safetensors"', task)
            self.assertIn("module.safetensors", document["files"])
            found = WEIGHTS.unpacked(torch, data)
            self.assertEqual({n: list(x.shape) for n, x in found.items()}, {"fc.weight": [8, 8], "fc.bias": [8], "steps": []})
            self.assertEqual(int(found["steps"]), 3)
            # A checkpoint takes the place of what the constructor makes.
            trained = {n: x * 2 for n, x in found.items()}
            (Path(folder) / "own.safetensors").write_bytes(WEIGHTS.packed(trained))
            refused, data, _ = self.weighed(folder, "--weights", "own.safetensors")
            self.assertIsNone(refused)
            again = WEIGHTS.unpacked(torch, data)
            self.assertTrue(all(torch.equal(again[n], x) for n, x in trained.items()))

    def test_a_checkpoint_of_another_module_is_refused_by_its_tensor(self):
        import torch

        from kevolve_torch.refusal import Refused

        model = torch.nn.Linear(8, 8)
        own = {n: torch.zeros(x.shape) for n, x in model.state_dict().items()}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "own.safetensors"

            def said(data, kind="module"):
                path.write_bytes(data)
                with self.assertRaises(Refused) as refused:
                    WEIGHTS.load_into(torch, model, kind, str(path))
                self.assertTrue(refused.exception.remedy)
                return refused.exception.what

            self.assertIn("'bias' of shape [8], and the file of --weights one of shape [9]",
                          said(WEIGHTS.packed({**own, "bias": torch.zeros(9)})))
            self.assertIn("no tensor 'more'", said(WEIGHTS.packed({**own, "more": torch.zeros(1)})))
            self.assertIn("'bias', which the file of --weights lacks", said(WEIGHTS.packed({"weight": own["weight"]})))
            self.assertIn("no safetensors file", said(b"PK is the start of a zip"))
            self.assertIn("no safetensors file", said(b""))
            self.assertIn("is a function", said(WEIGHTS.packed(own), "function"))
            path.write_bytes(WEIGHTS.packed(own))
            WEIGHTS.load_into(torch, model, "module", str(path))
        self.assertEqual(float(model.weight.abs().max()), 0.0)

    def test_weights_that_are_too_large_or_give_no_finite_result_are_drawn_alone(self):
        given = argparse.Namespace(into="", name="m")
        import torch

        name, told = WEIGHTS.written({"w": torch.zeros(WEIGHTS.MOST_BYTES // 4 + 1)}, True, given)
        self.assertIsNone(name)
        self.assertIn("8.0 MiB, more than the 8 MiB", told[0])
        made = traced("return x / self.mask.sum()", head=WITH_MASK.replace("torch.arange(8.0)", "torch.nn.Parameter(torch.zeros(8))"))
        self.assertNotIn("refused", made, made.get("refused"))
        self.assertTrue(any("not finite" in r for r in made["rules"]), made["rules"])
        self.assertNotIn("module.safetensors", made["files"])

    def test_an_operator_without_a_lowering_is_named_with_its_layer_and_line(self):
        head = HEAD.replace("class Model", "class Spectrum(torch.nn.Module):\n    def forward(self, x):\n"
                            "        return torch.linalg.eigvalsh(x @ x.mT)\n\n\nclass Model").replace(
            "    def forward(self, x):\n", "    def __init__(self):\n        super().__init__()\n"
            "        self.parts = torch.nn.Sequential(torch.nn.ReLU(), Spectrum())\n\n    def forward(self, x):\n", 2)
        head = head.replace("    def __init__(self):\n        super().__init__()\n"
                            "        self.parts = torch.nn.Sequential(torch.nn.ReLU(), Spectrum())\n\n", "", 1)
        refused = traced("return self.parts(x)", "--entry", "Model", head=head)["refused"]
        self.assertIn("in the layer 'parts.1'", refused["what"])
        self.assertEqual(refused["line"], 6)
        self.assertIn("write it with other operators", refused["remedy"])

    def test_outputs_are_tensors(self):
        self.assertIn("returns", self.refused("return x.shape[0]")[1])


if __name__ == "__main__":
    unittest.main()
