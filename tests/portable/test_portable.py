"""Tests the output of tools/portable: each program finds its libraries only there, wherever the folder is."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# These come from the machine, since the C library and its loader belong together.
OF_LIBC = re.compile(r"^(ld-linux|libc\.so|libm\.so|libmvec|libpthread|libdl|librt|libresolv|linux-vdso)")


def run(*words: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Runs a command with only the given environment variables, as helpers are started."""
    environment = {"PATH": os.environ["PATH"], **more}
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False, env=environment)


class Portable(unittest.TestCase):
    """One folder, packed once for all tests."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.place = Path(tempfile.mkdtemp(prefix="kevolve-portable-"))
        cls.packed = run(ROOT / "tools" / "portable", cls.place / "made", "--bin", os.environ["KEVOLVE_BIN"], "--bench")

    @classmethod
    def tearDownClass(cls) -> None:
        shutil.rmtree(cls.place)

    def test_packs_the_programs_within_its_size(self) -> None:
        self.assertEqual(self.packed.returncode, 0, self.packed.stderr)
        self.assertRegex(self.packed.stdout, r"\d+ programs, \d+ libraries, \d+ MiB; needs GLIBC 2\.\d+ or later")
        programs = {p.name for p in (self.place / "made" / "bin").iterdir()}
        helpers = {"kevolve-judge", "kevolve-zygote", "kevolve-compile-server", "kevolve-runner-cuda", "kevolve-torch.pyz",
                   "bench-mutation"}
        self.assertLessEqual({"kevolve", *helpers}, programs)
        self.assertLess(sum(f.stat().st_size for f in (self.place / "made").rglob("*") if f.is_file()), 72 << 20)

    def test_finds_its_libraries_after_it_was_moved(self) -> None:
        moved = self.place / "moved"
        shutil.copytree(self.place / "made", moved)
        for program in (moved / "bin").iterdir():
            for line in run("ldd", program).stdout.splitlines():
                name, _, path = line.strip().partition(" => ")
                if path and not OF_LIBC.match(name):
                    self.assertEqual(Path(path.split()[0]).resolve().parent, (moved / "lib").resolve(), line)
        self.assertTrue(run(moved / "bin" / "kevolve", "--version").stdout.startswith("kevolve "))

    def test_touches_nothing_that_is_there(self) -> None:
        again = run(ROOT / "tools" / "portable", self.place / "made", "--bin", os.environ["KEVOLVE_BIN"])
        self.assertEqual(again.returncode, 5)
        self.assertIn("is there already", again.stderr)
        self.assertEqual(run(ROOT / "tools" / "portable").returncode, 2)


if __name__ == "__main__":
    unittest.main()
