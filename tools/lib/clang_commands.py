"""Prints one shell line per source of ours: its compile command with clang++-19, syntax and warnings only."""

import json
import shlex
import sys
from pathlib import Path


def clang_command(entry: dict[str, str], root: Path) -> str | None:
    """The command for this entry of compile_commands.json, or None if the source is not ours or not C++."""
    source = Path(entry["file"])
    if not source.is_relative_to(root) or source.is_relative_to(root / "build") or source.suffix != ".cpp":
        return None
    words = shlex.split(entry["command"])
    if Path(words[0]).name == "ccache":
        words = words[1:]
    kept: list[str] = []
    skip = False
    for word in words[1:]:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MT"):
            skip = True
        elif word not in ("-c", "-MD", str(source)):
            kept.append(word)
    flags = ["-fsyntax-only", "-Wno-unknown-warning-option", "-fno-caret-diagnostics"]
    return shlex.join(["cd", entry["directory"]]) + " && " + shlex.join(["clang++-19", *kept, *flags, str(source)])


def main() -> int:
    commands, root = Path(sys.argv[1]), Path(sys.argv[2])
    seen: set[str] = set()
    for entry in json.loads(commands.read_text()):
        line = clang_command(entry, root)
        if line and line not in seen:
            seen.add(line)
            # xargs -I reads a whole line; quoting it once more keeps its own quotes.
            print(shlex.quote(line))
    return 0 if seen else 1


if __name__ == "__main__":
    sys.exit(main())
