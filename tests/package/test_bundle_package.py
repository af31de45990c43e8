"""Makes a campaign, bundles its winner, installs the bundle's Python package in a fresh environment, and uses it."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "config/examples/pytorch/scaled_norm.toml"
KEVOLVE = Path(os.environ["KEVOLVE_BIN"]) / "kevolve"
WITHOUT = "" if importlib.util.find_spec("torch") else "no torch in this Python (cmake -DKEVOLVE_TORCH_PYTHON=…)"

USE = """
import torch, scaled_norm
from scaled_norm import ModelNew, operator, original
from scaled_norm.reference import Model
from unittest import mock
torch.manual_seed(1)
model, reference = ModelNew(256).eval(), Model(256).eval()
reference.load_state_dict(model.state_dict())
x = torch.randn({rows}, 256)
compiled = torch.compile(model, fullgraph=True)
with torch.no_grad():
    compiled(x)  # tracing asks the reference for shapes
    with mock.patch.object(original, "call", side_effect=AssertionError("the reference ran")):
        found = compiled(x)
assert torch.allclose(found, reference(x), rtol=1e-4, atol=1e-4)
with mock.patch("scaled_norm.model.operator", side_effect=AssertionError("the operator ran")):
    other = torch.randn({other}, 256)
    assert torch.allclose(model(other), reference(other))
    stranger = ModelNew(256, factor=3.0).eval()
    assert torch.allclose(stranger(x), Model(256, 3.0).eval()(x))
