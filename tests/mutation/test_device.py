"""Tests the search for witnesses on a device over a fake one, and the mutants of device code."""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path

import support

support.need_libclang()
sys.path.insert(0, str(Path(__file__).with_name("fake_device")))

from mutation import contract, gpu, gpu_faults, gpu_state, gpu_worker, mutate_c, mutate_triton, schedules, syntax

TASK = """[task]
name = "doubled"
family = "elementwise"

[[argument]]
name = "x"
role = "input"
dtype = "f32"
shape = ["n"]
fill = { distribution = "normal", mean = 0.0, std = 1.0 }

[[argument]]
name = "y"
role = "output"
dtype = "f32"
shape = ["n"]

[[argument]]
name = "n"
role = "size"

[[shape]]
n = 1000

[reference]
language = "pytorch"
file = "doubled.py"
entry = "doubled"
"""
PLAN = """[sizes]
blocks = "ceildiv(n, 256)"

[[scratch]]
name = "sums"
bytes = "4*blocks"
zeroed = true

[[kernel]]
name = "double_all"
grid = ["blocks"]
block = [256]
arguments = ["x", "y", { buffer = "sums", offset = 0 }, "n", { type = "f32", value = 2 }]
"""
KERNEL = """
import cupy
def double_all(grid, block, x, y, sums, n, factor):
    assert grid == (-(-int(n) // 256), 1, 1) and block == (256, 1, 1)
    cupy.floats(y, int(n))[:] = cupy.floats(x, int(n)) * factor
"""


class Device(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)
        (self.at / "doubled.task.toml").write_text(TASK, encoding="utf-8")
        (self.at / "doubled.py").write_text("def doubled(x):\n    return x * 2\n", encoding="utf-8")
        (self.at / "object.plan").write_text(PLAN, encoding="utf-8")
        self.tasks: dict[str, gpu_worker.Task] = {}

    def ask(self, kernel: str, **more: object) -> dict[str, object]:
        (self.at / "object.0").write_text(kernel, encoding="utf-8")
        with redirect_stderr(io.StringIO()):
            return gpu_worker.answer({"task": str(self.at / "doubled.task.toml"), "object": str(self.at / "object"), "seed": 1, **more}, self.tasks)

    def how(self, kernel: str, **more: object) -> str | None:
        found = self.ask(kernel, **more)["witness"]
        return found["how"] if found else None

    def test_a_right_kernel_has_no_witness(self) -> None:
        self.assertIsNone(self.how(KERNEL))
        self.assertEqual(self.ask(KERNEL, all=True)["unfit"], [])

    def test_planted_faults_have_one(self) -> None:
        self.assertEqual(self.how(KERNEL.replace("* factor", "* 2.01")), "wrong")
        self.assertEqual(self.how(KERNEL + "    cupy.floats(y, int(n) + 1)[-1] = 0\n"), "touched")
        self.assertEqual(self.how(KERNEL + "    cupy.floats(x, int(n))[0] = 5\n"), "changed")
        self.assertEqual(self.how(KERNEL.replace("int(n))[:]", "int(n) - 1)[:]").replace("int(n)) * f", "int(n) - 1) * f")), "wrong")

    def test_hints_reach_a_size_and_a_pattern(self) -> None:
        at_33 = KERNEL + "    if n == 33: cupy.floats(y, int(n))[0] = 7\n"
        self.assertEqual(self.how(at_33, hints=[{"sizes": {"n": [33]}, "patterns": {}, "calls": 1}]), "wrong")
        equal = KERNEL + "    x = cupy.floats(x, int(n))\n    if n > 3 and (x == x[0]).all(): cupy.floats(y, int(n))[0] = 7\n"
        self.assertEqual(self.how(equal, hints=[{"sizes": {"n": [4, 5]}, "patterns": {"x": "equal"}, "calls": 1}]), "wrong")

    def test_repeated_calls_show_state(self) -> None:
        state = KERNEL + "    global calls\n    calls += 1\n    if calls > 25: cupy.floats(y, int(n))[0] = 7\ncalls = 0\n"
        self.assertEqual(self.how(state, hints=[{"sizes": {}, "patterns": {}, "calls": 27}]), "wrong")

    def late(self, mutant: str, right: str) -> dict[str, object]:
        paths = {}
        for name, kernel in (("mutant", mutant), ("right", right)):
            paths[name] = str(self.at / f"late-{name}")
            Path(f"{paths[name]}.0").write_text(kernel, encoding="utf-8")
            Path(f"{paths[name]}.plan").write_text(PLAN, encoding="utf-8")
        return self.ask(KERNEL, late=paths)

    def test_late_warps_show_a_missing_barrier_alone(self) -> None:
        patient = KERNEL + "mutant_schedule = 0\n"
        hasty = patient.replace("* factor", "* (factor + mutant_schedule)")
        found = self.late(hasty, patient)["witness"]
        assert isinstance(found, dict)
        self.assertEqual((found["how"], found["late_warps"]), ("schedule", "odd"))
        self.assertIsNone(self.late(patient, patient)["witness"])
        self.assertIsNone(self.late(hasty, hasty)["witness"])  # the sleeping shows there, not the fault

    def test_a_fault_of_the_original_with_late_warps_is_no_witness(self) -> None:
        broken = KERNEL + "    raise RuntimeError('lost')\nmutant_schedule = 0\n"
        found = self.late(KERNEL + "mutant_schedule = 0\n", broken)
        self.assertIsNone(found["witness"])
        self.assertIn("lost", str(found["ended"]))


