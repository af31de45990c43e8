"""Tests the package against its reference. Runs under pytest, and under python -m unittest discover tests."""

from __future__ import annotations

import copy
import io
import pickle
import threading
import unittest
import warnings
from typing import Any
from unittest import mock

import kevolve_package
import torch
from kevolve_package import PLAN, ModelNew, cpu_object, operator, original
from kevolve_package.comparison import errors
from kevolve_package.guards import judged_for
from kevolve_package.inputs import drawn, model_and_call, reference_class
from kevolve_package.model import JUDGED, operator_arguments

HAS_KERNEL = cpu_object.CPU is not None
FLOATING = [i for i, a in enumerate(kevolve_package.plan.GIVEN) if a.is_tensor and a.dtype.is_floating_point]


def both(case: Any, seed: int = 1) -> tuple[torch.nn.Module, torch.nn.Module, tuple[Any, ...]]:
    reference, call = model_and_call(reference_class(), case, seed)
    model, _ = model_and_call(ModelNew, case, seed)
    return reference, model, call


def same(test: unittest.TestCase, found: Any, wanted: Any) -> None:
    for y, z in zip(original.leaves(found), original.leaves(wanted), strict=True):
        test.assertTrue(torch.equal(y, z) or torch.allclose(y, z, rtol=1e-3, atol=1e-4, equal_nan=True))


class Results(unittest.TestCase):
    def test_the_kernel_runs_on_this_machine(self) -> None:
        if not HAS_KERNEL:
            self.skipTest(f"the compiled kernel cannot run here: python -m {PLAN.name} build")
        _, model, call = both(PLAN.cases[0])
        self.assertTrue(JUDGED.usable)
        values = operator_arguments(model, call, {})
        assert values is not None
        with mock.patch.object(original, "call", side_effect=AssertionError("the reference was called")):
            operator(*values)

    def test_judged_shapes_are_within_the_tolerance(self) -> None:
        for case in PLAN.cases:
            for seed in (1, 2, 3):
                with self.subTest(case=case.name, seed=seed):
                    reference, model, call = both(case, seed)
                    with torch.no_grad():
                        self.assertEqual(errors(reference, call, original.leaves(model(*call))), [])

    def test_parameters_and_state_are_those_of_the_reference(self) -> None:
        reference, model, _ = both(PLAN.cases[0])
        self.assertEqual(list(reference.state_dict()), list(model.state_dict()))
        model.load_state_dict(reference.state_dict())

    def test_other_arguments_are_served_by_the_reference(self) -> None:
        values = drawn(PLAN.cases[0], 1)
        for i in FLOATING:
            with self.subTest(argument=kevolve_package.plan.GIVEN[i].name):
                other = list(values)
                other[i] = other[i].double()
                self.assertIsNone(judged_for(other))
        reference, model, call = both(PLAN.cases[0])
        double = [x.double() if isinstance(x, torch.Tensor) and x.dtype.is_floating_point else x for x in call]
        with torch.no_grad():
            same(self, model.double()(*double), reference.double()(*double))

    def test_other_shapes_are_served_by_the_reference(self) -> None:
        reference, model, call = both(PLAN.cases[0])
        served = 0
        for i, x in enumerate(call):
            if not isinstance(x, torch.Tensor) or x.dim() == 0:
                continue
            more = [torch.cat([y, y]) if isinstance(y, torch.Tensor) and y.dim() > 0 else y for y in call]
            for other in ([*call[:i], torch.cat([x, x]), *call[i + 1 :]], more):
                try:
                    wanted = reference(*other)
                except (RuntimeError, IndexError, ValueError):
                    with self.assertRaises((RuntimeError, IndexError, ValueError)):
                        model(*other)
                    continue
                same(self, model(*other), wanted)
                served += 1
        if served == 0:
            self.skipTest("the reference takes no other shape")

    def test_integers_outside_the_judged_range_are_served_by_the_reference(self) -> None:
        values = drawn(PLAN.cases[0], 1)
        places = [i for i, a in enumerate(kevolve_package.plan.GIVEN) if a.fill["distribution"] == "integer"]
        places = [i for i in places if not values[i].is_floating_point() and values[i].dtype != torch.bool and values[i].numel()]
        if not places:
            self.skipTest("the operator takes no integers")
        for i in places:
            other = [x.clone() if isinstance(x, torch.Tensor) else x for x in values]
            other[i].flatten()[0] = int(kevolve_package.plan.GIVEN[i].fill["high"]) + 1
            with mock.patch.object(original, "call", side_effect=ArithmeticError), self.assertRaises(ArithmeticError):
                operator(*other)

    def test_views_are_right(self) -> None:
        reference, model, call = both(PLAN.cases[0])

        def strided(x: torch.Tensor) -> torch.Tensor:
            return torch.stack([x, x], dim=-1)[..., 0]

        def shifted(x: torch.Tensor) -> torch.Tensor:  # contiguous, and not aligned
            return torch.cat([x.flatten()[:1], x.flatten()])[1:].view(x.shape)
        for made in (strided, shifted):
            views = [made(x) if isinstance(x, torch.Tensor) and x.numel() > 0 else x for x in call]
            with self.subTest(view=made.__name__), torch.no_grad():
                self.assertEqual(errors(reference, call, original.leaves(model(*views))), [])


