"""Tests the PyTorch references on the CPU: results, accuracy, and the errors that their tolerances reject."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import unittest
from collections.abc import Callable, Iterator
from typing import Any

try:
    import naive
    import numpy as np
    import torch
    from draws import DTYPES, Draw, draw
except ImportError as missing:
    WITHOUT = f"no {missing.name} in this Python (cmake -DKEVOLVE_TORCH_PYTHON=…)"
else:
    WITHOUT = ""
from task_file import Task, read, shipped, source_of, tolerance_of, written

ROOM = 0.7  # share of the tolerance for the reference and other honest results
# Declared shapes, reduced so that a CPU takes seconds; the sums keep their lengths.
CUTS = {"batch": 2, "heads": 1, "rows": 64, "users": 16, "count": 4096}
OWN_CUTS = {"gemm_f16": {"m": 96, "n": 128}, "mbdt": {"batch": 512}}


@functools.cache
def module_of(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"reference_{name}", source_of(shipped()[name]))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def entry_of(name: str) -> Callable[..., Any]:
    return getattr(module_of(name), shipped()[name]["reference"]["entry"])


def promoted(values: dict[str, Any], dtype: Any) -> dict[str, Any]:
    """Returns floating arrays in another precision."""
    return {n: v.astype(dtype) if isinstance(v, np.ndarray) and v.dtype.kind == "f" else v for n, v in values.items()}


def call(function: Callable[..., Any], values: dict[str, Any]) -> list[np.ndarray]:
    """Calls a reference as the harness does."""
    wanted = inspect.signature(function).parameters
    given = {n: torch.from_numpy(v) if isinstance(v, np.ndarray) else v for n, v in values.items() if n in wanted}
    out = function(**given)
    out = out if isinstance(out, tuple) else (out,)
    assert all(t.is_contiguous() for t in out)
    return [t.numpy() for t in out]


def naively(name: str, values: dict[str, Any]) -> list[np.ndarray]:
    out = getattr(naive, shipped()[name]["reference"]["entry"])(**values)
    return list(out) if isinstance(out, tuple) else [out]


def of_tolerance(task: Task, output: int, answer: np.ndarray, exact: np.ndarray, largest: float = 0.0) -> float:
    """Returns the largest error in units of the tolerance. In edge cases, the largest magnitude counts."""
    relative, absolute = tolerance_of(task, written(task)[output])
    if answer.shape != exact.shape or not np.isfinite(answer).all():
        return np.inf
    if relative == 0.0:
        return 0.0 if np.array_equal(answer, exact) else np.inf
    allowed = max(absolute, relative * largest) + relative * np.abs(exact)
    return float(np.max(np.abs(answer.astype(np.float64) - exact) / allowed, initial=0.0))


def cut(name: str, shape: dict[str, Any]) -> dict[str, Any]:
    limits = {**CUTS, **OWN_CUTS.get(name, {})}
    return {k: min(v, limits.get(k, v)) for k, v in shape.items()}


@functools.cache
def cases(name: str, held_out: bool) -> list[tuple[Draw, list[np.ndarray]]]:
    """Returns draws with their exact answers, computed by the reference in double."""
    task, out, seen = shipped()[name], [], []
    for number, shape in enumerate(s for s in task["shape"] if s.get("held_out", False) == held_out):
        shape = cut(name, shape)
        if shape not in seen:
            d = draw(task, shape, seed=number)
            out.append((d, call(entry_of(name), promoted(d.arguments(), np.float64))))
            seen.append(shape)
    return out


def all_cases(name: str) -> list[tuple[Draw, list[np.ndarray]]]:
    return cases(name, False) + cases(name, True)


def nulls(name: str, d: Draw, exact: list[np.ndarray], output: int) -> Iterator[tuple[str, np.ndarray]]:
    """Returns answers that need no work."""
    task = shipped()[name]
    dtype, shape = DTYPES[written(task)[output]["dtype"]], exact[output].shape
    yield "zeros", np.zeros(shape, dtype)
    if exact[output].size > 1:  # a single number is its own mean
        yield "a constant", np.full(shape, exact[output].mean()).astype(dtype)
    for a in read(task):
        yield f"a copy of {a['name']}", np.resize(d.arrays[a["name"]], shape).astype(dtype)
    other = draw(task, d.sizes, seed=1000)
    yield "the previous output", np.resize(call(entry_of(name), other.arguments())[output], shape)


@unittest.skipIf(WITHOUT, WITHOUT)
class References(unittest.TestCase):
    def test_in_double_they_compute_what_is_meant(self) -> None:
        for name in shipped():
            for d, exact in all_cases(name):
                with self.subTest(task=name, **d.sizes):
                    for own, meant in zip(exact, naively(name, promoted(d.arguments(), np.float64)), strict=True):
                        self.assertEqual(own.dtype, meant.dtype)
                        np.testing.assert_allclose(own, meant, rtol=1e-10, atol=1e-12 * np.abs(meant).max(initial=1.0))

    def test_their_own_error_leaves_room_in_the_tolerance(self) -> None:
        for name, task in shipped().items():
            worst = 0.0
            for d, exact in all_cases(name):
                for i, answer in enumerate(call(entry_of(name), d.arguments())):
                    self.assertEqual(answer.dtype, DTYPES[written(task)[i]["dtype"]], name)
                    worst = max(worst, of_tolerance(task, i, answer, exact[i]))
            print(f"  {name}: the reference's error is {worst:.2g} of the tolerance")
            self.assertLess(worst, ROOM, name)

    def test_sums_in_single_precision_leave_room_in_the_tolerance(self) -> None:
        for name, task in shipped().items():
            worst = 0.0
            for d, exact in all_cases(name):
                for i, answer in enumerate(naively(name, promoted(d.arguments(), np.float32))):
                    rounded = answer.astype(DTYPES[written(task)[i]["dtype"]])
                    worst = max(worst, of_tolerance(task, i, rounded, exact[i]))
            print(f"  {name}: single precision's error is {worst:.2g} of the tolerance")
            self.assertLess(worst, ROOM, name)

    def test_products_of_tf32_are_within_the_convolution_s_tolerance(self) -> None:
        for d, exact in all_cases("conv1d_f32"):
            for half in (0x1000, 0):  # rounded, then truncated
                short = {n: ((v.view(np.uint32) + np.uint32(half)) & np.uint32(0xFFFFE000)).view(np.float32)
                         for n, v in d.arrays.items() if n != "bias"}
                answer = naively("conv1d_f32", {**d.arguments(), **short})[0]
                self.assertLess(of_tolerance(shipped()["conv1d_f32"], 0, answer, exact[0]), ROOM)

    def test_answers_that_took_no_work_are_refused(self) -> None:
        for name, task in shipped().items():
            nearest: list[tuple[float, str]] = []
            for i, output in enumerate(written(task)):
                off: dict[str, float] = {}
                for d, exact in cases(name, False):
                    for what, answer in nulls(name, d, exact, i):
                        off[what] = max(off.get(what, 0.0), of_tolerance(task, i, answer, exact[i]))
                for what, units in off.items():
                    self.assertGreater(units, 10.0, f"{name}: {what} as {output['name']}")
                nearest += [(units, what) for what, units in off.items()]
            print("  {1}: nearest without work is {0[1]}, {0[0]:.3g} times the tolerance off".format(min(nearest), name))

    def test_other_forms_of_a_reference_compute_the_same(self) -> None:
        for name, form in (("conv1d_f16", "conv1d_as_conv2d"), ("conv1d_f32", "conv1d_as_conv2d"),
                           ("optimized_fm_f16", "optimized_fm_as_published")):
            for d, exact in all_cases(name):
                answer = call(getattr(module_of(name), form), d.arguments())[0]
                self.assertLess(of_tolerance(shipped()[name], 0, answer, exact[0]), ROOM, form)

    def test_edges_stay_finite_and_within_the_tolerance(self) -> None:
        for name, task in shipped().items():
            for edge in sorted({e for a in task["argument"] for e in a.get("edge", [])} - {"cancellation"}):
                for shape in task["shape"]:
                    d = draw(task, cut(name, shape), seed=7, edge=edge)
                    exact = call(entry_of(name), promoted(d.arguments(), np.float64))
                    for i, answer in enumerate(call(entry_of(name), d.arguments())):
                        with self.subTest(task=name, edge=edge, **d.sizes):
                            largest = float(np.abs(exact[i]).max(initial=0.0))
                            self.assertLess(of_tolerance(task, i, answer, exact[i], largest), ROOM)

    def test_they_keep_no_state_and_change_no_input(self) -> None:
        for name in shipped():
            d, _ = cases(name, True)[-1]
            before = {n: v.copy() for n, v in d.arrays.items()}
            first = call(entry_of(name), d.arguments())
            call(entry_of(name), draw(shipped()[name], d.sizes, seed=5).arguments())
            for one, other in zip(first, call(entry_of(name), d.arguments()), strict=True):
                np.testing.assert_array_equal(one, other, name)
            for n, v in d.arrays.items():
                np.testing.assert_array_equal(v, before[n], f"{name}: {n}")

    def test_truncation_at_its_ends(self) -> None:
        truncate = entry_of("batch_event_truncate")
        empty = np.array([], np.int64)
        for outer, inner, values, features, keep, expected in (
            ([0, 0], [], [], 3, 2, ([0, 0], [], [], [0], [0])),
            ([2, 1], [0, 3, 1], [7, 8, 9, 4], 1, 5, ([2, 1], [0, 3, 1], [7, 8, 9, 4], [3], [4])),
            ([2, 1], [2, 3, 1, 0, 1, 2], [1, 2, 3, 4, 5, 6, 7, 8, 9], 2, 1,
             ([1, 1], [2, 1, 0, 2], [1, 2, 6, 8, 9], [4], [5])),
            ([2, 1], [2, 3, 1], [1, 2, 3, 4, 5, 6], 1, 0, ([0, 0], [], [], [0], [0])),
        ):
            arrays = {n: np.array(v, np.int64) if v else empty
                      for n, v in (("outer", outer), ("inner", inner), ("values", values))}
            out = call(truncate, {**arrays, "features": features, "keep": keep})
            self.assertEqual(tuple(o.tolist() for o in out), expected)

    def test_published_examples(self) -> None:
        table, values = np.array([100, 200, 300, 400, 500]), np.array([100, 300, 500, 200, 999])
        self.assertEqual(call(entry_of("map_id"), {"table": table, "values": values})[0].tolist(), [1, 3, 5, 2, 0])
        x, borders = np.array([[0.1, 0.4, 0.8]], np.float32), np.array([[0.3, 0.6]], np.float32)
        bins = call(entry_of("mbdt"), {"x": x, "borders": borders, "offsets": np.array([10])})[0]
        self.assertEqual(bins.tolist(), [[10, 11, 12]])
        equal = call(entry_of("mbdt"), {"x": borders, "borders": borders, "offsets": np.array([0])})[0]
        self.assertEqual(equal.tolist(), [[0, 1]])


if __name__ == "__main__":
    unittest.main()
