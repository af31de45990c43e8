"""Tests the facts of a module by which a bundle's drop-in notices that it was changed."""

from __future__ import annotations

import copy
import functools
import importlib.util
import pickle
import sys
import types
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

WITHOUT = "" if importlib.util.find_spec("torch") else "no torch in this Python (cmake -DKEVOLVE_TORCH_PYTHON=…)"
if not WITHOUT:
    import torch

    PACKAGE = Path(__file__).resolve().parents[2] / "tools/kevolve/bundle/python/package"
    SPEC = importlib.util.spec_from_file_location("kevolve_state", PACKAGE / "state.py")
    assert SPEC and SPEC.loader
    state = importlib.util.module_from_spec(SPEC)
    sys.modules[SPEC.name] = state
    SPEC.loader.exec_module(state)

    class Options:
        scale = 2.0

        def __init__(self) -> None:
            self.power = 2
            self.table = {"bias": 1.0, "steps": [1, 2]}

    class Inner(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(4, 4, bias=False)
            self.activation = functools.partial(torch.nn.functional.gelu, approximate="tanh")

        def scaled(self, x: torch.Tensor) -> torch.Tensor:
            return x * 2.0

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.activation(self.scaled(self.linear(x)))

    class Model(torch.nn.Module):
        factor = 1.5

        def __init__(self) -> None:
            super().__init__()
            self.options = Options()
            self.weights = {"first": 0.5, "more": [1.0, 2.0]}
            self.parts = torch.nn.Sequential(Inner(), torch.nn.ReLU())
            self.outside = [torch.nn.Hardtanh()]
            self.shift = lambda x: x + 1.0
            self.mask = torch.ones(4)
            self.unread = iter(())
            self.me = [self]

        def helper(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.factor * self.options.power

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            out = self.shift(self.helper(self.outside[0](self.parts(x)))) * self.mask
            return out * self.weights["first"] + self.options.table["bias"] * self.options.scale

    class Judged(Model):
        """Returns zeros where the module is as it was judged."""

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.zeros_like(x) if FACTS.holds(self) else super().forward(x)

    torch.manual_seed(1)
    FACTS = state.ModuleState(Model(), Judged)


def method(owner: Any) -> Any:
    return types.MethodType(lambda self, x: x, owner)


CHANGES: dict[str, Callable[[Any], None]] = {
    "an attribute of an object": lambda m: setattr(m.options, "power", 3),
    "an object": lambda m: setattr(m, "options", types.SimpleNamespace(scale=3.0, **vars(m.options))),
    "a dict in an object": lambda m: m.options.table.update(bias=2.0),
    "a list in a dict in an object": lambda m: m.options.table["steps"].append(3),
    "a value in a dict": lambda m: m.weights.update(first=0.25),
    "a key in a dict": lambda m: m.weights.update(third=0.25),
    "a value in a list": lambda m: m.weights["more"].__setitem__(1, 3.0),
    "a function": lambda m: setattr(m, "shift", lambda x: x - 1.0),
    "a partial": lambda m: setattr(m.parts[0], "activation", functools.partial(torch.nn.functional.gelu, approximate="none")),
    "a parameter in place of None": lambda m: setattr(m.parts[0].linear, "bias", torch.nn.Parameter(torch.ones(4))),
    "an appended child": lambda m: m.parts.append(torch.nn.Sigmoid()),
    "a replaced child": lambda m: m.parts.__setitem__(1, torch.nn.Sigmoid()),
    "an attribute of a child": lambda m: setattr(m.parts[1], "inplace", True),
    "a module in a list": lambda m: m.outside.__setitem__(0, torch.nn.Sigmoid()),
    "an attribute of a module in a list": lambda m: setattr(m.outside[0], "max_val", 0.5),
    "a method of the instance": lambda m: setattr(m, "helper", method(m)),
    "a method of a child": lambda m: setattr(m.parts[0], "scaled", method(m.parts[0])),
    "forward of a layer": lambda m: setattr(m.parts[0].linear, "forward", method(m.parts[0].linear)),
    "an attribute over one of the class": lambda m: setattr(m, "factor", 2.5),
    "a subclass": lambda m: setattr(m, "__class__", type("Other", (type(m),), {"helper": lambda self, x: x})),
}
ONLY_BETWEEN_CALLS: dict[str, Callable[[Any], None]] = {
    "a hook": lambda m: m.parts[0].linear.register_forward_hook(lambda *_: None) and None,
    "a tensor in place": lambda m: m.mask.resize_(2).fill_(2.0) is None,
    "a tensor": lambda m: setattr(m, "mask", torch.zeros(4)),
    "an attribute over one of an object's class": lambda m: setattr(m.options, "scale", 3.0),
}


@unittest.skipIf(WITHOUT, WITHOUT)
class Facts(unittest.TestCase):
    def test_facts_of_the_judged_module_hold_for_it_and_its_copies(self) -> None:
        self.assertEqual(FACTS.unknown, [])
        made = Judged()
        for module in (made, copy.deepcopy(made), made.to(torch.float64), made.eval(), made.train()):
            self.assertTrue(FACTS.holds(module))
            self.assertTrue(FACTS.holds(module))
        self.assertFalse(FACTS.holds(Model()))

    def test_each_change_is_noticed_and_so_is_its_end(self) -> None:
        for what, change in {**CHANGES, **ONLY_BETWEEN_CALLS}.items():
            with self.subTest(what):
                module = Judged()
                module.parts[0].linear(torch.zeros(1, 4))
                self.assertTrue(FACTS.holds(module))
                change(module)
                self.assertFalse(FACTS.holds(module))
                self.assertFalse(FACTS.holds(module))
        module = Judged()
        for _ in range(2):
            module.weights["first"] = 0.25
            self.assertFalse(FACTS.holds(module))
            module.weights["first"] = 0.5
            self.assertTrue(FACTS.holds(module))

    def test_a_compiled_module_notices_changes(self) -> None:
        x = torch.randn(2, 4)
        for what, change in CHANGES.items():
            with self.subTest(what):
                torch._dynamo.reset()
                module = Judged()
                compiled = torch.compile(module, fullgraph=True, backend="eager")
                self.assertFalse(compiled(x).any())
                change(module)
                self.assertTrue(compiled(x).any())

    def test_compiling_a_module_is_no_change(self) -> None:
        torch._dynamo.reset()
        module = Judged()
        self.assertTrue(FACTS.holds(module))
        torch.compile(module, backend="eager")(torch.randn(2, 4))
        self.assertTrue(FACTS.holds(module))
        module.compile(backend="eager")
        module(torch.randn(2, 4))
        self.assertTrue(FACTS.holds(module))

    def test_classes_that_are_changed_are_noticed(self) -> None:
        module = Judged()
        for kind, name in ((Model, "helper"), (Inner, "scaled"), (Options, "scale"), (torch.nn.ReLU, "forward")):
            with self.subTest(f"{kind.__name__}.{name}"):
                self.assertTrue(FACTS.holds(module))
                before = vars(kind)[name]
                setattr(kind, name, lambda self, x: x)
                self.assertFalse(FACTS.holds(module))
                setattr(kind, name, before)
        handle = torch.nn.modules.module.register_module_forward_hook(lambda *_: None)
        self.assertFalse(FACTS.holds(module))
        handle.remove()
        self.assertTrue(FACTS.holds(module))

    def test_modes_count_where_they_are_read(self) -> None:
        module = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.5)).eval()
        facts = state.ModuleState(module)
        self.assertTrue(facts.holds(module))
        module[0].train()
        self.assertTrue(facts.holds(module))
        module[1].train()
        self.assertFalse(facts.holds(module))
        module.eval()
        self.assertTrue(facts.holds(module))

    def test_parameters_may_change_and_passed_tensors_too(self) -> None:
        facts = state.ModuleState(Model(), passed=["mask"])
        module = Model()
        with torch.no_grad():
            module.parts[0].linear.weight.mul_(2.0)
            module.parts[0].linear.weight = torch.nn.Parameter(torch.zeros(4, 4))
            module.mask.mul_(2.0)
        self.assertTrue(facts.holds(module))
        module.mask = torch.zeros(4)
        self.assertTrue(facts.holds(module))

    def test_a_value_that_cannot_be_compared_is_named_where_it_is_read(self) -> None:
        class Counted(Model):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return super().forward(x) if next(self.unread, None) is None else x

        self.assertEqual(state.ModuleState(Counted()).unknown, ["unread"])
        scale = 2.0
        module = Model()
        module.shift = lambda x: x * scale  # its closure may change
        self.assertEqual(state.ModuleState(module).unknown, ["shift"])

    def test_modules_can_be_pickled(self) -> None:
        module = torch.nn.Sequential(torch.nn.Linear(4, 4))
        facts = state.ModuleState(module)
        self.assertTrue(facts.holds(module))
        self.assertTrue(facts.holds(pickle.loads(pickle.dumps(module))))
