"""The modes in which the framework's process times a reference, without a device: graphs are stand-ins."""

import importlib.util
import os
import pathlib
import sys
import tempfile
import threading
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
        self.assertEqual((order.mode, order.tf32, order.cold, order.limit_s), ("plain", "", False, 0.0))
        self.assertEqual(process.Order("call 0 1 default:on cold 1500").limit_s, 1.5)

    def test_a_first_call_that_takes_too_long_is_ended_and_others_go_on(self):
        process = loaded()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)  # a loaded reference leaves its text there
        reference = process.Reference(torch)
        reference.load("0\nf\ndef f(x):\n    return x\n")
        program = reference.programs[0]
        reference.arenas[0] = torch.zeros(64, dtype=torch.uint8)
        swallowed = []

        def never_ends(x):
            while True:
                try:
                    while True:
                        x = x + 0
                except process.Overdue:
                    swallowed.append(1)
                    if len(swallowed) == 2:  # code that ignored it is told again
                        raise

        program.functions["default"] = never_ends
        array = "\narray x input f32 0 16 1 whole 4 1\narray y output f32 32 16 1 whole 4 1"
        answer = process.answer(torch, reference, process.CALL, "call 0 0 eager warm" + array, None)  # imports, too
        self.assertTrue(answer.startswith("ok "), answer)
        answer = process.answer(torch, reference, process.CALL, "call 0 0 default warm 3000" + array, None)
        self.assertTrue(answer.startswith("refused call_limit\ndid not end within 3 s"), answer)
        self.assertEqual(len(swallowed), 2)
        self.assertNotIn("default", program.functions)  # compiled anew, if at all
        answer = process.answer(torch, reference, process.CALL, "call 0 0 eager warm 50000" + array, None)
        self.assertTrue(answer.startswith("ok "), answer)
        pathlib.Path("endless.py").write_text("while True: pass", encoding="utf-8")
        sys.path.insert(0, folder.name)
        self.addCleanup(sys.path.remove, folder.name)
        program.functions["default"] = lambda x: importlib.import_module("endless")
        answer = process.answer(torch, reference, process.CALL, "call 0 0 default warm 500" + array, None)
        self.assertTrue(answer.startswith("spoilt call_limit\ndid not end within 0.5 s"), answer)

    def test_choices_are_compiled_in_a_thread_a_core_which_end_with_their_call(self):
        process = loaded()
        from torch._inductor import select_algorithm

        self.addCleanup(setattr, select_algorithm, "ThreadPoolExecutor", select_algorithm.ThreadPoolExecutor)
        compilers = process.Compilers(torch)
        pool = select_algorithm.ThreadPoolExecutor(max_workers=1)
        cores = len(os.sched_getaffinity(0))
        self.assertEqual(pool._max_workers, cores)
        begun, over = threading.Barrier(cores + 1), threading.Event()
        under_way = [pool.submit(lambda: (begun.wait(), over.wait())) for _ in range(cores)]
        queued = pool.submit(lambda: None)
        begun.wait()
        ending = threading.Thread(target=compilers.end)
        ending.start()
        while not queued.cancelled():
            os.sched_yield()
        over.set()
        ending.join()
        self.assertTrue(all(x.done() for x in under_way))


if __name__ == "__main__":
    unittest.main()
