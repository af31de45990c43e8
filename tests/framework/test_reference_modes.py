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


def in_folder(test):
    """Goes to a folder of its own: a loaded reference leaves its text in the working directory."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    test.addCleanup(os.chdir, os.getcwd())
    os.chdir(folder.name)
    return folder.name


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
        folder = in_folder(self)
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
        sys.path.insert(0, folder)
        self.addCleanup(sys.path.remove, folder)
        program.functions["default"] = lambda x: importlib.import_module("endless")
        answer = process.answer(torch, reference, process.CALL, "call 0 0 default warm 500" + array, None)
        self.assertTrue(answer.startswith("spoilt call_limit\ndid not end within 0.5 s"), answer)

    def with_little_memory(self, body, program=1, rows=24):
        """Calls a program that has memory for seven rows; returns the answer, its outputs, the right ones and the rows of
        each call.
        """
        process = loaded()
        reference = process.Reference(torch)
        in_folder(self)
        reference.load(f"{program}\nf\nimport torch\n\n\ndef f(x, w):\n    return {body}\n")
        inner, calls = reference.programs[program].functions["eager"], []

        def bounded(x, w):
            calls.append(x.shape[0])
            if x.shape[0] > 7:
                raise torch.cuda.OutOfMemoryError("no room")
            return inner(x, w)

        reference.programs[program].functions["eager"] = bounded
        arena = reference.arenas[0] = torch.zeros(4096, dtype=torch.uint8)
        x = torch.arange(rows * 4, dtype=torch.float64).sin().reshape(rows, 4)
        w = torch.arange(16, dtype=torch.float64).cos().reshape(4, 4)
        arena[: rows * 32].view(torch.float64).copy_(x.flatten())
        arena[1024 : 1024 + 128].view(torch.float64).copy_(w.flatten())
        order = (f"call {program} 0 plain warm\narray x input f64 0 {rows * 32} 2 whole {rows} 4 4 1\n"
                 f"array w weight f64 1024 128 2 whole 4 4 4 1\narray y output f64 2048 {rows * 32} 2 whole {rows} 4 4 1")
        answer = process.answer(torch, reference, process.CALL, order, None)
        outputs = arena[2048 : 2048 + rows * 32].view(torch.float64).reshape(rows, 4)
        return answer, outputs, inner, (x, w), calls

    def test_an_oracle_without_memory_for_the_whole_is_computed_by_rows(self):
        answer, got, inner, inputs, calls = self.with_little_memory("torch.softmax(x @ w, -1)")
        self.assertTrue(answer.startswith("ok "), answer)
        self.assertTrue(torch.allclose(got, inner(*inputs), rtol=1e-12, atol=0))
        self.assertEqual(calls[0], 24)  # the whole was tried first
        self.assertEqual(calls[-5:], [12, 6, 6, 6, 6])

    def test_rows_that_depend_on_each_other_are_never_parted(self):
        for body in ("x - x.mean(0)", "x + torch.arange(x.shape[0], dtype=x.dtype)[:, None]", "x / x.shape[0]", "x.flip(0)"):
            answer, got, *_ = self.with_little_memory(body)
            self.assertTrue(answer.startswith("refused memory\n"), (body, answer))
            self.assertIn("no room", answer)
            self.assertEqual(float(got.abs().max()), 0.0)  # nothing was written

    def test_only_an_oracle_is_parted(self):
        answer, *_, calls = self.with_little_memory("x * 2.0", program=0)
        self.assertTrue(answer.startswith("refused memory\n"), answer)
        self.assertEqual(calls, [24])
        answer, *_, calls = self.with_little_memory("x.missing")
        self.assertTrue(answer.startswith("refused memory\n"), answer)
        self.assertEqual(calls, [24, 4])

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


@unittest.skipIf(torch is None or not torch.cuda.is_available(), "there is no GPU")
class OnDevice(unittest.TestCase):
    def test_an_oracle_is_computed_by_rows_where_the_device_has_no_memory_for_the_whole(self):
        process = loaded()
        in_folder(self)
        rows, cols = 1 << 15, 1 << 12  # 1 GiB in f64
        size = rows * cols * 8
        reference = process.Reference(torch)
        reference.load("1\nf\nimport torch\n\n\ndef f(x):\n    return torch.softmax(x, -1)\n")
        arena = reference.arenas[3] = torch.zeros(2 * size, dtype=torch.uint8, device="cuda")
        x = torch.randn(rows, cols, dtype=torch.float64, device="cuda")
        arena[:size].view(torch.float64).copy_(x.flatten())
        right = torch.softmax(x, -1)
        del x
        torch.cuda.empty_cache()
        whole = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + size) / whole)
        self.addCleanup(torch.cuda.set_per_process_memory_fraction, 1.0)
        order = (f"call 1 3 plain warm\narray x input f64 0 {size} 2 whole {rows} {cols} {cols} 1\n"
                 f"array y output f64 {size} {size} 2 whole {rows} {cols} {cols} 1")
        calls = []
        inner = reference.programs[1].functions["eager"]
        reference.programs[1].functions["eager"] = lambda x: calls.append(x.shape[0]) or inner(x)
        answer = process.answer(torch, reference, process.CALL, order, None)
        self.assertTrue(answer.startswith("ok "), answer)
        self.assertGreater(len(calls), 10)  # the trial, and parts
        torch.cuda.set_per_process_memory_fraction(1.0)  # the comparison needs more than the oracle had
        self.assertTrue(torch.allclose(arena[size:].view(torch.float64).reshape(rows, cols), right, rtol=1e-12, atol=0))


if __name__ == "__main__":
    unittest.main()
