"""Tests the comparison of a reference's outputs with a task's, on tensors without memory: shipped tasks and modules of GPU tasks."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import torch
except ImportError:
    torch = None

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "backends" / "framework" / "python"
sys.path.insert(0, str(PACKAGE))
from kevolve_torch import outputs  # noqa: E402 - beside the tests it is no package


def argument(name, role, shape=(), dtype="f32", value=None, extent=False):
    return {"name": name, "role": role, "dtype": dtype, "shape": list(shape), "value": value, "extent": extent}


def asked(text, arguments):
    """Returns the document about a reference of this text with one shape."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reference.py"
        path.write_text(text, encoding="utf-8")
        return outputs.document_of(str(path), {"entry": "f", "shapes": [{"name": "s", "arguments": arguments}]})


def asked_of_a_process(text, arguments):
    """Does the same by the program."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reference.py"
        path.write_text(text, encoding="utf-8")
        (Path(folder) / "task.json").write_text(json.dumps({"entry": "f", "shapes": [{"name": "s", "arguments": arguments}]}),
                                                encoding="utf-8")
        subprocess.run([sys.executable, "-B", "-m", "kevolve_torch", "outputs", str(path), "--task", "task.json", "--into",
                        folder], env={"PYTHONPATH": str(PACKAGE), "PATH": "/usr/bin:/bin"}, cwd=folder, check=False)
        return json.loads((Path(folder) / "result.json").read_text(encoding="utf-8"))


def wrong(text, arguments):
    return [w["what"] for w in asked(text, arguments)["wrong"]]


@unittest.skipIf(torch is None, "torch is missing")
class Outputs(unittest.TestCase):
    def test_outputs_that_fit_are_traced_without_memory(self):
        rows, cols = 1 << 20, 1 << 20  # 4 TiB
        document = asked_of_a_process("import torch\n\n\ndef f(x, rows):\n    return torch.softmax(x, -1)\n",
                                      [argument("x", "input", (rows, cols)), argument("y", "output", (rows, cols)),
                                       argument("rows", "size", value=rows)])
        self.assertEqual(document, {"wrong": [], "traced": ["s"], "not_traced": ""})

    def test_shapes_types_and_counts_that_differ_are_told_with_the_line(self):
        x, y = argument("x", "input", (4, 6)), argument("y", "output", (4, 6))
        document = asked("import torch\n\n\ndef f(x):\n    return x.T\n", [x, y])
        self.assertEqual(document["wrong"], [{"shape": "s", "line": 4, "what": "output 'y' has shape [6, 4], the task declares [4, 6]"}])
        self.assertEqual(wrong("def f(x):\n    return x.double()\n", [x, y]),
                         ["output 'y' has dtype torch.float64, the task declares f32"])
        self.assertEqual(wrong("def f(x):\n    return [x, x]\n", [x, y]), ["it returns 2 values; the task has 1 outputs: y"])
        self.assertEqual(wrong("def f(x):\n    return 3\n", [x, y]), ["output 'y' is a int, not a tensor"])

    def test_a_valid_prefix_may_be_shorter(self):
        x, n = argument("x", "input", (8,)), argument("n", "output", (1,), "i64")
        y = argument("y", "output", (8,), extent=True)
        text = "import torch\n\n\ndef f(x):\n    return x[:5], torch.zeros(1, dtype=torch.int64)\n"
        self.assertEqual(wrong(text, [x, y, n]), [])
        self.assertEqual(wrong(text, [x, argument("y", "output", (8,)), n]), ["output 'y' has shape [5], the task declares [8]"])

    def test_a_reference_that_depends_on_values_or_fails_is_not_traced_and_no_error(self):
        x, y = argument("x", "input", (4,)), argument("y", "output", (4,))
        for body in ("return x[:int(x[0])]", "return x @ x.missing", "raise SystemError('no')"):
            document = asked(f"def f(x):\n    {body}\n", [x, y])
            self.assertEqual((document["wrong"], document["traced"]), ([], []), body)
            self.assertIn("shape 's': line 2: ", document["not_traced"])
        self.assertIn("is no Python", asked("def f(x:\n", [x, y])["not_traced"])
        self.assertIn("no function 'f'", asked("g = 1\n", [x, y])["not_traced"])

    def test_weights_of_a_module_need_no_memory(self):
        text = ("import torch\n\nlinear = torch.nn.Linear(1 << 20, 1 << 18)\n\n\n"
                "def f(x, w):\n    return torch.func.functional_call(linear, {'weight': w}, (x,))\n")
        document = asked(text, [argument("x", "input", (2, 1 << 20)), argument("w", "weight", (1 << 18, 1 << 20)),
                                argument("y", "output", (2, 1 << 18))])
        self.assertEqual(document, {"wrong": [], "traced": ["s"], "not_traced": ""})


if __name__ == "__main__":
    unittest.main()
