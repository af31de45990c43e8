"""Prints one shell line per source of ours that has clang say what it thinks of it, by its compile command.

Sources whose names stand on standard input are for clang-tidy-19, which gives clang's own warnings too and takes three
times as long; the others for clang++-19.
"""

import json
import shlex
import sys
from pathlib import Path

# The analyzer's take longer than all else of tools/check: the preset `tidy` runs them.
TIDY_CHECKS = "--checks=-clang-analyzer-*"


def sources_of(entry: dict[str, str], root: Path) -> list[Path]:
    """Our C++ sources in this entry of compile_commands.json; several where they are compiled as one."""
    source = Path(entry["file"])
    found = [source]
    if source.parent.name == "Unity" and source.is_file():
        lines = source.read_text().splitlines()
        found = [Path(line.split('"')[1]) for line in lines if line.startswith('#include "')]
    return [s for s in found if s.is_relative_to(root) and not s.is_relative_to(root / "build") and s.suffix == ".cpp"]


def clang_commands(entry: dict[str, str], root: Path, tidied: set[Path]) -> list[str]:
    """The commands for this entry of compile_commands.json, one for each source of ours."""
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
        elif word not in ("-c", "-MD", entry["file"]):
            kept.append(word)
    kept += ["-Wno-unknown-warning-option", "-fno-caret-diagnostics"]
    folder = shlex.join(["cd", entry["directory"]]) + " && "
    lines = []
    for source in sources_of(entry, root):
        if source in tidied:
            # Named: the headers' filter is otherwise looked for from the folder that clang-tidy runs in.
            config = f"--config-file={root / '.clang-tidy'}"
            words = ["clang-tidy-19", "--quiet", config, TIDY_CHECKS, str(source), "--", *kept]
        else:
            words = ["clang++-19", *kept, "-fsyntax-only", str(source)]
        lines.append(folder + shlex.join(words))
    return lines


def main() -> int:
    commands, root = Path(sys.argv[1]), Path(sys.argv[2])
    tidied = {root / line.strip() for line in sys.stdin}
    seen: set[str] = set()
    for entry in json.loads(commands.read_text()):
        for line in clang_commands(entry, root, tidied):
            if line not in seen:
                seen.add(line)
                # xargs -I reads a whole line; quoting it once more keeps its own quotes.
                print(shlex.quote(line))
    return 0 if seen else 1


if __name__ == "__main__":
    sys.exit(main())
