"""Shared by the tests: a module beside its reference, with the arguments of a call."""

from __future__ import annotations

import unittest
from typing import Any

import torch
from kevolve_package import ModelNew, cpu_object, original
from kevolve_package.inputs import model_and_call, reference_class
from kevolve_package.plan import GIVEN

HAS_KERNEL = cpu_object.CPU is not None
FLOATING = [i for i, a in enumerate(GIVEN) if a.is_tensor and a.dtype.is_floating_point]


def both(case: Any, seed: int = 1) -> tuple[torch.nn.Module, torch.nn.Module, tuple[Any, ...]]:
    reference, call = model_and_call(reference_class(), case, seed)
    model, _ = model_and_call(ModelNew, case, seed)
    return reference, model, call


def same(test: unittest.TestCase, found: Any, wanted: Any) -> None:
    for y, z in zip(original.leaves(found), original.leaves(wanted), strict=True):
        test.assertTrue(torch.equal(y, z) or torch.allclose(y, z, rtol=1e-3, atol=1e-4, equal_nan=True))