class Gradients(unittest.TestCase):
    def loss(self, model: torch.nn.Module, call: tuple[Any, ...], weights: list[torch.Tensor]) -> torch.Tensor:
        outputs = original.leaves(model(*call))
        return sum(((y * w).sum() for y, w in zip(outputs, weights) if y.is_floating_point()), torch.zeros(()))

    def leaves_of(self, model: torch.nn.Module, call: tuple[Any, ...]) -> list[torch.Tensor]:
        inputs = [x for x in call if isinstance(x, torch.Tensor) and x.is_floating_point()]
        for x in inputs:
            x.requires_grad_()
        return [*inputs, *model.parameters()]

    def test_gradients_are_those_of_the_reference_and_of_differences(self) -> None:
        reference, model, call = both(PLAN.cases[0])
        torch.manual_seed(3)
        weights = [torch.randn_like(y) for y in original.leaves(reference(*call))]
        wanted_leaves, found_leaves = self.leaves_of(reference, call), self.leaves_of(model, call)
        loss = self.loss(reference, call, weights)
        if not loss.requires_grad:
            self.skipTest("the operator has no gradients")
        wanted = torch.autograd.grad(loss, wanted_leaves, allow_unused=True)
        found = torch.autograd.grad(self.loss(model, call, weights), found_leaves, allow_unused=True)
        for g, w in zip(found, wanted, strict=True):
            self.assertEqual(g is None, w is None)
            if g is not None and w is not None:
                scale = float(w.abs().max()) + 1e-6
                self.assertLessEqual(float((g - w).abs().max()), 2e-3 * scale)
        self.differences(reference, call, weights, found)

    def differences(self, reference: Any, call: Any, weights: list[torch.Tensor], found: Any) -> None:
        """Compares along one direction with central differences of the reference in float64."""
        exact = copy.deepcopy(reference).double()
        values = [x.detach().double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in call]
        heavy = [w.double() for w in weights]
        inputs = [x for x in values if isinstance(x, torch.Tensor) and x.is_floating_point()]
        directions = [torch.randn_like(x) for x in inputs]
        try:
            exact(*values)
        except RuntimeError:
            return  # it mixes in tensors of its own: there is no exact result
        slopes = []
        with torch.no_grad():
            for step in (1e-5, 1e-6):
                ends = []
                for sign in (step, -step):
                    moved = iter([x + sign * d for x, d in zip(inputs, directions)])
                    given = [next(moved) if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in values]
                    ends.append(float(self.loss(exact, tuple(given), heavy)))
                slopes.append((ends[0] - ends[1]) / (2 * step))
        if abs(slopes[0] - slopes[1]) > 1e-3 * (abs(slopes[0]) + 1):
            return  # not differentiable along this direction
        ours = sum(float((g.double() * d).sum()) for g, d in zip(found, directions) if g is not None)
        room = sum(float((g.double() * d).abs().sum()) for g, d in zip(found, directions) if g is not None)
        self.assertLessEqual(abs(ours - slopes[0]), 1e-4 * (room + 1))


    def test_gradients_can_be_differentiated(self) -> None:
        found = []
        reference, model, call = both(PLAN.cases[0])
        for module in (reference, model):
            leaves = self.leaves_of(module, call)
            loss = sum((y.square().sum() for y in original.leaves(module(*call)) if y.is_floating_point()), torch.zeros(()))
            try:
                once = [g for g in torch.autograd.grad(loss, leaves, create_graph=True, allow_unused=True) if g is not None]
                twice = torch.autograd.grad(sum(g.square().sum() for g in once), leaves, allow_unused=True)
            except RuntimeError as error:
                if module is reference:
                    self.skipTest(f"the reference cannot be differentiated twice: {error}")
                raise
            found.append(twice)
        for w, g in zip(*found, strict=True):
            self.assertEqual(g is None, w is None)
            if g is not None and w is not None:
                self.assertLessEqual(float((g - w).abs().max()), 5e-3 * (float(w.abs().max()) + 1e-6))

    def test_transforms_are_served_by_the_reference(self) -> None:
        reference, model, call = both(PLAN.cases[0])
        i = next((i for i, x in enumerate(call) if isinstance(x, torch.Tensor) and x.is_floating_point()), None)
        if i is None:
            self.skipTest("the operator takes no floating input")

        def first(module: torch.nn.Module) -> Any:
            return lambda x: original.leaves(module(*call[:i], x, *call[i + 1 :]))[0].double().sum()

        try:
            wanted = torch.func.grad(first(reference))(call[i]), torch.func.jvp(first(reference), (call[i],), (call[i],))[1]
        except RuntimeError as error:
            self.skipTest(f"the reference cannot be transformed: {error}")
        same(self, torch.func.grad(first(model))(call[i]), wanted[0])
        same(self, torch.func.jvp(first(model), (call[i],), (call[i],))[1], wanted[1])


