"""The template unit of tools/systemd confines its instances as the unit does, and systemd reads it."""

from __future__ import annotations

import re
import shutil
import subprocess
import unittest
from pathlib import Path

UNITS = Path(__file__).resolve().parents[3] / "tools" / "systemd"
# An instance has folders and settings of its own, waits for the network and the database, and takes longer to drain.
DIFFERENT = {"Description", "Wants", "After", "ExecStart", "TimeoutStopSec", "StateDirectory", "LogsDirectory"}


def settings(name: str) -> list[tuple[str, str]]:
    """Returns the names and values of a unit file, in order."""
    lines = (UNITS / name).read_text().splitlines()
    return [tuple(line.split("=", 1)) for line in lines if re.match(r"\w+=", line)]  # type: ignore[misc]


class Template(unittest.TestCase):
    def test_confines_as_the_unit_does(self) -> None:
        unit, template = settings("kevolved.service"), settings("kevolved@.service")
        self.assertGreater(len(unit), 40)
        self.assertEqual([s for s in template if s[0] not in DIFFERENT], [s for s in unit if s[0] not in DIFFERENT])

    def test_instances_share_no_folder(self) -> None:
        template = dict(settings("kevolved@.service"))
        self.assertEqual([template[name] for name in ("StateDirectory", "LogsDirectory")], ["kevolve/%i", "kevolve/%i"])
        self.assertTrue(template["ExecStart"].endswith(" /etc/kevolve/%i.toml"))

    def test_is_as_confined_as_it_says(self) -> None:
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze")
        for name in ("kevolved.service", "kevolved@.service"):
            said = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=20", str(UNITS / name)],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(said.returncode, 0, said.stdout[-500:] + said.stderr)

    def test_systemd_knows_every_setting(self) -> None:
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze")
        said = subprocess.run(["systemd-analyze", "verify", "--man=no", str(UNITS / "kevolved@.service")],
                              capture_output=True, text=True, check=False)
        self.assertEqual([x for x in said.stderr.splitlines() if "kevolved@" in x and "is not executable" not in x], [])


if __name__ == "__main__":
    unittest.main()
