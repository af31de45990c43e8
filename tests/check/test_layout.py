"""Tests the rules of the layout: targets are separate, and dependencies point one way."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGETS = ("cpu", "cuda", "triton", "hip")
# A folder may include those at its right, and itself.
MAY_INCLUDE = {
    "runtime/base": (),
    "config": ("runtime/base",),
    "store": ("runtime/base",),
    "backends": ("config", "runtime/base"),
    "actors": ("backends", "store", "config", "runtime/base"),
    "runtime/node": ("actors", "backends", "store", "config", "runtime/base"),
    "tools": ("runtime/node", "actors", "backends", "store", "config", "runtime/base"),
}
# Folders shared by targets; they include no target.
SHARED = ("judge", "compile", "launch_plan", "framework", "nvidia", "amd", "llm", "generators")


def includes(folder: Path) -> list[tuple[Path, str]]:
    """Returns every quoted include below the folder, with its file."""
    out = []
    for path in sorted(folder.rglob("*.[ch]pp")):
        for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.M):
            out.append((path.relative_to(ROOT), name))
    return out


def wrong_between(folder: str, forbidden: tuple[str, ...]) -> list[str]:
    """Returns includes below backends/folder of any of the forbidden backends."""
    return [
        f"{path}: {name}"
        for path, name in includes(ROOT / "backends" / folder)
        for other in forbidden
        if name.startswith(f"backends/{other}/")
    ]


class Layout(unittest.TestCase):
    """Checks includes. The linker checks the rest, since each folder is a library of its own."""

    def test_every_folder_is_there(self) -> None:
        for name in (*TARGETS, *SHARED):
            self.assertTrue(includes(ROOT / "backends" / name), name)

    def test_no_target_includes_another(self) -> None:
        for target in TARGETS:
            self.assertEqual(wrong_between(target, tuple(t for t in TARGETS if t != target)), [])

    def test_no_shared_folder_includes_a_target(self) -> None:
        for folder in SHARED:
            self.assertEqual(wrong_between(folder, TARGETS), [])

    def test_dependencies_point_one_way(self) -> None:
        wrong = []
        for folder, allowed in MAY_INCLUDE.items():
            for path, name in includes(ROOT / folder):
                if not name.startswith((f"{folder}/", *(f"{a}/" for a in allowed))):
                    wrong.append(f"{path}: {name}")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
