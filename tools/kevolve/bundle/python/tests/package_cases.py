"""Shared by the tests: a module beside its reference, with the arguments of a call."""

from __future__ import annotations

import math
import unittest
from typing import Any

import torch
from kevolve_package import PLAN, ModelNew, cpu_object, original
from kevolve_package.cuda_object import CUDA
from kevolve_package.guards import CASES as JUDGED_CASES
from kevolve_package.inputs import DEVICE, model_and_call, reference_class
from kevolve_package.plan import GIVEN

MODERATE = 2**18  # elements of the arguments of a case that a processor computes in a moment
ON_GPU = CUDA is not None and DEVICE == "cuda"
HAS_KERNEL = cpu_object.CPU is not None if CUDA is None else ON_GPU and CUDA.usable()
FLOATING = [i for i, a in enumerate(GIVEN) if a.is_tensor and a.dtype.is_floating_point]


def elements(i: int) -> int:
    return sum(math.prod(shape) for shape in JUDGED_CASES[i].shapes)


# A package for GPUs is tested without one at its smaller shapes; the reference computes them there.
CASES = [c for i, c in enumerate(PLAN.cases) if CUDA is None or ON_GPU or elements(i) <= MODERATE]
_SERVED = [i for i, c in enumerate(PLAN.cases) if c.kernel is not None] or [0]
_MODERATE = [i for i in _SERVED if elements(i) <= MODERATE]
_FIRST = 0 if CUDA is None else max(_MODERATE, key=elements) if _MODERATE else min(_SERVED, key=elements)
FIRST = PLAN.cases[_FIRST]


def both(case: Any, seed: int = 1) -> tuple[torch.nn.Module, torch.nn.Module, tuple[Any, ...]]:
    reference, call = model_and_call(reference_class(), case, seed)
    model, _ = model_and_call(ModelNew, case, seed)
    return reference, model, call


def same(test: unittest.TestCase, found: Any, wanted: Any) -> None:
    for y, z in zip(original.leaves(found), original.leaves(wanted), strict=True):
        test.assertTrue(torch.equal(y, z) or torch.allclose(y, z, rtol=1e-3, atol=1e-4, equal_nan=True))
