"""The Python package of kernels for GPUs on a machine without one: plans, launches on a fake driver, and the fallback."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from typing import Any

from device_layout import TEMPLATES, kernel, launch, launches, lay_out, parameter

ROOT = Path(__file__).resolve().parents[2]
KEVOLVE = Path(os.environ.get("KEVOLVE_BIN", "")) / "kevolve"
FAKE = Path(os.environ.get("KEVOLVE_FAKE_DRIVER", ""))
WITHOUT = "" if importlib.util.find_spec("torch") else "no torch in this Python (cmake -DKEVOLVE_TORCH_PYTHON=…)"
SAID = json.loads((Path(__file__).resolve().parent / "launch_plans.json").read_text(encoding="utf-8"))

HEAD = """
import ctypes, sys, warnings, torch
from unittest import mock
import PACKAGE
from PACKAGE import cuda_object, driver, guards, original, operator, ModelNew
from PACKAGE.cuda_object import CUDA
from PACKAGE.guards import CASES
cuda_object.stream_of = lambda device: 0
torch.manual_seed(1)
x, w = torch.randn(1000), torch.randn(8)
wanted = original.call([x, w])[0]
"""


class Plans(unittest.TestCase):
    """Python evaluates plans as C++ does; tests/bundle/test_launch_plans.cpp says what that is."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(prefix="kevolve-plans-")
        cls.addClassCleanup(cls.folder.cleanup)
        place = Path(cls.folder.name, "plans_alone")
        place.mkdir()
        for name in ("expressions.py", "launch_plan.py"):
            (place / name).write_text((TEMPLATES / "package" / name).read_text(encoding="utf-8"), encoding="utf-8")
        sys.path.insert(0, cls.folder.name)
        cls.addClassCleanup(sys.path.remove, cls.folder.name)
        cls.expressions = importlib.import_module("plans_alone.expressions")
        cls.plans = importlib.import_module("plans_alone.launch_plan")

    def test_expressions_have_the_values_of_cpp(self) -> None:
        found = 0
        for row in SAID["expressions"]:
            with self.subTest(row["text"], sizes=row["sizes"]):
                if row["sizes"] is None:
                    with self.assertRaises(ValueError):
                        self.expressions.parse(row["text"])
                    continue
                parsed = self.expressions.parse(row["text"])
                try:
                    value = self.expressions.evaluate(parsed, row["sizes"])
                except ArithmeticError:
                    value = None
                self.assertEqual(value, row["value"])
                found += value is not None
        self.assertGreater(found, 300)

    def test_launches_are_those_of_cpp(self) -> None:
        found = 0
        for row in SAID["plans"]:
            resolve = self.plans.resolver(row["plan"])
            for call in row["calls"]:
                with self.subTest(row["name"], sizes=call["sizes"]):
                    try:
                        resolved = self.as_json(resolve(call["sizes"], call["arrays"], call["numbers"]))
                    except self.plans.PlanError:
                        resolved = None
                    self.assertEqual(resolved, call["resolved"])
                    found += resolved is not None
        self.assertGreater(found, 100)

    def as_json(self, x: Any) -> Any:
        if isinstance(x, tuple):
            return [self.as_json(i) for i in x]
        return {k: self.as_json(v) for k, v in vars(x).items()} if hasattr(x, "__dict__") else x


