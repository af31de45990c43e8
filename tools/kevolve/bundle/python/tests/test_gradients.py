"""Gradients, beside those of the reference and beside differences."""

from __future__ import annotations

import copy
import unittest
from typing import Any

import torch
from kevolve_package import original
from package_cases import FIRST, both, same


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
        reference, model, call = both(FIRST)
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
        rounding = max((torch.finfo(g.dtype).eps for g in found if g is not None), default=0.0)  # of half precision
        self.assertLessEqual(abs(ours - slopes[0]), max(1e-4, 4 * rounding) * (room + 1))

    def test_gradients_can_be_differentiated(self) -> None:
        found = []
        reference, model, call = both(FIRST)
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
                finite = w[w.isfinite()].abs()
                room = 5e-3 * (float(finite.max()) + 1e-6) if finite.numel() else 0.0
                self.assertTrue(torch.allclose(g, w, rtol=0.0, atol=room, equal_nan=True))

    def test_transforms_are_served_by_the_reference(self) -> None:
        reference, model, call = both(FIRST)
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


if __name__ == "__main__":
    unittest.main()
