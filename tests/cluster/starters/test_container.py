"""The container file: its packages are those of the lists, the linter accepts it, and it fits the manifests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CONTAINER = ROOT / "tools" / "container"
MANIFESTS = ROOT / "tools" / "kubernetes"
TEXT = (CONTAINER / "Containerfile").read_text()
BIN = Path(os.environ.get("KEVOLVE_BIN", ROOT / "build" / "bin")).resolve()


def section(name: str) -> set[str]:
    """Returns the packages of a section of tools/packages.txt."""
    text = (ROOT / "tools" / "packages.txt").read_text()
    body = re.search(rf"^\[{name}\]\n(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    assert body, name
    return {line for line in body[1].split("\n") if line and not line.startswith("#")}


class Container(unittest.TestCase):
    def test_the_linter_accepts_it(self) -> None:
        linter = Path(sys.executable).parent / "hadolint"
        if not linter.exists():
            self.skipTest("no hadolint: pip install -r tests/cluster/starters/requirements.txt")
        said = subprocess.run([str(linter), "--no-color", str(CONTAINER / "Containerfile")], capture_output=True, text=True, check=False)
        self.assertEqual((said.returncode, said.stdout), (0, ""))
        wrong = subprocess.run([str(linter), "-"], input=TEXT.replace("COPY . .", "COPPY . ."), capture_output=True, text=True, check=False)
        self.assertNotEqual(wrong.returncode, 0)

    def test_lists_no_package_itself(self) -> None:
        named = section("build") | section("run") | section("test") | section("fuzz")
        words = set(re.findall(r"[\w.+-]+", re.sub(r"^#.*$", "", TEXT, flags=re.MULTILINE)))
        self.assertEqual(words & named, set())
        self.assertIn("install_packages build run ", (CONTAINER / "build").read_text())

    def test_the_packages_of_the_run_time_hold_every_library_of_the_programs(self) -> None:
        if not shutil.which("dpkg"):
            self.skipTest("no dpkg")
        said = subprocess.run([str(CONTAINER / "runtime-packages"), str(BIN)], capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)
        packages = said.stdout.split()
        self.assertEqual(packages, sorted(set(packages)))
        self.assertLessEqual(section("run") | {"ca-certificates", "tini", "libc6"}, set(packages))
        self.assertEqual([p for p in packages if p.endswith("-dev") and p not in section("run")], [])
        held = {os.path.realpath(f) for f in subprocess.run(["dpkg", "-L", *packages],
                                                            capture_output=True, text=True, check=False).stdout.split("\n")}
        programs = [p for p in BIN.glob("kevolve*") if p.suffix == ""]
        self.assertGreater(len(programs), 8)
        for program in programs:
            for path in re.findall(r"=> (/\S+)", subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False).stdout):
                self.assertTrue(os.path.realpath(path) in held, f"{program.name}: {path}")

    def test_refuses_a_folder_without_programs(self) -> None:
        said = subprocess.run([str(CONTAINER / "runtime-packages"), str(MANIFESTS)], capture_output=True, text=True, check=False)
        self.assertEqual((said.returncode, said.stdout), (1, ""))

    def test_its_user_and_its_programs_are_those_of_the_manifests(self) -> None:
        user = re.search(r"^USER (\d+):(\d+)$", TEXT, re.MULTILINE)
        assert user
        self.assertIn(f"useradd --uid {user[1]} ", TEXT)
        for name in ("deployment.yaml", "statefulset.yaml"):
            manifest = (MANIFESTS / name).read_text()
            for key in ("runAsUser", "runAsGroup", "fsGroup"):
                self.assertIn(f"{key}: {user[1]}\n", manifest)
        self.assertIn("/usr/local/libexec/kevolve/ask-health\n", (CONTAINER / "build").read_text())
        self.assertIn("/usr/local/libexec/kevolve/ask-health,", (MANIFESTS / "deployment.yaml").read_text())


if __name__ == "__main__":
    unittest.main()