@unittest.skipIf(WITHOUT, WITHOUT)
class Laid(unittest.TestCase):
    """Tests with a package that is laid out for them."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="kevolve-device-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def python(self, code: str, **settings: str) -> str:
        environment = os.environ | {"PYTHONPATH": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache")} | settings
        text = (HEAD + textwrap.dedent(code)).replace("PACKAGE", "iterated")
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=200, check=False, env=environment)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-4000:])
        return done.stdout

    def lay_out(self, *plans: dict[str, Any], cases: list[tuple[int, int | None]] | None = None) -> None:
        lay_out(self.folder, "iterated", [kernel(p, i + 1) for i, p in enumerate(plans)], cases or [(1000, 0)])


class Launches(Laid):
    """The launch path on a libcuda.so.1 whose device is this processor (tests/cuda/fake_driver.cpp)."""

    def setUp(self) -> None:
        super().setUp()
        if not (FAKE / "libcuda.so.1").is_file():
            self.skipTest("no fake driver was built (KEVOLVE_FAKE_DRIVER)")

    def python(self, code: str, **settings: str) -> str:
        return super().python(code, LD_LIBRARY_PATH=str(FAKE), **settings)

    def test_the_kernel_gets_its_arrays_and_sizes(self) -> None:
        self.lay_out(launches(launch("iterate")))
        code = """
        found = CUDA([x, w], CASES[0])
        assert len(found) == 1 and torch.allclose(found[0], wanted, rtol=1e-5), found
        view = torch.cat([x[:1], x])[1:]  # contiguous, and not aligned
        assert view.data_ptr() % 64 != 0
        assert torch.allclose(CUDA([view, w], CASES[0])[0], wanted, rtol=1e-5)
        """
        self.python(code)
        self.python(code, CUDA_VISIBLE_DEVICES="current only")  # refuses launches without a context, or with two
        self.python(code, CUDA_VISIBLE_DEVICES="capturing")  # refuses code that is loaded into a capture

    def test_the_table_of_shapes_chooses_the_kernel(self) -> None:
        self.lay_out(launches(launch("iterate_does_nothing")), launches(launch("iterate")), cases=[(1000, 1), (7, 0), (8, None)])
        self.python("""
        assert torch.allclose(CUDA([x, w], CASES[0])[0], wanted, rtol=1e-5)
        with mock.patch.object(torch, "empty", lambda shape, **how: torch.full(shape if isinstance(shape, tuple) else (shape,), 5, **how)):
            assert torch.equal(CUDA([x[:7], w], CASES[1])[0], torch.full((7,), 5.0))
        assert guards.judged_for([x[:8], w]) is None and guards.refusal([x[:8], w]) == ("", "")
        """)

    def test_launches_have_the_numbers_of_the_plan(self) -> None:
        tensor_map = {"name": "m", "buffer": "x", "offset": "32", "type": 7, "dims": ["100", "9"], "strides": ["400"], "box": ["32", "8"],
                      "element_strides": ["1", "1"], "interleave": 0, "swizzle": 3, "l2_promotion": 2, "oob_fill": 1}  # fmt: skip
        more = [parameter("tensor_map", "m"), parameter("null_pointer"), parameter("number", value="0-n", dtype="i32"),
                parameter("buffer", "s", "2*n")]  # fmt: skip
        self.lay_out(launches(
            launch("first", *more, grid=["ceildiv(n, t)", "2", "3"], cluster=["2", "1", "1"], shared="50*n"),
            launch("second", cooperative=True), sizes=[["t", "256 - n%3"]], tensor_maps=[tensor_map],
            scratch=[{"name": "s", "bytes": "4*n", "zeroed": True}, {"name": "r", "bytes": "8", "zeroed": False}]))  # fmt: skip
        self.python("""
        d, seen, order = driver.driver(), [], []
        def launched(how, function, places, extra):
            c = how._obj
            given = c.attributes[:c.attribute_count]
            attributes = [(a.id, a.value.cooperative, tuple(a.value.cluster)) for a in given]
            values = [ctypes.c_uint64.from_address(p).value for p in places]
            seen.append((tuple(c.grid), tuple(c.block), c.shared, c.stream, attributes, values, list(places)))
            order.append("launch")
            return 0
        def filled(address, value, count, stream):
            order.append(("fill", address, value, count))
            return 0
        def encoded(place, kind, rank, address, dims, strides, box, steps, *others):
            assert place % 64 == 0
            ctypes.memset(place, 7, 128)
            order.append(("map", kind, rank, address, list(dims), list(strides)[:rank - 1], list(box), list(steps), others))
            return 0
        shared = []
        d.launch, d.fill, d.encode = launched, filled, encoded
        d.set = lambda function, which, value: shared.append((which, value)) or 0
        cuda_object.stream_of = lambda device: 77
        y, = CUDA([x, w], CASES[0])
        CUDA([x, w], CASES[0])
        view = torch.cat([x[:1], x])[1:]
        CUDA([view, w], CASES[0])
        assert view.data_ptr() % 64 != 0 and seen[4][5][0] % 64 == 0  # a copy
        assert shared == [(8, 50_000)], shared  # once
        (grid, block, dynamic, stream, attributes, values, places), second = seen[:2]
        assert (grid, block, dynamic, stream) == ((4, 2, 3), (256, 1, 1), 50_000, 77), seen
        assert attributes == [(4, 2, (2, 1, 1))] and second[4][0][:2] == (2, 1) and len(second[4]) == 1
        assert values[:4] == [x.data_ptr(), w.data_ptr(), y.data_ptr(), 1000], values
        assert places[4] % 64 == 0 and ctypes.string_at(places[4], 128) == bytes([7]) * 128
        assert values[5] == 0 and values[6] & 0xFFFFFFFF == 2**32 - 1000
        fill, first_map = order[0], order[1]
        assert fill[2:] == (0, 4000) and values[7] == fill[1] + 2000
        assert first_map == ("map", 7, 2, x.data_ptr() + 32, [100, 9], [400], [32, 8], [1, 1], (0, 3, 2, 1)), first_map
        assert order[2:4] == ["launch", "launch"]
        """)

    def test_compiled_and_traced_modules_call_the_kernel(self) -> None:
        self.lay_out(launches(launch("iterate")))
        self.python("""
        CUDA.usable = lambda: True
        CUDA.serves = lambda values: True
        with (
            mock.patch.object(torch.cuda, "current_device", return_value=0),
            mock.patch("iterated.model.device_of", lambda values: "cuda"),
            mock.patch.object(sys.modules["iterated.operator"], "device_of", lambda values: "cuda"),
        ):
            model = ModelNew()
            compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
            compiled(x, w)
            with mock.patch.object(original, "call", side_effect=AssertionError("the reference ran")):
                assert torch.allclose(compiled(x, w), wanted, rtol=1e-5)
                program = torch.export.export(model, (x, w))
                assert torch.allclose(program.module()(x, w), wanted, rtol=1e-5)
            assert any(str(n.target).startswith("iterated.iterated") for n in program.graph.nodes), program.graph
            x.requires_grad_()
            model(x, w).sum().backward()
            assert torch.allclose(x.grad, torch.full_like(x, 0.5**256))
            torch.library.opcheck(operator, (x, w))
        """)

    def test_a_failed_launch_is_an_error_with_the_drivers_name(self) -> None:
        self.lay_out(launches(launch("iterate")))
        self.python("""
        driver.driver().launch = lambda *words: 700
        try:
            CUDA([x, w], CASES[0])
        except RuntimeError as error:
            assert str(error) == "launching iterate: CUDA_ERROR_ILLEGAL_ADDRESS (700)", error
        else:
            raise AssertionError
        """)

    def test_tune_chooses_the_faster_kernel_and_never_a_slow_one(self) -> None:
        self.lay_out(launches(launch("iterate")))
        self.python("""
        from iterated.tune import choice
        assert choice({0: 1.2, 1: 1.3}) == 1 and choice({0: 0.96}) == 0 and choice({0: 0.94, 1: 0.5}) is None and choice({}) is None
        """)


class Fallback(Laid):
    def test_the_reference_computes_unjudged_calls_with_one_warning(self) -> None:
        self.lay_out(launches(launch("iterate")))
        said = self.python("""
        CUDA.usable = lambda: True
        with mock.patch.object(torch.cuda, "current_device", return_value=0), mock.patch("iterated.model.device_of", return_value="cuda"):
            model = ModelNew()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for _ in range(2):
                    for a, b in ((x[:9], w), (x.double(), w.double()), (torch.stack([x, x], 1)[:, 0], w)):
                        assert torch.equal(model(a, b), original.call([a, b])[0])
            print([str(c.message) for c in caught])
            with warnings.catch_warnings(record=True) as caught, mock.patch("iterated.model.operator", side_effect=ZeroDivisionError):
                try:
                    model(x, w)
                except ZeroDivisionError:
                    print("the operator ran")
        """)
        self.assertIn("the shapes (9,), (8,) were not judged", said)
        self.assertIn("'x' is torch.float64, and torch.float32 was judged", said)
        self.assertIn("'x' is not contiguous", said)
        self.assertEqual(said.count("the reference runs"), 3)
        self.assertIn("the operator ran", said)

    def test_importing_touches_no_device_and_one_warning_names_the_missing_gpu(self) -> None:
        self.lay_out(launches(launch("iterate")))
        said = self.python("""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            models = [ModelNew(), ModelNew()]
            for model in models:
                assert torch.equal(model(x, w), wanted)
            assert torch.equal(operator(x, w), wanted)
        print(len(caught), caught[0].message)
        """, CUDA_VISIBLE_DEVICES="")
        self.assertIn("1 iterated: no CUDA device for sm_90a is here; the reference runs", said)

    def test_compiled_models_run_where_no_gpu_is(self) -> None:
        self.lay_out(launches(launch("iterate")))
        self.python("""
        assert torch.allclose(torch.compile(ModelNew(), fullgraph=True, backend="aot_eager")(x, w), wanted)
        """)


class Bundled(unittest.TestCase):
    """Packages that `kevolve bundle` makes of recorded campaigns and of files, with nvcc, and without a GPU."""

    def setUp(self) -> None:
        if shutil.which("nvcc") is None and not Path("/usr/local/cuda/bin/nvcc").exists():
            self.skipTest("no nvcc is here")
        folder = tempfile.TemporaryDirectory(prefix="kevolve-bundled-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def bundle(self, *words: object) -> subprocess.CompletedProcess[str]:
        command = [str(w) for w in (KEVOLVE, "bundle", "--out", self.folder / "bundle", *words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)

    def test_a_recorded_campaign_becomes_a_package_that_installs_and_tests_itself(self) -> None:
        said = self.bundle("--recording", ROOT / "tests/replay/conv1d_f16.gpu.recording.json", "--name", "fast_conv", "--json")
        self.assertEqual(said.returncode, 0, said.stderr)
        told = json.loads(said.stdout)
        self.assertEqual((told["package"], told["without_package"]), ("fast_conv", None))
        place = self.folder / "bundle/fast_conv"
        plan = json.loads((place / "plan.json").read_text(encoding="utf-8"))
        kernel = plan["kernels"][0]
        self.assertEqual((kernel["architecture"], kernel["candidate"]), ("sm_90a", told["candidate"]))
        self.assertEqual((place / kernel["modules"][0]).read_bytes()[:4], b"\x7fELF")
        self.assertEqual((place / kernel["source"]).read_text(encoding="utf-8"), (self.folder / "bundle/kernel.cu").read_text(encoding="utf-8"))
        self.assertEqual([c["kernel"] for c in plan["cases"]], [*[0] * 9, None])  # its last confirmation found it slow at one
        self.assertIn("as fast as the reference**", (self.folder / "bundle/README.md").read_text(encoding="utf-8"))
        if WITHOUT:
            self.skipTest(WITHOUT)
        site = self.folder / "site"
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--no-deps", "--target", site]
        done = subprocess.run([*map(str, pip), str(self.folder / "bundle")], capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        tests = subprocess.run([sys.executable, "-W", "ignore", "-m", "unittest", "discover", "tests"], cwd=self.folder / "bundle",
                               capture_output=True, text=True, timeout=200, check=False,
                               env=os.environ | {"PYTHONPATH": str(site), "CUDA_VISIBLE_DEVICES": ""})  # fmt: skip
        self.assertEqual(tests.returncode, 0, tests.stderr[-4000:])
        self.assertRegex(tests.stderr, r"Ran 3\d tests")

    def test_files_become_a_package_that_says_that_nobody_judged_it(self) -> None:
        task = ["--task", ROOT / "config/tasks/gpu/softmax_f16.task.toml"]
        files = [w for _ in range(2) for w in ("--candidate", ROOT / "docs/results/gpu/softmax_f16.cu")]
        said = self.bundle(*task, *files)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("2 kernels", said.stdout)
        self.assertIn("nobody has judged them", said.stdout)
        self.assertIn("Nobody has judged it", (self.folder / "bundle/README.md").read_text(encoding="utf-8"))
        plan = json.loads((self.folder / "bundle/softmax_f16/plan.json").read_text(encoding="utf-8"))
        self.assertEqual([k["modules"] for k in plan["kernels"]], [["kernels/0.0.cubin"], ["kernels/1.0.cubin"]])
        self.assertEqual(plan["kernels"][0]["plan"]["sizes"], [["rpb", "4 - 3*min(1, (cols - 1) / 1024)"]])

    def test_a_candidate_that_cannot_be_bundled_is_refused(self) -> None:
        softmax = ROOT / "config/tasks/gpu/softmax_f16.task.toml"
        broken = self.folder / "broken.cu"
        text = (ROOT / "docs/results/gpu/softmax_f16.cu").read_text(encoding="utf-8")
        broken.write_text(text.replace("row * cols", "row * columns"), encoding="utf-8")
        for words, says in (
            (["--recording", ROOT / "tests/replay/map_id.embedded.recording.json"], "are made for GPUs, and not for cpu"),
            (["--task", softmax, "--candidate", ROOT / "docs/results/gpu/conv1d_f16.cu"], "there is no argument"),
            (["--task", softmax, "--candidate", ROOT / "docs/results/gpu/softmax_f16_triton.py"], "this is no candidate for cuda"),
            (["--task", softmax, "--candidate", broken], "columns"),
        ):
            with self.subTest(says):
                said = self.bundle(*words)
                self.assertNotEqual(said.returncode, 0)
                self.assertIn(says, said.stderr)
                self.assertFalse((self.folder / "bundle").exists())


if __name__ == "__main__":
    unittest.main()
