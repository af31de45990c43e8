"""Tests the comparison of a search's winner with PyTorch's forms of an operator, on a small convolution."""

import argparse
import random
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from contextlib import nullcontext
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "bench"))

import bench_torch
import torch

KERNEL = """
#include <stdint.h>
void doubled(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = FACTOR * x[i];
}
"""
TASK = {
    "task": {"name": "doubled"},
    "reference": {"entry": "doubled"},
    "argument": [
        {"name": "x", "role": "input", "dtype": "f32", "shape": ["n"], "fill": {"distribution": "normal", "mean": 0.0, "std": 1.0}},
        {"name": "y", "role": "output", "dtype": "f32", "shape": ["n"]},
        {"name": "n", "role": "size"},
    ],
    "shape": [{"n": 64, "weight": 3.0}, {"n": 4096}, {"n": 7, "held_out": True}],
}


# Times of the kernel and of each form at each number of elements, in ns.
TIMES = {("product", 64): (10.0, 20.0), ("sum", 64): (10.0, 40.0), ("product", 4096): (90.0, 300.0), ("sum", 4096): (90.0, 100.0)}


class Form:
    def __init__(self, name: str, x: torch.Tensor) -> None:
        self.name, self.x = name, x

    def __call__(self) -> torch.Tensor:
        return 2.0 * self.x if self.name == "product" else self.x + self.x


def forms(_torch: object, _task: str, tensors: list[torch.Tensor], _sizes: dict[str, int]) -> dict[str, Form]:
    return {name: Form(name, tensors[0]) for name in ("product", "sum")}


def pairs(kernel: bench_torch.Call, form: Form, count: int, *_others: object) -> list[tuple[float, float]]:
    torch.testing.assert_close(kernel(), form())
    return [TIMES[form.name, form.x.numel()]] * count


class Comparison(unittest.TestCase):
    def library(self, factor: str) -> Path:
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(subprocess.run, ["rm", "-rf", folder], check=True)
        (folder / "kernel.c").write_text(KERNEL)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-DFACTOR={factor}", folder / "kernel.c", "-o", folder / "kernel.so"], check=True)
        return folder / "kernel.so"

    def compare(self, factor: str) -> bench_torch.Json:
        given = argparse.Namespace(seed=1, core=0, long=False)
        with (unittest.mock.patch.multiple(bench_torch, calls_of=forms, timed_pairs=pairs),
              unittest.mock.patch.object(bench_torch.bench_aten, "core_turn", nullcontext), torch.inference_mode()):
            return bench_torch.compare(torch, self.library(factor), TASK, given, random.Random(1))

    def test_the_fastest_form_of_each_declared_shape_is_the_baseline(self) -> None:
        found = self.compare("2.0f")
        self.assertEqual([s["sizes"]["n"] for s in found["shapes"]], [64, 4096])
        self.assertEqual([s["best"] for s in found["shapes"]], ["product", "sum"])
        self.assertEqual([s["ratio"] for s in found["shapes"]], [0.5, 0.9])
        self.assertEqual(found["shapes"][1]["forms"]["product"]["ratio"], 0.3)
        self.assertAlmostEqual(found["ratio"] ** 4, 0.5**3 * 0.9)  # by weight

    def test_a_kernel_with_other_results_is_not_timed(self) -> None:
        with self.assertRaises(AssertionError):
            self.compare("2.1f")


class Forms(unittest.TestCase):
    def test_each_form_of_an_operator_gives_the_same_result(self) -> None:
        torch.manual_seed(1)
        x, weight, bias = torch.randn(2, 3, 40), torch.randn(4, 3, 5), torch.randn(4)
        with unittest.mock.patch.object(bench_torch, "COMPILED", []):
            calls = bench_torch.calls_of(torch, "conv1d", [x, weight, bias], {"pad": 2})
            calls |= bench_torch.calls_of(torch, "optimized_fm", [torch.randn(2, 6, 3), torch.randn(2, 6, 4)], {})
            calls |= bench_torch.calls_of(torch, "conv2d", [torch.randn(1, 3, 9, 9), torch.randn(2, 3, 3, 3)], {})
        self.assertEqual(list(calls), ["conv1d", "x (x^T y)", "(x x^T) y", "conv2d", "conv2d, channels last"])
        self.assertEqual(calls["conv1d"]().shape, (2, 4, 40))
        torch.testing.assert_close(calls["x (x^T y)"](), calls["(x x^T) y"](), rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(calls["conv2d"](), calls["conv2d, channels last"](), rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    unittest.main()
