"""The modes in which the framework's process times a reference, without a device: graphs are stand-ins."""

import importlib.util
import pathlib
import unittest

try:
    import torch
except ImportError:
    torch = None

SOURCE = pathlib.Path(__file__).parents[2] / "backends" / "framework" / "reference_process.py"


def loaded():
    spec = importlib.util.spec_from_file_location("reference_process", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@unittest.skipIf(torch is None, "torch is missing")
class Modes(unittest.TestCase):
    def tearDown(self):
        loaded().set_numerics(torch, "")

    def test_a_graph_is_captured_anew_for_other_numerics(self):
        process = loaded()
        captured = []

        class Replayed:
            def replay(self):
                pass

        graphed = process.Graphed(torch, lambda x: x)
        graphed.captured = lambda arguments: captured.append(dict(arguments)) or (Replayed(), arguments["x"])
        x = torch.ones(2)
        for tf32 in ("off", "off", "on", "off"):
            process.set_numerics(torch, tf32)
            graphed(x=x)
        self.assertEqual(len(captured), 2)

    def test_numerics_are_those_of_the_task(self):
        process = loaded()
        for tf32, products, convolutions in (("on", True, True), ("off", False, False), ("", False, True)):
            process.set_numerics(torch, tf32)
            self.assertEqual(torch.backends.cuda.matmul.allow_tf32, products)
            self.assertEqual(torch.backends.cudnn.allow_tf32, convolutions)

    def test_inputs_of_timed_calls_keep_their_places(self):
        process = loaded()
        places = process.Places(torch)
        first = places.put("kind", {"x": torch.ones(3), "n": 1})
        address = first["x"].data_ptr()
        second = places.put("kind", {"x": torch.full((3,), 2.0), "n": 2})
        self.assertEqual(second["x"].data_ptr(), address)
        self.assertEqual(second["x"].tolist(), [2.0, 2.0, 2.0])
        self.assertEqual(second["n"], 2)

    def test_an_order_carries_its_mode_and_the_use_of_tf32(self):
        process = loaded()
        order = process.Order("call 0 1 eager:on cold")
        self.assertEqual((order.mode, order.tf32, order.cold), ("eager", "on", True))
        order = process.Order("call 0 1 plain warm")
        self.assertEqual((order.mode, order.tf32, order.cold), ("plain", "", False))


if __name__ == "__main__":
    unittest.main()
