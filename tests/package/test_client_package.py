"""The client package against a real node on loopback, and its pure parts."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import kevolve
from kevolve import plot, progress
from kevolve.client import common_folder, named_files
from kevolve.describe import load
from kevolve.optimize import budget_settings, bundle_of, drop_in, has_new, package_name
from kevolve.programs import OwnNode

EXAMPLE = Path(__file__).resolve().parents[2] / "config/examples/pytorch/scaled_norm.toml"
HAS_TORCH = importlib.util.find_spec("torch") is not None
WITHOUT_TORCH = "no torch in this Python (cmake -DKEVOLVE_TORCH_PYTHON=…)"

STATUS = {"id": "1a2b3c4d5e6f", "name": "scale", "state": "running", "candidates": 3, "valid": 2, "in_flight": 1,
          "best": {"candidate": 2, "speedup": 2.5, "final": False}, "budget": {"candidates": 10}, "spent": {"wall_s": 75.0}}


def row(index: int, parents: list[int], verdict: str | None, speedup: float) -> dict:
    return {"index": index, "parents": parents, "verdict": verdict, "speedup": speedup}


TREE = [row(0, [], "reference", 1.0), row(1, [0], "pass", 1.5), row(2, [0], "wrong_result", 0.0), row(3, [1], "pass", 1.2),
        row(4, [1, 3], "pass", 3.0), row(5, [4], None, 0.0)]


class Values(unittest.TestCase):
    def test_a_status_is_one_line(self) -> None:
        line = progress.status_line(STATUS)
        for part in ("scale 1a2b3c4d: running", "3 of 10 candidates", "best 2.50x", "not confirmed yet", "1 min 15 s"):
            self.assertIn(part, line)
        self.assertIn("nothing faster yet", progress.status_line(STATUS | {"best": None}))

    def test_progress_rewrites_its_line_in_a_terminal_only(self) -> None:
        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        terminal, pipe = Terminal(), io.StringIO()
        for out in (terminal, pipe):
            view = progress.Progress(out)
            for line in ("one", "one", "two\x1b[2J"):
                view.show(line)
            view.done()
        self.assertEqual(terminal.getvalue(), "\r\x1b[Kone\r\x1b[Ktwo [2J\n")
        self.assertEqual(pipe.getvalue(), "one\ntwo [2J\n")

    def test_progress_updates_one_output_in_a_notebook(self) -> None:
        shown: list[tuple[str, object]] = []

        class Handle:
            def update(self, data: dict, raw: bool) -> None:
                shown.append(("update", data["text/plain"]))

        def display(data: dict, raw: bool, display_id: bool) -> Handle:
            shown.append(("display", data["text/plain"]))
            return Handle()

        shell = type("ZMQInteractiveShell", (), {"__module__": "ipykernel.zmqshell"})()
        fake = types.ModuleType("IPython")
        fake.get_ipython = lambda: shell  # type: ignore[attr-defined]
        parts = types.ModuleType("IPython.display")
        parts.display = display  # type: ignore[attr-defined]
        with mock.patch.dict(sys.modules, {"IPython": fake, "IPython.display": parts}):
            view = progress.Progress()
            for line in ("one", "two"):
                view.show(line)
            view.done()
        self.assertEqual(shown, [("display", "one"), ("update", "two")])

    def test_the_best_so_far_never_falls(self) -> None:
        self.assertEqual(plot.best_so_far(TREE), [(0, 1.0), (1, 1.5), (4, 3.0)])

    def test_the_tree_is_laid_out_below_its_parents(self) -> None:
        places = plot.layout(TREE)
        self.assertEqual({i: d for i, (_, d) in places.items()}, {0: 0, 1: 1, 2: 1, 3: 2, 4: 2, 5: 3})
        self.assertEqual(len({p for i, p in places.items()}), len(TREE))
        self.assertTrue(places[3][0] <= places[1][0] <= places[4][0] < places[2][0])

    def test_a_figure_holds_curve_and_tree(self) -> None:
        if importlib.util.find_spec("matplotlib") is None:
            with self.assertRaisesRegex(kevolve.KevolveError, "pip install matplotlib"):
                plot.figure_of(STATUS, TREE)
            self.skipTest("no matplotlib in this Python")
        figure = plot.figure_of(STATUS, TREE)
        self.assertEqual([a.get_title() for a in figure.axes[:2]], ["best so far", "search tree"])
        out = io.BytesIO()
        figure.savefig(out, format="png")
        self.assertEqual(out.getvalue()[1:4], b"PNG")

    def test_budgets_become_settings(self) -> None:
        self.assertEqual(budget_settings(None), [])
        self.assertEqual(budget_settings(50), ["budget.candidates=50"])
        self.assertEqual(budget_settings("2m"), ['budget.wall="2m"'])
        self.assertEqual(budget_settings({"wall": "90s", "candidates": 5}), ['budget.wall="90s"', "budget.candidates=5"])
        for wrong in ("soon", 0, -3, True, [1]):
            with self.assertRaises(kevolve.KevolveError):
                budget_settings(wrong)  # type: ignore[arg-type]

    def test_files_are_found_by_their_names(self) -> None:
        found = named_files(EXAMPLE)
        self.assertEqual({p.name for p in found},
                         {"scaled_norm.toml", "scaled_norm.task.toml", "scaled_norm.c", "scaled_norm.py"})
        self.assertEqual(common_folder([Path("/a/b/c.toml"), Path("/a/d/e.c")]), Path("/a"))

    def test_a_modules_weights_are_sent_as_bytes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            task = Path(folder).resolve() / "x.task.toml"
            task.write_text('[module]\nfile = "x.py"\nweights = "x.safetensors"\n', encoding="utf-8")
            (task.parent / "x.py").write_text("import torch\n", encoding="utf-8")
            (task.parent / "x.safetensors").write_bytes(b"\xff\x00")
            found = named_files(task)
        self.assertEqual(found[task.parent / "x.safetensors"], b"\xff\x00")
        self.assertIsInstance(found[task.parent / "x.py"], str)

    def test_the_command_line_runs_by_python_m_with_this_python(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            fake = Path(folder) / "kevolve"
            fake.write_text('#!/bin/sh\necho "$KEVOLVE_PYTHON" "$@"\nexit 3\n', encoding="utf-8")
            fake.chmod(0o755)
            environment = {k: v for k, v in os.environ.items() if k != "KEVOLVE_PYTHON"} | {"KEVOLVE_BIN": folder}
            done = subprocess.run([sys.executable, "-B", "-m", "kevolve", "new", "a b.py"], capture_output=True, text=True,
                                  check=False, env=environment)
        self.assertEqual((done.returncode, done.stdout), (3, f"{sys.executable} new a b.py\n"), done.stderr)

    def test_a_package_is_named_by_its_target_and_campaign(self) -> None:
        self.assertEqual(package_name(type("LayerNorm2d", (), {})(), "1a2b3c4d5e"), "layernorm2d_1a2b3c4d")


class Loopback(unittest.TestCase):
    node: kevolve.Node
    folder: Path
    file: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="kevolve-client-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        own = OwnNode(cls.folder, "cpu")
        cls.addClassCleanup(own.close)
        cls.node = own.__enter__()
        cls.data = own.data
        # Not timed beside PyTorch: nothing here reads those figures.
        cls.file = Path(shutil.copytree(EXAMPLE.parent, cls.folder / "example")) / EXAMPLE.name
        with cls.file.open("a", encoding="utf-8") as out:
            out.write("\n[judge]\nbaselines_limit = 0\n")
        cls.campaign = cls.node.submit(cls.file, ["budget.candidates=2"])
        out = io.StringIO()
        with contextlib.redirect_stderr(out):
            cls.status = cls.campaign.wait(timeout=250)
        cls.shown = out.getvalue()

    def test_a_campaign_is_followed_to_its_end(self) -> None:
        self.assertEqual(self.status["state"], "finished")
        lines = self.shown.strip().splitlines()
        self.assertGreater(len(lines), 1)
        self.assertIn("scaled_norm", lines[0])
        self.assertIn(": finished; 2 of 2 candidates", lines[-1])
        self.assertEqual([c.id for c in self.node.campaigns()], [self.campaign.id])
        self.assertEqual(self.node.campaign(self.campaign.id[:8]).id, self.campaign.id)
        self.assertIn("finished", self.campaign._repr_html_())

    def test_the_same_files_are_the_same_campaign(self) -> None:
        self.assertEqual(self.node.submit(self.file, ["budget.candidates=2"]).id, self.campaign.id)

    def test_events_come_once_and_in_order_and_end(self) -> None:
        events = list(self.campaign.events())
        numbers = [e["sequence"] for e in events]
        self.assertEqual(numbers, sorted(set(numbers)))
        kinds = [e["kind"] for e in events]
        self.assertEqual(kinds[0], "campaign_submitted")
        self.assertIn("campaign_finished", kinds)
        rest = list(self.campaign.events(after=numbers[3]))
        self.assertEqual([e["sequence"] for e in rest], numbers[4:])

    def test_tree_and_best_agree(self) -> None:
        tree = self.campaign.tree()
        self.assertEqual([r["index"] for r in tree], [0, 1, 2])
        best = self.campaign.best()
        self.assertEqual(best["index"], self.status["best"]["candidate"])
        self.assertEqual(self.campaign.candidate(best["index"])["source"], best["source"])
        self.assertGreater(len(self.campaign.history()), 5)
        self.assertGreater(plot.best_so_far(tree)[-1][1], 1.0)

    def test_errors_say_what_to_do(self) -> None:
        with self.assertRaises(kevolve.NodeError) as missing:
            self.node.campaign("ffffffff")
        self.assertEqual(missing.exception.status, 404)
        with self.assertRaises(kevolve.NodeError) as wrong:
            kevolve.connect(self.node.http.url, "wrong")
        self.assertEqual(wrong.exception.status, 401)
        with self.assertRaisesRegex(kevolve.KevolveError, "does not answer"):
            kevolve.connect("http://127.0.0.1:1", "x")
        with self.assertRaisesRegex(kevolve.KevolveError, "no node runs on"):
            kevolve.connect(data=self.folder / "nowhere")
        with self.assertRaisesRegex(kevolve.KevolveError, "no address"):
            kevolve.connect("127.0.0.1:7700", "x")
        with self.assertRaisesRegex(kevolve.NodeError, "serch.policy"):
            self.node.submit(EXAMPLE, ["serch.policy=uct"])
        with self.assertRaises(kevolve.NodeError) as ended:
            self.campaign.pause("for a test")
        self.assertEqual(ended.exception.status, 409)

    @unittest.skipUnless(HAS_TORCH, WITHOUT_TORCH)
    def test_the_best_becomes_a_drop_in(self) -> None:
        import torch

        module = load(EXAMPLE.with_suffix(".py"), "scaled_norm_source").Model(256).eval()
        with torch.no_grad():
            module.norm.weight.uniform_(0.5, 2.0)
        for name, data in (("by_data", self.data), ("by_url", None)):
            with self.subTest(name):
                package = bundle_of(self.campaign, data, self.folder / name, f"{name}_1")
                new = drop_in(package, module)
                x = torch.randn(512, 256)
                with torch.no_grad(), mock.patch.object(package.original, "call", side_effect=AssertionError("reference")):
                    self.assertTrue(torch.allclose(new(x), module(x), rtol=1e-4, atol=1e-4))
                self.assertFalse((self.folder / "token").exists())

    @unittest.skipUnless(HAS_TORCH, WITHOUT_TORCH)
    def test_optimise_returns_a_drop_in(self) -> None:
        import torch

        module = load(EXAMPLE.with_suffix(".py"), "scaled_norm_source").Model(256).eval()
        module.norm.weight.requires_grad_(False)
        x = torch.randn(512, 256)
        out = io.StringIO()
        with contextlib.redirect_stderr(out):
            new = kevolve.optimize(module, x, budget=2, node=self.node, campaign=self.file, folder=self.folder / "optimised")
        self.assertIn("finished; 2 of 2 candidates", out.getvalue())
        self.assertEqual(new.kevolve_status["state"], "finished")
        package = sys.modules[type(new).__module__.partition(".")[0]]
        self.assertTrue(package.model.JUDGED.state.holds(new))  # else the reference would run, unseen
        self.assertEqual([p.requires_grad for p in new.parameters()], [False, True])
        self.assertFalse(new.training)
        self.assertTrue(torch.allclose(new(x), module(x), rtol=1e-4, atol=1e-4))
        other = load(EXAMPLE.with_suffix(".py"), "scaled_norm_source").Model(256, factor=3.0).eval()
        with self.assertRaisesRegex(kevolve.KevolveError, "was the campaign made from this module"):
            kevolve.optimize.__globals__["compare"](new, other, (x,))


class Long(unittest.TestCase):
    """The commands of docs/python.md make the same call in the default tier."""

    @unittest.skipUnless(HAS_TORCH, WITHOUT_TORCH)
    def test_optimise_begins_with_a_module_alone(self) -> None:
        if not has_new():
            self.skipTest("this kevolve has no `kevolve new`")
        import torch
        from torch import nn

        module = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64)).eval()
        x = torch.randn(128, 32)
        with contextlib.redirect_stderr(io.StringIO()):
            new = kevolve.optimize(module, x, budget=2)  # by a node of its own
        values = sys.modules[type(new).__module__].operator_arguments(new, (x,), {})
        self.assertIsNotNone(values)
        self.assertTrue(torch.allclose(new(x), module(x), rtol=1e-3, atol=1e-4))
        self.assertEqual(list(new.state_dict()), list(module.state_dict()))


if __name__ == "__main__":
    unittest.main()