print("served by", scaled_norm.cpu_object.CPU is not None)
"""


def run(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    quiet = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=250, check=False, cwd=cwd, env=quiet)


def script_of(text: str) -> str:
    """Returns the text's blocks tagged `torch` and `python` as one script, in their order."""
    out = ['pip() { "$OUTER" -m pip --python "$INNER" --disable-pip-version-check "$@"; }', "trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT"]
    blocks = re.findall(r"^```(torch|python)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks, "no block to run"
    for tag, block in blocks:
        out.append(f"python - <<'KEVOLVE_END'\n{block}KEVOLVE_END" if tag == "python" else block.rstrip())
    return "\n".join(out) + "\n"


def parts_of(document: Path) -> list[str]:
    """Returns a page's sections with blocks to run, each with its heading of the second level."""
    sections = re.split(r"^(?=## )", document.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [s for s in sections if re.search(r"^```(torch|python)$", s, re.MULTILINE)]


class Environment(unittest.TestCase):
    """Tests with a fresh environment that has PyTorch and nothing else."""

    folder: Path
    python: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="kevolve-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.done(run(sys.executable, "-m", "venv", "--without-pip", cls.folder / "venv"))
        cls.python = cls.folder / "venv/bin/python"
        place = cls.done(run(cls.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")).strip()
        torch = importlib.util.find_spec("torch")
        assert torch is not None and torch.origin is not None
        Path(place, "torch.pth").write_text(f"{Path(torch.origin).parents[1]}\n", encoding="utf-8")

    @classmethod
    def pip(cls, *words: object) -> subprocess.CompletedProcess[str]:
        return run(sys.executable, "-m", "pip", "--python", cls.python, "install", "--disable-pip-version-check", *words)

    @classmethod
    def done(cls, x: subprocess.CompletedProcess[str]) -> str:
        assert x.returncode == 0, f"{x.args}\n{x.stdout[-3000:]}\n{x.stderr[-3000:]}"
        return x.stdout


class Installed(Environment):
    """Tests with a bundle, whose package is in the environment."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        data = cls.folder / "data"
        # The page's commands time the winner beside PyTorch; here nothing reads those figures.
        cls.done(run(KEVOLVE, "run", EXAMPLE, "--data", data, "--quiet", "--set", "budget.candidates=2", "--set",
                     "judge.baselines_limit=0"))
        said = cls.done(run(KEVOLVE, "bundle", "--data", data, "--out", cls.folder / "bundle", "--json"))
        assert json.loads(said)["package"] == "scaled_norm", said
        # Without an index nothing can be downloaded, so that the package needs nothing but torch.
        cls.done(cls.pip("--no-index", cls.folder / "bundle"))


@unittest.skipIf(WITHOUT, WITHOUT)
class Package(Installed):
    def use(self, rows: int, other: int, cwd: Path) -> None:
        self.assertIn("served by True", self.done(run(self.python, "-W", "ignore", "-c", USE.format(rows=rows, other=other), cwd=cwd)))

    def test_a_fresh_environment_calls_the_kernel_under_compile(self) -> None:
        self.use(512, 100, self.folder)

    def test_the_packages_own_tests_pass(self) -> None:
        if run(self.python, "-c", "import pytest").returncode != 0:
            self.pip("-q", "pytest")
        has_pytest = run(self.python, "-c", "import pytest").returncode == 0
        words = ["pytest", "-q"] if has_pytest else ["unittest", "discover", "tests"]
        print("  by " + words[0])
        said = run(self.python, "-m", *words, cwd=self.folder / "bundle")
        self.assertEqual(said.returncode, 0, said.stdout[-4000:] + said.stderr[-4000:])
        self.assertRegex(said.stdout + said.stderr, r"19 passed, 1 skipped|Ran 20 tests")

    def test_a_kernel_that_chooses_by_sizes_serves_all_sizes(self) -> None:
        folder = self.folder / "sizes"
        shutil.copytree(self.folder / "bundle/scaled_norm", folder / "scaled_norm")
        plan = json.loads((folder / "scaled_norm/plan.json").read_text(encoding="utf-8"))
        self.assertFalse(plan["any_size"])
        plan["any_size"] = True
        plan["arguments"][1].update(dtype="i64", fill=plan["arguments"][1]["fill"] | {"distribution": "integer", "low": 2, "high": 9})
        (folder / "scaled_norm/plan.json").write_text(json.dumps(plan), encoding="utf-8")
        code = ("import torch, scaled_norm\nfrom scaled_norm.guards import judged_for\n"
                "from scaled_norm.guards import holds_judged_values\n"
                "w, b = torch.full((256,), 9), torch.randn(256)\n"
                "assert holds_judged_values([b, w, b])\n"
                "assert not holds_judged_values([b, w + 1, b]) and not holds_judged_values([b, w - 8, b])\n"
                "assert judged_for([torch.randn(77, 256), w, b]).sizes == {'rows': 77}\n"
                "assert judged_for([torch.randn(77, 255), w, b]) is None\n"
                "assert judged_for([torch.randn(0, 256), w, b]) is None\n"
                "assert judged_for([torch.randn(77, 256), w[:255], b]) is None")
        self.done(run(self.python, "-c", code, cwd=folder))

    def test_a_name_that_hides_a_module_is_refused(self) -> None:
        for name in ("operator", "torch", "Scaled", "a-b", "1a"):
            said = run(KEVOLVE, "bundle", "--data", self.folder / "data", "--out", self.folder / "none", "--name", name)
            self.assertEqual(said.returncode, 2, said.stderr)
            self.assertIn("would do", said.stderr)
        self.done(run(KEVOLVE, "bundle", "--data", self.folder / "data", "--out", self.folder / "named", "--name", "mine"))
        self.assertTrue((self.folder / "named/mine/operator.py").is_file())
        self.assertIn('name = "mine"', (self.folder / "named/pyproject.toml").read_text(encoding="utf-8"))


@unittest.skipIf(WITHOUT, WITHOUT)
class Document(Environment):
    def commands(self, text: str) -> str:
        """Runs the blocks of a page's section in one shell and a folder of its own; returns what they print."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copytree(ROOT / "config", folder / "config")
        (folder / "script").write_text(script_of(text), encoding="utf-8")
        done = subprocess.run(["bash", "-e", "script"], cwd=folder, capture_output=True, text=True, timeout=1400, check=False,
                              env=os.environ | {"PATH": f"{KEVOLVE.parent}:{self.python.parent}:{os.environ['PATH']}",
                                                "PYTHONPATH": str(ROOT / "tools/python"), "PYTHONWARNINGS": "ignore",
                                                "OUTER": sys.executable, "INNER": str(self.python),
                                                # The sandbox reads no packages outside of an interpreter's own folders.
                                                "KEVOLVE_PYTHON": sys.executable})
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        return done.stdout

    def test_every_section_with_commands_is_run(self) -> None:
        headings = [s.splitlines()[0] for page in ("pytorch-package", "python") for s in parts_of(ROOT / f"docs/{page}.md")]
        self.assertEqual(headings, ["## From a campaign to a package", "## A node's campaigns", "## A module in one call"])

    def test_a_campaign_becomes_a_package_by_the_commands_of_its_page(self) -> None:
        [package] = parts_of(ROOT / "docs/pytorch-package.md")
        self.assertIn("right on the first judged shape", self.commands(package))

    def test_a_node_takes_a_campaign_by_the_commands_of_the_page(self) -> None:
        self.assertIn("campaign_finished", self.commands(parts_of(ROOT / "docs/python.md")[0]))

    def test_a_module_is_optimised_by_the_commands_of_the_page(self) -> None:
        self.commands(parts_of(ROOT / "docs/python.md")[1])


@unittest.skipIf(WITHOUT, WITHOUT)
class Long(Installed):
    def test_the_packages_own_tests_find_a_wrong_kernel(self) -> None:
        wrong = self.folder / "wrong"
        shutil.copytree(self.folder / "bundle", wrong)
        source = wrong / "scaled_norm/source/kernel.c"
        text = source.read_text(encoding="utf-8")
        broken = text.replace("1e-5f", "1e-1f")
        self.assertNotEqual(broken, text)
        source.write_text(broken, encoding="utf-8")
        said = run(self.python, "-m", "scaled_norm", "build", cwd=wrong)
        self.assertEqual(said.returncode, 1, said.stdout)  # its own check refuses it
        self.assertIn("outside the tolerance", said.stdout)
        self.done(run("cc", "-O2", "-shared", "-fPIC", "-include", wrong / "scaled_norm/source/prelude_c.h", source, "-o",
                      wrong / "scaled_norm/kernels/cpu.so", "-lm"))
        said = run(self.python, "-m", "unittest", "discover", "tests", "-k", "judged_shapes", cwd=wrong)
        self.assertEqual(said.returncode, 1)
        self.assertIn("outside the tolerance", said.stderr)

    def test_bench_times_every_baseline(self) -> None:
        said = run(self.python, "-W", "ignore", "-m", "scaled_norm", "bench", "--pairs", "2", "--without", "max-autotune", "--json",
                   cwd=self.folder)
        found = json.loads(self.done(said))
        self.assertEqual([r["baseline"] for r in found["rows"]], ["eager", "torch.compile"])
        for r in found["rows"]:
            self.assertEqual(r["unavailable"], "")
            self.assertEqual(len(r["ratios"]), 2)
        slower = [r["high"] < 1 for r in found["rows"]]
        self.assertEqual(found["headline"].startswith("slower than"), any(slower), found["headline"])

    def test_the_headline_is_against_the_best_baseline(self) -> None:
        code = ("from scaled_norm.bench import Row, headline\n"
                "def row(name, x, low): return Row(name, speedup=x, low=low, high=x + 0.05, coverage=0.95, ratios=[x])\n"
                "print(headline([row('eager', 3.0, 2.9), row('torch.compile', 1.5, 1.4)]))\n"
                "print(headline([row('eager', 3.0, 2.9), row('torch.compile', 1.5, 0.9)]))\n"
                "print(headline([row('eager', 0.5, 0.4), row('torch.compile max-autotune', 0.9, 0.8)]))\n"
                "print(headline([row('eager', 0.5, 0.4), row('torch.compile', 1.2, 1.1)]))\n"
                "print(headline([row('eager', 0.98, 0.1), row('torch.compile', 0.99, 0.9)]))\n"
                "print(headline([row('eager', 2.0, 1.9), Row('torch.compile', unavailable='no compiler')]))\n")
        lines = self.done(run(self.python, "-W", "ignore", "-c", code, cwd=self.folder)).splitlines()
        for line, begin in zip(lines, ("1.50 times as fast as torch.compile, the best baseline", "not shown to be faster than torch.compile",
                                       "slower than torch.compile: 0.90 times as fast as torch.compile max-autotune",
                                       "slower than eager: 0.50", "not shown to be faster than eager: 0.98", "2.00 times as fast as eager"), strict=True):
            self.assertTrue(line.startswith(begin), line)
        self.assertTrue(lines[-1].endswith("torch.compile was not timed"))
