"""An installation runs by itself: helper programs, examples, completions, manual pages and unit are found in it."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TASKS = ROOT / "tests" / "node" / "tasks"
BUILT = Path(os.environ["KEVOLVE_BUILD"]) / "bin"


class Install(unittest.TestCase):
    """One installation for all tests."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.place = Path(tempfile.mkdtemp(prefix="kevolve-install-"))
        cls.prefix = cls.place / "usr"
        cls.bin = cls.prefix / "bin"
        cls.helpers = cls.prefix / "libexec" / "kevolve"
        for name in ("row_energy.c", "row_energy.task.toml", "row_energy.toml"):
            shutil.copy(TASKS / name, cls.place)
        made = subprocess.run([os.environ["KEVOLVE_CMAKE"], "--install", os.environ["KEVOLVE_BUILD"], "--prefix",
                               str(cls.prefix)], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise AssertionError(made.stdout[-2000:] + made.stderr)

    @classmethod
    def tearDownClass(cls) -> None:
        shutil.rmtree(cls.place)

    def run_in(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs an installed program in the folder of the installation without our environment, and returns its outcome."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.place)}
        return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False, cwd=self.place,
                              env=environment)

    def test_lays_files_where_a_distribution_looks_for_them(self) -> None:
        expected = ["bin/kevolve", "bin/kevolved", "libexec/kevolve/kevolve-judge", "libexec/kevolve/kevolve-zygote", "libexec/kevolve/kevolve-serve",
                    "libexec/kevolve/kevolve-profiler",
                    "libexec/kevolve/kevolve-compile-server", "libexec/kevolve/kevolve-compile-server-cuda",
                    "lib/systemd/system/kevolved.service", "lib/systemd/system/kevolved@.service", "share/bash-completion/completions/kevolve",
                    "share/zsh/site-functions/_kevolve", "share/fish/vendor_completions.d/kevolve.fish",
                    "share/man/man1/kevolve.1", "share/man/man1/kevolve-run.1", "share/doc/kevolve/LICENSE",
                    "share/doc/kevolve/README.md", "share/kevolve/examples/gemm.toml",
                    "share/kevolve/examples/kevolved.toml", "share/kevolve/tasks/gemm.task.toml",
                    "share/doc/kevolve/docs/results/README.md", "libexec/kevolve/kevolve-torch.pyz",
                    "libexec/kevolve/kevolve-cuda-facts", "libexec/kevolve/kevolve-runner-cuda"]
        # These are built only where their libraries are found.
        optional = ("kevolve-sanitised-replay", "kevolve-loop-probes.so")
        expected += [f"libexec/kevolve/{name}" for name in optional if (BUILT / name).is_file()]
        self.assertEqual([name for name in expected if not (self.prefix / name).is_file()], [])
        self.assertEqual({p.name for p in self.bin.iterdir()}, {"kevolve", "kevolved"})
        self.assertEqual([p.name for p in self.helpers.iterdir() if not p.name.startswith("kevolve-")], [])

    def test_the_pages_that_documents_link_to_are_installed_without_raw_data(self) -> None:
        documents = self.prefix / "share/doc/kevolve"
        readers = [documents / "README.md", *(documents / "docs").glob("*.md")]
        links = {(page.parent / link).resolve() for page in readers
                 for link in re.findall(r"\]\(([^):#]*results/[\w-]+\.md)", page.read_text())}
        self.assertGreater(len(links), 5)
        self.assertEqual(sorted(str(link) for link in links if not link.is_file()), [])
        self.assertEqual([p.name for p in (documents / "docs/results").rglob("*") if p.suffix not in (".md", ".png")], [])

    def test_the_units_start_the_installed_daemon(self) -> None:
        for name, settings in (("kevolved.service", "kevolved.toml"), ("kevolved@.service", "%i.toml")):
            unit = (self.prefix / "lib/systemd/system" / name).read_text()
            self.assertIn(f"ExecStart={self.bin}/kevolved /etc/kevolve/{settings}\n", unit)
            self.assertNotIn("/usr/local/bin/kevolved", unit)

    def test_the_daemon_is_found_by_the_program_that_people_start(self) -> None:
        said = self.run_in(self.bin / "kevolved", "--version")
        self.assertRegex(said.stdout, r"^kevolved \d+\.\d+\.\d+ \(commit .+, \w+\)\n$", said.stderr)

    def test_finds_its_helpers_in_the_installation(self) -> None:
        rows = json.loads(self.run_in(self.bin / "kevolve", "doctor", "--json").stdout)
        places = [str(self.helpers / name) for name in ("kevolve-judge", "kevolve-zygote", "kevolve-compile-server")]
        self.assertEqual([place for place in places if place not in json.dumps(rows)], [])

    def test_every_installed_example_is_valid_where_it_lies(self) -> None:
        examples = [p for p in (self.prefix / "share/kevolve/examples").glob("*.toml")
                    if not p.name.endswith(".task.toml") and p.name != "kevolved.toml"]
        self.assertGreater(len(examples), 5)
        for example in examples:
            said = self.run_in(self.bin / "kevolve", "campaign", "validate", example)
            self.assertEqual(said.returncode, 0, said.stderr)

    def test_judges_a_candidate(self) -> None:
        said = self.run_in(self.bin / "kevolve", "eval", "row_energy.task.toml", "row_energy.c", "--json")
        self.assertEqual(json.loads(said.stdout)["verdict"], "pass", said.stderr)

    def test_runs_a_campaign(self) -> None:
        said = self.run_in(self.bin / "kevolve", "run", "row_energy.toml", "--json", "--set", "budget.candidates=4",
                           "--data", "data")
        last = json.loads(said.stdout.strip().splitlines()[-1])
        self.assertEqual(last["state"], "finished", said.stderr)
        self.assertGreater(last["valid"], 0)

    def test_names_the_helper_that_is_missing_and_where_it_belongs(self) -> None:
        alone = self.place / "partial"
        shutil.copytree(self.prefix, alone)
        gone = alone / "libexec" / "kevolve" / "kevolve-judge"
        gone.unlink()
        said = self.run_in(alone / "bin" / "kevolve", "eval", "row_energy.task.toml", "row_energy.c")
        self.assertEqual(said.returncode, 2, said.stderr)
        self.assertIn(f"kevolve-judge is missing: target cpu starts it as {gone}; ", said.stderr)


if __name__ == "__main__":
    unittest.main()