class FakeJudge:
    """Compiles everything but "no", and passes everything but "wrong"."""

    def __init__(self, *_: object) -> None:
        self.tasks: dict[str, Path] = {}

    def __enter__(self) -> FakeJudge:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def compile(self, task: str, language: str, flags: str, source: Path, to: Path) -> str:
        text = source.read_text(encoding="utf-8")
        to.write_text(text, encoding="utf-8")
        Path(f"{to}.0").write_text(text, encoding="utf-8")
        return "refused" if text == "no" else ""

    def judge(self, task: str, file: Path, source: object, stages: list[str], **_: int) -> dict[str, object]:
        return {"verdict": "wrong_result" if file.read_text(encoding="utf-8").startswith("wrong") else "pass"}


class FakeSearcher:
    """Finds a witness of what is not right."""

    def __init__(self, *_: object) -> None:
        pass

    def ask(self, request: dict[str, object]) -> dict[str, object]:
        text = Path(str(request["object"])).read_text(encoding="utf-8")
        if request.get("all"):
            return {"unfit": [], "cases": 3}
        if request.get("late"):
            return {"witness": {"how": "schedule"}}
        return {"witness": None if text.startswith("right") else {"how": "wrong"}}

    def stop(self) -> None:
        pass


class Pipeline(unittest.TestCase):
    def run_all(self, sources: list[tuple[str, str]], state: gpu_state.State | None = None, **more: str) -> gpu.GpuBench:
        mutants = [{"task": "t", "file": "t", "original": "o", "language": "cuda", "class": kind, "operator": "", "line": 0, "before": "",
                    "after": source, "source": source, "hints": []} | more for kind, source in sources]
        arguments = argparse.Namespace(wall=30.0, bin=Path(), target="cuda", seed=1, stages="check", allow_weak_sandbox=None)
        with tempfile.TemporaryDirectory() as folder, redirect_stderr(io.StringIO()):
            bench = gpu.GpuBench(arguments, mutants, Path(folder), FakeJudge, FakeSearcher, state)
            bench.run()
        self.assertEqual(bench.failed, [])
        return bench

    def test_every_mutant_gets_its_state(self) -> None:
        bench = self.run_all([("value", "wrong 1"), ("original", "right"), ("value", "wrong 2"), ("size", "faulty"), ("size", "right 2"),
                              ("index", "no"), ("value", "wrong 1")])
        states = sorted((r["class"], r["state"]) for r in bench.rows)
        self.assertEqual(states, [("index", "not compiled"), ("size", "survived"), ("size", "unknown"),
                                  ("value", "killed"), ("value", "killed"), ("value", "same code")])
        self.assertEqual([o["judge"]["verdict"] for o in bench.originals], ["pass"])

    def test_an_original_that_does_not_compile_holds_up_nothing(self) -> None:
        bench = self.run_all([("original", "no"), ("value", "wrong")])
        self.assertEqual([r["state"] for r in bench.rows], ["killed"])
        self.assertEqual(bench.originals[0]["left out"], "refused")

    def test_a_run_goes_on_where_it_was_cut_off(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "state"
            self.run_all([("original", "right"), ("value", "wrong 1")], gpu_state.State(file))
            again = gpu_state.State(file)
            bench = self.run_all([("original", "right"), ("value", "wrong 1"), ("size", "faulty")], again)
            self.assertEqual([(r["class"], r["state"]) for r in bench.rows], [("value", "killed"), ("size", "survived")])
            self.assertEqual(gpu_state.State(file).rows, bench.rows)
            done = gpu_state.State(file)
            self.assertTrue(self.run_all([("original", "right"), ("value", "wrong 1"), ("size", "faulty")], done).to_compile.empty())
            self.assertEqual(gpu_state.State(file).originals, done.originals)

    def test_faults_of_synchronisation_are_also_built_with_sleeping_warps(self) -> None:
        bench = self.run_all([("original", "right"), ("synchronisation", "right without")], delayed="right late", delayed_right="right")
        self.assertEqual([(r["state"], r["witness"]["how"]) for r in bench.rows], [("survived", "schedule")])
        bench = self.run_all([("original", "right"), ("synchronisation", "right without")], delayed="right late", delayed_right="no")
        self.assertEqual([r["state"] for r in bench.rows], ["unknown"])

    def test_telling_classes_come_first(self) -> None:
        kinds = ["precision", "size", "original", "synchronisation", "value"]
        self.assertEqual(sorted(kinds, key=lambda k: gpu.urgency({"class": k}))[:4], ["original", "value", "size", "synchronisation"])


class DeviceMutants(unittest.TestCase):
    def test_barriers_and_atomics_are_dropped(self) -> None:
        source = (gpu_faults.HONEST / "zeroed_scratch.cu").read_text(encoding="utf-8")
        found = list(mutate_c.Mutations(source, syntax.CUDA_FLAGS, "kernel.cu", mutate_c.DEVICE_HELPERS).all())
        self.assertIn(("synchronisation", "no atomic"), {(m.kind, m.name) for m in found})
        source = (gpu_faults.HONEST / "large_shared.cu").read_text(encoding="utf-8")
        found = list(mutate_c.Mutations(source, syntax.CUDA_FLAGS, "kernel.cu", mutate_c.DEVICE_HELPERS).all())
        self.assertIn(("synchronisation", "no barrier"), {(m.kind, m.name) for m in found})
        self.assertTrue(all(m.source.startswith("/* launch plan") for m in found))

    def test_warps_sleep_where_kernels_begin_and_behind_barriers(self) -> None:
        for stem in ("whole_grid", "zeroed_scratch", "large_shared"):
            source = (gpu_faults.HONEST / f"{stem}.cu").read_text(encoding="utf-8")
            late = schedules.delayed(source)
            with self.subTest(stem):
                self.assertEqual(gpu_faults.plan_of(late), gpu_faults.plan_of(source))
                self.assertEqual(late.count("{ MUTANT_SLEEP;"), source.count("__global__"))
                self.assertEqual(late.count(".sync(); MUTANT_SLEEP;"), source.count(".sync();"))
                self.assertLess(late.rfind("#include"), late.index("#define __syncthreads()"))
                self.assertLess(late.index("#define __syncthreads()"), late.index("__global__"))

    def test_a_last_kernel_spoils_what_the_plan_gave(self) -> None:
        for target, task in (("cuda", "iterate"), ("triton", "softmax_f16")):
            file, = gpu_faults.task_files(target, [task])
            c = contract.load(file)
            o = next(iter(gpu_faults.originals(c, target)))
            every = [m for m in gpu_faults.mutants_of(c, o) if m.kind in ("size", "value", "state")]
            self.assertTrue({"size", "value"} <= {m.kind for m in every})
            for m in every:
                with self.subTest(target=target, after=m.after):
                    self.assertEqual([k["name"] for k in gpu_faults.plan_of(m.source)["kernel"]][-1], "mutant_spoil")
                    self.assertTrue(m.hints)

    def test_triton_mutants_parse(self) -> None:
        source = (gpu_faults.KERNELS[0] / "softmax_f16_triton.py").read_text(encoding="utf-8")
        every = list(mutate_triton.mutations(source))
        self.assertTrue({"arithmetic", "boundary", "index", "initialisation", "precision"} <= {m.kind for m in every})
        for m in every:
            ast.parse(m.source)
            self.assertNotEqual(m.source, source)


if __name__ == "__main__":
    unittest.main()
