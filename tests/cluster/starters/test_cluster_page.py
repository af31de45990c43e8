"""The commands of docs/cluster.md, from nothing to three nodes, as an ordinary user runs them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import postgres

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(os.environ.get("KEVOLVE_BIN", ROOT / "build" / "bin")).resolve()
sys.path.append(str(ROOT / "tests" / "docs"))
import documents  # noqa: E402


@unittest.skipIf(not postgres.programs(), "no PostgreSQL: apt-get install postgresql")
class Page(unittest.TestCase):
    def test_its_commands_start_three_nodes_and_run_a_campaign(self) -> None:
        blocks = [b.text for b in documents.blocks_of((ROOT / "docs" / "cluster.md").read_text()) if b.tag == "cluster"]
        self.assertEqual(len(blocks), 2)
        folder = Path(tempfile.mkdtemp(prefix="kevolve-page-"))
        self.addCleanup(shutil.rmtree, folder)
        shutil.copytree(ROOT / "config", folder / "config")
        (folder / "script").write_text("set -Eeuo pipefail\ntrap 'echo \"failed: $BASH_COMMAND\" >&2' ERR\n" + "\n".join(blocks))
        if os.geteuid() == 0:
            shutil.chown(folder, postgres.UNPRIVILEGED)
        environment = {**os.environ, "PATH": f"{BIN}:{postgres.programs()}:{os.environ['PATH']}", "HOME": str(folder)}
        with (folder / "output").open("w") as output:
            shell = subprocess.Popen(["bash", "script"], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                     stderr=subprocess.STDOUT, start_new_session=True, **postgres.as_ordinary_user())
            try:
                status = shell.wait(timeout=500)
            finally:
                self.end(shell, folder)
        said = (folder / "output").read_text() + "".join(p.read_text()[-2000:] for p in sorted(folder.glob("*.log")))
        self.assertEqual(status, 0, said)
        for name in ("home-1", "worker-1", "worker-2"):
            self.assertIn(f"\n{name} ", said)
        self.assertIn("database system is shut down", said)

    def end(self, shell: subprocess.Popen[bytes], folder: Path) -> None:
        """Ends whatever the commands left behind."""
        try:
            os.killpg(shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        shell.wait()
        pid = folder / "database" / "postmaster.pid"
        if pid.exists():
            os.kill(int(pid.read_text().split()[0]), signal.SIGQUIT)


if __name__ == "__main__":
    unittest.main()
