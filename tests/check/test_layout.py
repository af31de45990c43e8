"""Tests the rules of the layout: targets are separate, and dependencies point one way."""

import graphlib
import re
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
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
# Programs and registries made of the parts of several targets, with the files that name these.
COMPOSED = {
    "gpu_compile_server": {"engine.hpp": {"cuda", "triton", "hip"}},
    "profile": {"registry.cpp": {"cpu", "triton"}},
}


def targets() -> tuple[str, ...]:
    """Returns the folders of the registered targets."""
    registry = (ROOT / "backends" / "targets.cpp").read_text()
    return tuple(sorted(set(re.findall(r'^#include "backends/(\w+)/\w+_target\.hpp"', registry, re.M))))


def shared() -> tuple[str, ...]:
    """Returns every other folder of the backends: parts that targets share."""
    folders = {p.name for p in (ROOT / "backends").iterdir() if p.is_dir()}
    return tuple(sorted(folders - set(targets())))


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


def folder_of(name: str) -> str:
    """Returns the first folder of a path, or nothing."""
    return name.split("/")[0] if "/" in name else ""


def edges_of_actors(shared_headers: list[str]) -> dict[tuple[str, str], list[str]]:
    """Returns the includes between folders of actors/ but for the shared headers, by the pair of folders."""
    edges: dict[tuple[str, str], list[str]] = {}
    for path, name in includes(ROOT / "actors"):
        here = folder_of("/".join(path.parts[1:]))
        there = name.removeprefix("actors/")
        if name == there or folder_of(there) in ("", here) or there.startswith(tuple(shared_headers)):
            continue
        edges.setdefault((here, folder_of(there)), []).append(f"{path}: {name}")
    return edges


class Layout(unittest.TestCase):
    """Checks includes. The linker checks the rest, where a folder is a library of its own."""

    def test_the_folders_are_found(self) -> None:
        self.assertTrue({"cpu", "cuda", "triton", "hip"} <= set(targets()))
        self.assertTrue({"judge", "profile", "gpu_compile_server"} <= set(shared()))

    def test_no_target_includes_another(self) -> None:
        for target in targets():
            self.assertEqual(wrong_between(target, tuple(t for t in targets() if t != target)), [])

    def test_no_shared_folder_includes_a_target(self) -> None:
        for folder in shared():
            composed = COMPOSED.get(folder, {})
            named: dict[str, set[str]] = {}
            for found in wrong_between(folder, targets()):
                path, name = found.split(": ")
                named.setdefault(Path(path).name, set()).add(name.split("/")[1])
            self.assertEqual(named, composed, folder)

    def test_dependencies_point_one_way(self) -> None:
        wrong = []
        for folder, allowed in MAY_INCLUDE.items():
            for path, name in includes(ROOT / folder):
                if not name.startswith((f"{folder}/", *(f"{a}/" for a in allowed))):
                    wrong.append(f"{path}: {name}")
        self.assertEqual(wrong, [])

    def test_folders_of_actors_include_what_their_table_allows(self) -> None:
        table = tomllib.loads((ROOT / "actors" / "folders.toml").read_text())
        may = table["may_include"]
        self.assertEqual(set(may), {p.name for p in (ROOT / "actors").iterdir() if p.is_dir()})
        found = edges_of_actors(table["shared"])
        allowed = {(here, there) for here, others in may.items() for there in others}
        self.assertEqual([x for edge in sorted(set(found) - allowed) for x in found[edge]], [])
        self.assertEqual(allowed - set(found), set(), "edges that no include needs")
        try:
            list(graphlib.TopologicalSorter(may).static_order())
        except graphlib.CycleError as e:
            self.fail(f"a cycle: {e.args[1]}")

    def test_a_fixture_of_several_test_folders_is_in_support(self) -> None:
        wrong = [
            f"{path}: {name}"
            for path, name in includes(ROOT / "tests")
            if name.startswith("tests/") and name.split("/")[1] not in (path.parts[1], "support")
        ]
        self.assertEqual(wrong, [])

    def test_shared_headers_of_actors_are_included_elsewhere(self) -> None:
        table = tomllib.loads((ROOT / "actors" / "folders.toml").read_text())
        by_others = {
            name.removeprefix("actors/")
            for path, name in includes(ROOT / "actors")
            if folder_of(name.removeprefix("actors/")) != folder_of("/".join(path.parts[1:]))
        }
        unused = [x for x in table["shared"] if not any(name.startswith(x) for name in by_others)]
        self.assertEqual(unused, [])


if __name__ == "__main__":
    unittest.main()
