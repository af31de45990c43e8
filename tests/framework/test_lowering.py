"""Lowered C against torch: PyTorch's own samples of the listed operators, ten modules, and what is refused."""

from __future__ import annotations

import os
import random
import sys
import unittest
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "backends/framework/python"))

try:
    import torch
    import torch.testing
    from kevolve_torch.lowering import Unsupported, index, lower, samples
    from kevolve_torch.run_c import Compiled
    from modules import cases

    WITHOUT = ""
except ImportError as missing:
    WITHOUT = f"no {missing.name} in this Python (cmake -DKEVOLVE_TORCH_PYTHON=…)"
else:
    try:
        import expecttest  # noqa: F401

        NO_SAMPLES = ""
    except ImportError as missing:
        NO_SAMPLES = f"no {missing.name} in this Python: pip install -r tests/framework/requirements.txt"

LONG = os.environ.get("KEVOLVE_LONG") == "1"
EVERY = 1 if LONG else 21  # of the operators; the long tier takes all
SAMPLES = 4 if LONG else 1
# torch chooses among equal elements as it likes: of whole numbers the values are compared, not their places.
TIES = ("kthvalue", "median", "topk", "nn.functional.max_pool1d", "mode", "msort", "aminmax")


def check(case: unittest.TestCase, got: list[Any], wanted: list[Any], values_only: bool = False) -> None:
    case.assertEqual(len(got), len(wanted))
    for n, (a, b) in enumerate(zip(got, wanted, strict=True)):
        case.assertEqual(list(a.shape), list(b.shape))
        if values_only and n:
            continue
        if b.dtype.is_floating_point:
            torch.testing.assert_close(a, b.detach(), rtol=2e-5, atol=2e-5, equal_nan=True)
        else:
            case.assertTrue(torch.equal(a, b), f"output {n}")


