"""Runs `trace` on modules of every kind that it accepts or refuses, outside the sandbox."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "backends/framework/python"
HEAD = "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
INPUTS = "\n\ndef get_inputs():\n    return [torch.randn(2, 4, 16, 8)]\n\n\ndef get_init_inputs():\n    return []\n"


def traced(body, *flags):
    """Returns the result of tracing a module whose forward() has this body."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "module.py"
        path.write_text(HEAD + "".join(f"        {line}\n" for line in body.splitlines()) + INPUTS, encoding="utf-8")
        subprocess.run([sys.executable, "-B", "-m", "kevolve_torch", "trace", "--into", folder, "--name", "module",
                        *flags, str(path)], env={"PYTHONPATH": str(PACKAGE), "PATH": "/usr/bin:/bin"}, check=False,
                       cwd=folder, capture_output=True)
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

    def test_outputs_are_tensors(self):
        self.assertIn("returns", self.refused("return x.shape[0]")[1])


if __name__ == "__main__":
    unittest.main()
