"""Tests that the committed page is built from its sources and lock file."""

from __future__ import annotations

import os
import shutil
import subprocess
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

PAGE = Path(__file__).resolve().parents[2] / "runtime" / "node" / "page"
INPUTS = ["package.json", "package-lock.json", ".npmrc", "tsconfig.json", "build.mjs"]


class Bundle(unittest.TestCase):
    def test_the_committed_bundle_is_what_the_lock_file_and_the_sources_make(self) -> None:
        npm = shutil.which("npm")
        if npm is None:
            self.skipTest("no npm; it rebuilds the page to compare")
        with TemporaryDirectory(prefix="kevolve-page-") as folder:
            copy = Path(folder)
            for name in INPUTS:
                shutil.copy(PAGE / name, copy)
            shutil.copytree(PAGE / "src", copy / "src")

            def run(*command: str) -> subprocess.CompletedProcess[str]:
                return subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=300, check=False)

            installed = run(npm, "ci")
            if installed.returncode != 0:
                unreachable = any(x in installed.stderr for x in ("ENOTFOUND", "ETIMEDOUT", "ECONNREFUSED", "EAI_AGAIN", "ENETUNREACH"))
                if unreachable:
                    self.skipTest("the npm registry is out of reach")
                self.fail(installed.stderr[-2000:])
            checked = run(npm, "run", "--silent", "check")
            self.assertEqual(checked.returncode, 0, checked.stdout[-3000:])
            built = run("node", "build.mjs", os.fspath(copy / "built"))
            self.assertEqual(built.returncode, 0, built.stderr[-3000:])
            names = sorted(f.name for f in (PAGE / "built").iterdir())
            self.assertEqual(names, sorted(f.name for f in (copy / "built").iterdir()))
            for name in names:
                same = (PAGE / "built" / name).read_bytes() == (copy / "built" / name).read_bytes()
                self.assertTrue(same, f"built/{name} is not what the sources make: run npm ci && npm run build in runtime/node/page")
