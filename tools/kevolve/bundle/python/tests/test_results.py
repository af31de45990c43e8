"""Results and guards: the kernel where it was judged, the reference elsewhere."""

from __future__ import annotations

import contextlib
import sys
import unittest
from collections.abc import Iterator
from typing import Any
from unittest import mock

import torch
from kevolve_package import PLAN, cpu_object, operator, original
from kevolve_package.comparison import errors
from kevolve_package.cuda_object import CUDA
from kevolve_package.driver import LoadedCode
from kevolve_package.guards import judged_for
from kevolve_package.inputs import drawn
from kevolve_package.model import JUDGED, operator_arguments
from kevolve_package.plan import GIVEN
from package_cases import CASES, FIRST, FLOATING, HAS_KERNEL, both, same


class Results(unittest.TestCase):
    def test_the_kernel_runs_on_this_machine(self) -> None:
        if not HAS_KERNEL:
            self.skipTest("the kernel needs a GPU" if CUDA else f"the compiled kernel cannot run here: python -m {PLAN.name} build")
        _, model, call = both(FIRST)
        self.assertTrue(JUDGED.usable)
        values = operator_arguments(model, call, {})
        assert values is not None
        with mock.patch.object(original, "call", side_effect=AssertionError("the reference was called")):
            operator(*values)

    def test_judged_shapes_are_within_the_tolerance(self) -> None:
        for case in CASES:
            for seed in (1, 2, 3):
                with self.subTest(case=case.name, seed=seed):
                    reference, model, call = both(case, seed)
                    with torch.no_grad():
                        self.assertEqual(errors(reference, call, original.leaves(model(*call))), [])

    def test_parameters_and_state_are_those_of_the_reference(self) -> None:
        reference, model, _ = both(FIRST)
        self.assertEqual(list(reference.state_dict()), list(model.state_dict()))
        model.load_state_dict(reference.state_dict())

    def test_weights_are_those_that_the_module_has_at_the_call(self) -> None:
        reference, model, call = both(FIRST)
        if not any(p.numel() for p in model.parameters()):
            self.skipTest("the module has no parameters")
        with torch.no_grad():
            model(*call)
            for changed in (reference, model):
                for p in changed.parameters():
                    p.mul_(0.5)
            self.assertEqual(errors(reference, call, original.leaves(model(*call))), [])

    def test_other_arguments_are_served_by_the_reference(self) -> None:
        values = drawn(FIRST, 1)
        for i in FLOATING:
            with self.subTest(argument=GIVEN[i].name):
                other = list(values)
                other[i] = other[i].double()
                self.assertIsNone(judged_for(other))
        reference, model, call = both(FIRST)
        double = [x.double() if isinstance(x, torch.Tensor) and x.dtype.is_floating_point else x for x in call]
        with torch.no_grad():
            same(self, model.double()(*double), reference.double()(*double))

    def test_other_shapes_are_served_by_the_reference(self) -> None:
        reference, model, call = both(FIRST)
        served = 0
        for i, x in enumerate(call):
            if not isinstance(x, torch.Tensor) or x.dim() == 0:
                continue
            more = [torch.cat([y, y]) if isinstance(y, torch.Tensor) and y.dim() > 0 else y for y in call]
            for other in ([*call[:i], torch.cat([x, x]), *call[i + 1 :]], more):
                try:
                    reference(*other)
                except (RuntimeError, IndexError, ValueError):
                    with self.assertRaises((RuntimeError, IndexError, ValueError)):
                        model(*other)
                    continue
                with torch.no_grad():  # another judged shape may be among them
                    self.assertEqual(errors(reference, other, original.leaves(model(*other))), [])
                served += 1
        if served == 0:
            self.skipTest("the reference takes no other shape")

    def test_integers_outside_the_judged_range_are_served_by_the_reference(self) -> None:
        values = drawn(FIRST, 1)
        places = [i for i, a in enumerate(GIVEN) if a.fill["distribution"] == "integer"]
        places = [i for i in places if not values[i].is_floating_point() and values[i].dtype != torch.bool and values[i].numel()]
        if not places:
            self.skipTest("the operator takes no integers")
        for i in places:
            other = [x.clone() if isinstance(x, torch.Tensor) else x for x in values]
            other[i].flatten()[0] = int(GIVEN[i].fill["high"]) + 1
            with mock.patch.object(original, "call", side_effect=ArithmeticError), self.assertRaises(ArithmeticError):
                operator(*other)

    def test_views_are_right(self) -> None:
        reference, model, call = both(FIRST)

        def strided(x: torch.Tensor) -> torch.Tensor:
            return torch.stack([x, x], dim=-1)[..., 0]

        def shifted(x: torch.Tensor) -> torch.Tensor:  # contiguous, and not aligned
            return torch.cat([x.flatten()[:1], x.flatten()])[1:].view(x.shape)
        for made in (strided, shifted):
            views = [made(x) if isinstance(x, torch.Tensor) and x.numel() > 0 else x for x in call]
            with self.subTest(view=made.__name__), torch.no_grad(), self.aligned():
                self.assertEqual(errors(reference, call, original.leaves(model(*views))), [])

    @contextlib.contextmanager
    def aligned(self) -> Iterator[None]:
        """Checks what the kernel gets."""
        kernel = cpu_object.CPU
        if CUDA is not None:
            run = LoadedCode.run

            def launched(this: LoadedCode, launches: Any, maps: Any, cleared: Any, buffers: dict[str, int], *others: Any) -> None:
                for a in PLAN.arguments:
                    self.assertTrue(not a.is_tensor or buffers[a.name] % a.align == 0, a.name)
                run(this, launches, maps, cleared, buffers, *others)

            with mock.patch.object(LoadedCode, "run", launched):
                yield
            return
        if kernel is None:
            yield
            return
        function = kernel.function

        def checked(*words: Any) -> None:
            for a, word in zip(PLAN.arguments, words, strict=True):
                self.assertTrue(not a.is_tensor or word % a.align == 0, a.name)
            function(*words)

        with mock.patch.object(kernel, "function", checked):
            yield

    def test_outputs_share_no_memory(self) -> None:
        x = torch.zeros(4)
        fresh = sys.modules["kevolve_package.operator"]._fresh([x, x], [x])  # type: ignore[attr-defined]
        self.assertEqual(len({x.data_ptr(), *(y.data_ptr() for y in fresh)}), 3)


if __name__ == "__main__":
    unittest.main()