class Tracing(unittest.TestCase):
    def test_torch_checks_the_operator(self) -> None:
        values = [
            x.detach().clone().requires_grad_() if i in FLOATING and a.origin in ("input", "parameter") else x
            for i, (a, x) in enumerate(zip(kevolve_package.plan.GIVEN, drawn(PLAN.cases[0], 1)))
        ]
        torch.library.opcheck(operator, tuple(values))

    def test_it_compiles_without_a_graph_break(self) -> None:
        reference, model, call = both(PLAN.cases[0])
        torch._dynamo.reset()
        with torch.no_grad():
            found = torch.compile(model, fullgraph=True, backend="aot_eager")(*call)
            self.assertEqual(errors(reference, call, original.leaves(found)), [])

    def test_export_holds_the_operator(self) -> None:
        reference, model, call = both(PLAN.cases[0])
        with torch.no_grad():
            program = torch.export.export(model, call)
            self.assertEqual(errors(reference, call, original.leaves(program.module()(*call))), [])
        if JUDGED.usable:
            names = [str(n.target) for n in program.graph.nodes]
            self.assertTrue(any(n.startswith(f"{PLAN.name}.{PLAN.name}") for n in names), names)


class Use(unittest.TestCase):
    def test_threads_call_it_at_once(self) -> None:
        calls = [both(PLAN.cases[0], seed) for seed in range(4)]
        wrong: list[str] = []

        def work(reference: torch.nn.Module, model: torch.nn.Module, call: tuple[Any, ...]) -> None:
            with torch.no_grad():
                for _ in range(5):
                    wrong.extend(errors(reference, call, original.leaves(model(*call))))

        threads = [threading.Thread(target=work, args=c) for c in calls]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_it_survives_copies_pickles_and_files(self) -> None:
        reference, model, call = both(PLAN.cases[0])
        file = io.BytesIO()
        torch.save(model, file)
        file.seek(0)
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.load(file, weights_only=False)):
            with torch.no_grad():
                self.assertEqual(errors(reference, call, original.leaves(other(*call))), [])

    def test_a_changed_setting_is_served_by_the_reference(self) -> None:
        _, model, call = both(PLAN.cases[0])
        part = next((m for m in model.modules() if hasattr(m, "eps")), None)
        if part is None:
            self.skipTest("the module has no eps")
        part.eps = 0.5
        reference, _ = model_and_call(reference_class(), PLAN.cases[0], 1)
        next(m for m in reference.modules() if hasattr(m, "eps")).eps = 0.5
        with torch.no_grad():
            same(self, model(*call), reference(*call))

    def test_another_processor_gets_the_reference_and_one_warning(self) -> None:
        if not PLAN.kernels[0].features:
            self.skipTest("the object needs nothing of a processor")
        with (
            mock.patch.object(cpu_object, "processor_features", return_value=frozenset()),
            mock.patch.object(cpu_object, "own_build", return_value=original.PLAN.kernels[0].object / "absent"),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("always")
            self.assertIsNone(cpu_object.load())
        self.assertEqual(len(caught), 1)
        self.assertIn(f"python -m {PLAN.name} build", str(caught[0].message))


if __name__ == "__main__":
    unittest.main()
