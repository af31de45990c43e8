"""The kernels on a GPU: graphs, streams, memory, other machines."""

from __future__ import annotations

import subprocess
import sys
import unittest
import warnings
from typing import Any
from unittest import mock

import torch
from kevolve_package import PLAN, cuda_object, original
from kevolve_package.comparison import errors
from kevolve_package.cuda_object import CUDA, CudaKernels
from kevolve_package.guards import CASES as JUDGED_CASES
from kevolve_package.inputs import drawn, model_and_call, reference_class
from package_cases import CASES, FIRST, HAS_KERNEL, both

NEEDS = "needs a GPU that runs the kernels"
WITHOUT_REFERENCE = mock.patch.object(original, "call", side_effect=AssertionError("the reference ran"))


def changed(call: tuple[Any, ...], seed: int) -> tuple[Any, ...]:
    """Draws other values into the same arrays."""
    _, other = model_and_call(reference_class(), FIRST, seed)
    for x, y in zip(call, other):
        if isinstance(x, torch.Tensor):
            x.copy_(y)
    return call


class Plans(unittest.TestCase):
    def test_every_judged_shape_has_launches(self) -> None:
        assert CUDA is not None
        for k in range(len(CUDA.kernels)):
            for case in JUDGED_CASES:
                with self.subTest(kernel=k, sizes=case.sizes):
                    self.assertGreater(len(CUDA.launches(k, case).launches), 0)


class Machines(unittest.TestCase):
    def warned(self, here: bool, capability: tuple[int, int]) -> str:
        """Returns the only warning of a package's first uses on such a machine."""
        with (
            mock.patch.object(torch.cuda, "is_available", return_value=here),
            mock.patch.object(torch.cuda, "device_count", return_value=int(here)),
            mock.patch.object(torch.cuda, "get_device_capability", return_value=capability),
            mock.patch.object(cuda_object, "_warned", set()),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("always")
            for _ in range(2):
                self.assertFalse(CudaKernels(PLAN.device_kernels).usable())
        self.assertEqual(len(caught), 1)
        return str(caught[0].message)

    def test_a_machine_without_a_gpu_gets_the_reference_and_one_warning(self) -> None:
        self.assertIn("no CUDA device", self.warned(False, (0, 0)))

    def test_another_architecture_gets_the_reference_and_one_warning(self) -> None:
        self.assertIn("has sm_12, and the kernels are for " + PLAN.device_kernels[0].architecture, self.warned(True, (1, 2)))


@unittest.skipUnless(HAS_KERNEL, NEEDS)
class Device(unittest.TestCase):
    def right(self, reference: torch.nn.Module, call: tuple[Any, ...], found: Any) -> None:
        torch.cuda.synchronize()
        self.assertEqual(errors(reference, call, original.leaves(found)), [])

    def test_every_kernel_is_right_at_every_judged_shape(self) -> None:
        assert CUDA is not None
        for i, case in enumerate(CASES):
            reference, call = model_and_call(reference_class(), case, 1)
            for k in range(len(CUDA.kernels)):
                with self.subTest(kernel=k, case=case.name):
                    self.right(reference, call, CUDA.run(k, drawn(case, 1), JUDGED_CASES[i]))

    def test_a_captured_graph_replays_the_kernel(self) -> None:
        reference, model, call = both(FIRST)
        with torch.no_grad():
            model(*call)
            graph = torch.cuda.CUDAGraph()
            with WITHOUT_REFERENCE, torch.cuda.graph(graph):
                found = model(*call)
            for seed in (2, 3):
                changed(call, seed)
                graph.replay()
                self.right(reference, call, found)

    def test_its_code_can_be_loaded_in_a_capture(self) -> None:
        code = (
            "import torch\nfrom kevolve_package.inputs import model_and_call, reference_class\n"
            "from kevolve_package import ModelNew, PLAN, original\nfrom kevolve_package.comparison import errors\n"
            f"case = PLAN.cases[{PLAN.cases.index(FIRST)}]\n"
            "reference, call = model_and_call(reference_class(), case, 1)\nmodel, _ = model_and_call(ModelNew, case, 1)\n"
            "with torch.no_grad():\n    graph = torch.cuda.CUDAGraph()\n    with torch.cuda.graph(graph):\n        found = model(*call)\n"
            "    graph.replay()\n    torch.cuda.synchronize()\n    print(errors(reference, call, original.leaves(found)))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.strip(), "[]", done.stderr[-2000:])

    def test_inductor_compiles_around_it(self) -> None:
        reference, model, call = both(FIRST)
        for mode in ("default", "reduce-overhead"):
            torch._dynamo.reset()
            with self.subTest(mode=mode), torch.no_grad():
                compiled = torch.compile(model, fullgraph=True, mode=mode)
                compiled(*call)
                with WITHOUT_REFERENCE:
                    for _ in range(3):  # the second call is captured, the third replayed
                        found = compiled(*call)
                self.right(reference, call, found)

    def test_it_runs_on_the_current_stream(self) -> None:
        reference, model, call = both(FIRST)
        with torch.no_grad():
            model(*call)
            later = [x.clone() if isinstance(x, torch.Tensor) else x for x in changed(call, 5)]
            changed(call, 6)
            torch.cuda.synchronize()
            side = torch.cuda.Stream()
            with WITHOUT_REFERENCE, torch.cuda.stream(side):
                torch.cuda._sleep(20_000_000)
                for x, y in zip(call, later):
                    if isinstance(x, torch.Tensor):
                        x.copy_(y)
                found = model(*call)
            self.right(reference, call, found)

    def test_only_what_observes_a_call_goes_through_the_operator(self) -> None:
        reference, model, call = both(FIRST)
        operator = mock.patch("kevolve_package.model.operator", side_effect=ZeroDivisionError)
        with operator, torch.no_grad():
            self.right(reference, call, model(*call))
        if any(isinstance(x, torch.Tensor) and x.is_floating_point() for x in call):
            for x in call:
                if isinstance(x, torch.Tensor) and x.is_floating_point():
                    x.requires_grad_()
            with operator, self.assertRaises(ZeroDivisionError):
                model(*call)

    def test_calls_keep_no_memory(self) -> None:
        _, model, call = both(FIRST)
        with torch.no_grad():
            for _ in range(3):
                model(*call)
            torch.cuda.synchronize()
            before = torch.cuda.memory_reserved()
            for _ in range(50):
                model(*call)
            torch.cuda.synchronize()
        self.assertEqual(torch.cuda.memory_reserved(), before)


if __name__ == "__main__":
    unittest.main()
