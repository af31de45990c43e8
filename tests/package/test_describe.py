"""A module with its inputs, written as a file that stands alone."""

from __future__ import annotations

import math
import tempfile
import unittest
from pathlib import Path
from typing import Any

import kevolve

try:
    import torch
    from described_modules import Forgetful, Model, scaled
    from torch import nn
except ImportError:
    WITHOUT = "no torch in this Python (cmake -DKEVOLVE_TORCH_PYTHON=…)"
else:
    WITHOUT = ""

from kevolve.describe import check, check_mode, constructor_text, describe, input_text, load
from kevolve.source import standalone


@unittest.skipIf(WITHOUT, WITHOUT)
class Describe(unittest.TestCase):
    def described(self, target: Any, inputs: tuple[Any, ...], init: Any = None) -> Any:
        folder = tempfile.TemporaryDirectory(prefix="kevolve-describe-")
        self.addCleanup(folder.cleanup)
        file = Path(folder.name) / "module.py"
        file.write_text(describe(target, inputs, init), encoding="utf-8")
        check(target, inputs, file)
        made = load(file, "described")
        got = made.get_inputs()
        self.assertEqual(made.get_init_inputs(), [])
        self.assertEqual([type(x) for x in got], [type(x) for x in inputs])
        for x, y in zip(got, inputs):
            if isinstance(y, torch.Tensor):
                self.assertEqual((x.shape, x.dtype), (y.shape, y.dtype))
        return made

    def test_a_module_of_a_file_with_all_that_it_uses(self) -> None:
        made = self.described(Model(8), (torch.randn(4, 8),))
        self.assertNotEqual(made.KevolveModel.__module__, "described_modules")
        self.assertEqual(list(made.KevolveModel().state_dict()), list(Model(8).state_dict()))

    def test_layers_of_pytorch(self) -> None:
        self.described(nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Sequential(nn.LayerNorm(16), nn.Linear(16, 4, bias=False))),
                       (torch.randn(4, 8),))
        self.described(nn.Conv2d(3, 8, 3, padding=1), (torch.randn(1, 3, 8, 8),))
        self.described(nn.BatchNorm1d(8).eval(), (torch.randn(4, 8),))

    def test_a_function(self) -> None:
        made = self.described(scaled, (torch.randn(4, 8),))
        self.assertTrue(torch.equal(made.KevolveModel()(torch.ones(2)), scaled(torch.ones(2))))

    def test_the_mode_is_kept(self) -> None:
        module = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
        self.assertFalse(self.described(module.eval(), (torch.randn(4, 8),)).KevolveModel().training)
        self.assertTrue(self.described(nn.Linear(8, 8), (torch.randn(4, 8),)).KevolveModel().training)

    def test_a_mode_that_changes_the_result_is_refused(self) -> None:
        module = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
        with self.assertRaisesRegex(kevolve.KevolveError, r"call its eval\(\) first"):
            check_mode(module, (torch.randn(4, 8),))
        check_mode(module.eval(), (torch.randn(4, 8),))
        check_mode(nn.Linear(8, 8), (torch.randn(4, 8),))

    def test_arguments_that_a_module_does_not_keep_are_asked_for(self) -> None:
        with self.assertRaisesRegex(kevolve.KevolveError, "'rows', which the module does not keep: say it, as init="):
            describe(Forgetful(8), (torch.randn(8),))
        self.described(Forgetful(8), (torch.randn(8),), ([8], {}))
        with self.assertRaisesRegex(kevolve.KevolveError, "has other parameters"):
            self.described(Forgetful(8), (torch.randn(8),), ([9], {}))

    def test_a_changed_attribute_is_found(self) -> None:
        module = nn.LayerNorm(8)
        module.eps = 0.5
        self.assertIn("eps=0.5", constructor_text(module, None))
        module = Model(8)
        module.norm.eps = 0.5
        with self.assertRaisesRegex(kevolve.KevolveError, "gives another result"):
            self.described(module, (torch.randn(4, 8),))

    def test_a_function_that_cannot_be_written_to_a_file_is_refused(self) -> None:
        local = 2.0

        def closed(x: Any) -> Any:
            return x * local

        with self.assertRaisesRegex(kevolve.KevolveError, "uses 'local' of the function that it is defined in"):
            describe(closed, (torch.randn(4),))
        for wrong, why in ((torch.tensor([math.nan]), "infinities or NaN"), (torch.zeros(2, dtype=torch.complex64), "complex"),
                           ({1: 2}, "type dict")):
            with self.assertRaisesRegex(kevolve.KevolveError, why):
                input_text(wrong)
        with self.assertRaisesRegex(kevolve.KevolveError, "neither a torch.nn.Module nor a plain function"):
            describe(3, ())

    def test_inputs_keep_their_range(self) -> None:
        space = {"torch": torch}
        for given in (torch.randint(3, 9, (50, 4)), torch.rand(50, 4) * 7, torch.randn(50, 4).half(), torch.rand(50) < 0.5):
            made = eval(input_text(given), space)
            self.assertEqual((made.shape, made.dtype), (given.shape, given.dtype))
            if made.dtype == torch.int64 or float(given.double().min()) >= 0:
                self.assertGreaterEqual(float(made.double().min()), 0.0)
                self.assertLessEqual(float(made.double().max()), float(given.double().max()) + 1e-3)

    def test_the_file_needs_nothing_of_this_one(self) -> None:
        text = standalone([Model], "")
        self.assertNotIn("described_modules", text)
        for part in ("import math", "FACTOR = 3.0", "WIDTHS = (4, 8)", "def scaled", "class Base", "import torch.nn.functional as F"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
