"""Tracing, threads, copies, settings and other processors."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess
import sys
import threading
import unittest
import warnings
from typing import Any
from unittest import mock

import torch
from kevolve_package import PLAN, cpu_object, operator, original
from kevolve_package.comparison import errors
from kevolve_package.inputs import drawn, model_and_call, reference_class
from kevolve_package.model import JUDGED
from kevolve_package.plan import GIVEN
from package_cases import FIRST, FLOATING, both, same


class Tracing(unittest.TestCase):
    def test_torch_checks_the_operator(self) -> None:
        values = [
            x.detach().clone().requires_grad_() if i in FLOATING and a.origin in ("input", "parameter") else x
            for i, (a, x) in enumerate(zip(GIVEN, drawn(FIRST, 1)))
        ]
        torch.library.opcheck(operator, tuple(values))

    def test_it_compiles_without_a_graph_break(self) -> None:
        reference, model, call = both(FIRST)
        torch._dynamo.reset()
        with torch.no_grad():
            found = torch.compile(model, fullgraph=True, backend="aot_eager")(*call)
            self.assertEqual(errors(reference, call, original.leaves(found)), [])

    def test_export_holds_the_operator(self) -> None:
        reference, model, call = both(FIRST)
        with torch.no_grad():
            program = torch.export.export(model, call)
            self.assertEqual(errors(reference, call, original.leaves(program.module()(*call))), [])
        if JUDGED.usable:
            names = [str(n.target) for n in program.graph.nodes]
            self.assertTrue(any(n.startswith(f"{PLAN.name}.{PLAN.name}") for n in names), names)


class Use(unittest.TestCase):
    def trained(self, module: torch.nn.Module, call: tuple[Any, ...]) -> list[torch.nn.Parameter]:
        loss = sum((y.sum() for y in original.leaves(module(*call)) if y.is_floating_point()), torch.zeros(()))
        if loss.requires_grad:
            loss.backward()
        return list(module.parameters())

    def test_another_mode_is_served_by_the_reference(self) -> None:
        if JUDGED.state is None or not JUDGED.state.asks_for_mode():
            self.skipTest("the module computes the same in every mode")
        _, model, call = both(FIRST)
        with mock.patch("kevolve_package.model.operator", side_effect=AssertionError("the operator ran")):
            model.train(not PLAN.training)(*call)

    def test_threads_call_it_at_once(self) -> None:
        calls = [both(FIRST, seed) for seed in range(4)]
        wrong: list[str] = []

        def work(reference: torch.nn.Module, model: torch.nn.Module, call: tuple[Any, ...]) -> None:
            with torch.no_grad():
                for _ in range(5):
                    wrong.extend(errors(reference, call, original.leaves(model(*call))))
            found = [[p.grad for p in self.trained(m, call)] for m in (reference, model)]
            wrong.extend("a gradient" for g, w in zip(*found) if g is not None and not torch.allclose(g, w, rtol=1e-2, atol=1e-2))

        threads = [threading.Thread(target=work, args=c) for c in calls]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_it_survives_copies_pickles_and_files(self) -> None:
        reference, model, call = both(FIRST)
        file = io.BytesIO()
        torch.save(model, file)
        file.seek(0)
        self.assertEqual(self.in_another_process(model, call), str(JUDGED.usable))
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.load(file, weights_only=False)):
            with torch.no_grad():
                self.assertEqual(errors(reference, call, original.leaves(other(*call))), [])

    def in_another_process(self, model: torch.nn.Module, call: tuple[Any, ...]) -> str:
        """Loads the module there, calls it, and returns whether the kernel may run."""
        code = (
            "import io, sys, torch\nmodel, call = torch.load(io.BytesIO(sys.stdin.buffer.read()), weights_only=False)\nmodel(*call)\n"
            "from kevolve_package.model import JUDGED\nprint(JUDGED.usable)"
        )
        file = io.BytesIO()
        torch.save((model, call), file)
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], input=file.getvalue(), capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-2000:])
        return done.stdout.decode().strip()

    def test_a_changed_setting_is_served_by_the_reference(self) -> None:
        _, model, call = both(FIRST)
        part = next((m for m in model.modules() if hasattr(m, "eps")), None)
        if part is None:
            self.skipTest("the module has no eps")
        part.eps = 0.5
        reference, _ = model_and_call(reference_class(), FIRST, 1)
        next(m for m in reference.modules() if hasattr(m, "eps")).eps = 0.5
        with torch.no_grad():
            same(self, model(*call), reference(*call))

    def test_another_processor_gets_the_reference_and_one_warning(self) -> None:
        if not PLAN.kernels or not PLAN.kernels[0].features:
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