@unittest.skipIf(WITHOUT, WITHOUT)
class Lowering(unittest.TestCase):
    def setUp(self) -> None:
        warnings.simplefilter("ignore")

    def lowered(self, module: Any, inputs: tuple[Any, ...], **named: Any) -> Any:
        return lower(torch.export.export(module.eval(), inputs, strict=False, **named), "f")

    def test_ten_modules_compute_what_torch_computes(self) -> None:
        made = []
        for name, module, inputs in cases():
            exported = torch.export.export(module, inputs)
            made.append((name, module, inputs, exported, lower(exported, name)))
        compiled = Compiled([m[-1].text for m in made])
        for name, module, inputs, exported, function in made:
            with self.subTest(module=name), torch.no_grad():
                wanted = module(*inputs)
                wanted = list(wanted) if isinstance(wanted, tuple) else [wanted]
                check(self, compiled.call(function, samples.inputs_of(function, exported, list(inputs))), wanted)

    def test_simplified_indices_have_the_same_value(self) -> None:
        chance = random.Random(5)
        kept = 0
        for _ in range(400):
            chosen = [index.variable(d, chance.choice((2, 3, 4, 6, 8))) for d in range(3)]
            place = index.constant(chance.choice((0, 0, 1, 5)))
            for v in chosen:
                place = place + chance.choice((1, 2, 3, 4, 8, 12, 24)) * index.of(v)
            divisor = chance.choice((2, 3, 4, 6, 8, 24))
            quotient = place // divisor
            factor = chance.choice((1, 2))
            rest = (place % divisor) // factor
            kept += any(isinstance(a, index.Quotient) for a in quotient.atoms())
            for _ in range(20):
                at = {v: chance.randrange(v.extent.value) for v in chosen}
                whole = value_of(place, at)
                self.assertEqual(value_of(quotient, at), whole // divisor, f"({place}) / {divisor}")
                self.assertEqual(value_of(rest, at), whole % divisor // factor, f"({place}) % {divisor} / {factor}")
        self.assertLess(kept, 330)  # many quotients can be resolved

    def test_unflattened_places_flatten_to_themselves(self) -> None:
        i = index.variable(0, 24)
        parts = index.unflatten(index.of(i), [index.constant(n) for n in (2, 3, 4)])
        self.assertEqual(index.flatten(parts, [2, 3, 4]), index.of(i))

    def test_parameters_are_named_by_the_module_and_come_after_the_inputs(self) -> None:
        _, module, inputs = cases()[0]
        function = self.lowered(module, inputs)
        self.assertEqual([(a.name, a.role, a.origin) for a in function.arguments],
                         [("x", "input", "input 0"), ("linear_weight", "weight", "parameter linear.weight"),
                          ("linear_bias", "weight", "parameter linear.bias"), ("norm_weight", "weight", "parameter norm.weight"),
                          ("norm_bias", "weight", "parameter norm.bias"), ("out", "output", "output 0")])  # fmt: skip

    def test_rows_stay_in_one_loop(self) -> None:
        _, module, inputs = cases()[1]
        text = self.lowered(module, inputs).text
        self.assertEqual(text.count("for (int64_t i = 0; i < 7; ++i)"), 1, text)
        self.assertIn("float weight[29];", text)
        self.assertNotIn("%", text)

    def test_a_product_with_a_large_factor_stands_alone_so_that_it_can_be_tiled(self) -> None:
        def loops_of(cols: int) -> str:
            module = torch.nn.Sequential(torch.nn.Linear(cols, cols), torch.nn.GELU(), torch.nn.LayerNorm(cols))
            return self.lowered(module, (torch.randn(8, cols),)).text

        small, large = loops_of(64), loops_of(512)
        rows = "for (int64_t i = 0; i < 8; ++i)"
        self.assertEqual(small.count(rows), 1, small)
        self.assertEqual(large.count(rows), 2, large)
        self.assertRegex(large, rows.replace("(", r"\(").replace(")", r"\)").replace("+", r"\+") + r"\n    for .*{\n      float sum = ")

    def test_a_causal_row_ends_at_its_diagonal(self) -> None:
        _, module, inputs = cases()[2]
        self.assertRegex(self.lowered(module, inputs).text, r"for \(int64_t (\w) = 0; \1 < \w \+ 1; \+\+\1\)")

    def test_sizes_that_vary_become_parameters(self) -> None:
        n = torch.export.Dim("n", min=2, max=100)
        _, module, inputs = cases()[0]
        exported = torch.export.export(module, inputs, strict=False, dynamic_shapes={"x": {0: n}})
        function = lower(exported, "f")
        self.assertEqual(sum(a.role == "size" for a in function.arguments), 1)
        compiled = Compiled([function.text])
        for length in (2, 7):
            x = torch.randn(length, 5, 33)
            with torch.no_grad():
                check(self, compiled.call(function, samples.inputs_of(function, exported, [x]), [length]), [module(x)])

    def test_half_precision_is_computed_in_float(self) -> None:
        for dtype in (torch.float16, torch.bfloat16):
            with self.subTest(dtype=str(dtype)):
                x, y = torch.randn(5, 33).to(dtype), torch.randn(33).to(dtype)
                module = Function(lambda a, b: torch.softmax(a * b, -1))
                exported = torch.export.export(module, (x, y))
                function = lower(exported, "f")
                got = Compiled([function.text]).call(function, [x, y])[0]
                torch.testing.assert_close(got.float(), torch.softmax(x.float() * y.float(), -1), rtol=1e-2, atol=1e-3)
                self.assertEqual(function.oracle is None, dtype == torch.float16)

    def test_a_nan_stays_one_in_maxima_and_minima(self) -> None:
        x = torch.randn(4, 6, 8)
        x[1, 2, 3], x[3, 0, 0] = float("nan"), float("inf")
        y = torch.randn(4, 6, 8)
        y[2, 2, 2] = float("nan")
        cases = [lambda a, b: (torch.amax(a, -1), torch.amin(b, (0, 2))), lambda a, b: (torch.max(a), torch.min(b)),
                 lambda a, b: (torch.maximum(a, b), torch.minimum(a, b), torch.fmax(a, b)), lambda a, b: torch.softmax(a, -1),
                 lambda a, b: torch.nn.functional.max_pool2d(a, 3, 1, 1)]  # fmt: skip
        made = []
        for n, function in enumerate(cases):
            module = Function(function)
            exported = torch.export.export(module, (x, y))
            made.append((module, lower(exported, f"f{n}")))
        compiled = Compiled([f.text for _, f in made])
        for module, f in made:
            wanted = module(x, y)
            values = [{"input 0": x, "input 1": y}[a.origin] for a in f.arguments if a.role == "input"]
            check(self, compiled.call(f, values), list(wanted) if isinstance(wanted, tuple) else [wanted])

    def test_an_operator_that_cannot_be_lowered_is_named_with_its_line(self) -> None:
        module = Function(lambda x: torch.linalg.matrix_exp(x) + torch.rand(3, 3))
        with self.assertRaises(Unsupported) as caught:
            lower(torch.export.export(module, (torch.eye(3),), strict=False), "f")
        told = str(caught.exception)
        self.assertEqual(len(caught.exception.refusals), 2, told)
        self.assertIn("aten.rand", told)
        self.assertIn("draws random numbers", told)
        self.assertRegex(told, r"test_lowering\.py:\d+: ")

    def test_training_batch_norm_is_refused(self) -> None:
        module = torch.nn.BatchNorm1d(4)
        with self.assertRaisesRegex(Unsupported, "buffer running_mean: is changed by forward"):
            lower(torch.export.export(module.train(), (torch.randn(3, 4),)), "f")

    @unittest.skipIf(not WITHOUT and NO_SAMPLES, "" if WITHOUT else NO_SAMPLES)
    def test_the_list_has_160_operators(self) -> None:
        names = [e.name for e in samples.entries()]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(len(names), 160)

    @unittest.skipIf(not WITHOUT and NO_SAMPLES, "" if WITHOUT else NO_SAMPLES)
    def test_listed_operators_compute_what_torch_computes(self) -> None:
        torch.manual_seed(3)
        pending: list[Any] = []
        counts: Counter[str] = Counter()
        for entry in samples.entries()[::EVERY]:
            op = samples.opinfos()[entry.opinfo]
            for dtype in entry.dtypes:
                for number, sample in enumerate(samples.samples(op, samples.DTYPES[dtype], SAMPLES)):
                    with self.subTest(operator=entry.name, dtype=dtype, sample=number):
                        exported = torch.export.export(sample.call, tuple(sample.tensors), strict=False)
                        function = lower(exported, f"f{len(pending)}")
                        pending.append((entry, dtype, number, sample, exported, function))
                        counts[dtype] += 1
        compiled = Compiled([p[-1].text for p in pending])
        for entry, dtype, number, sample, exported, function in pending:
            with self.subTest(operator=entry.name, dtype=dtype, sample=number):
                got = compiled.call(function, samples.inputs_of(function, exported, sample.tensors))
                check(self, got, sample.results(), dtype != "f32" and entry.opinfo.startswith(TIES))
        print(f"  {len(pending)} samples of {len({p[0].name for p in pending})} operators: {dict(counts)}", flush=True)


def value_of(p: Any, at: dict[Any, int]) -> int:
    """Returns the number that an index expression is for these loop indices."""
    total = 0
    for atoms, factor in p.terms.items():
        for a in atoms:
            inner = a in at
            factor *= at[a] if inner else value_of(a.numerator, at) // value_of(a.denominator, at)
        total += factor
    return total


if not WITHOUT:

    class Function(torch.nn.Module):
        """A function as a module."""

        def __init__(self, function: Any) -> None:
            super().__init__()
            self.function = function

        def forward(self, *tensors: Any) -> Any:
            return self.function(*tensors)


if __name__ == "__main__":
    unittest.main()
