"""Prints one shell line per file named on standard input that has clang say what it thinks of it, by its compile command.

The programs' sources are for clang-tidy-19, which gives clang's own warnings too and takes three times as long; tests, and
headers as the target check-headers compiles them, are for clang++-19.
"""

import json
import shlex
import sys
from pathlib import Path

# The analyzer's take longer than all else of tools/check: the preset `tidy` runs them.
TIDY_CHECKS = "--checks=-clang-analyzer-*"


def as_compiled(name: str, root: Path, build: Path) -> Path:
    """The file that the compiler is given for a file of ours: of a header, the source that holds nothing else."""
    if name.endswith(".hpp"):
        return build / "headers" / (name.replace("/", "_") + ".cpp")
    return root / name


def sources_of(entry: dict[str, str]) -> list[Path]:
    """What this entry of compile_commands.json compiles; several where they are compiled as one."""
    source = Path(entry["file"])
    if source.parent.name == "Unity" and source.is_file():
        lines = source.read_text().splitlines()
        return [Path(line.split('"')[1]) for line in lines if line.startswith('#include "')]
    return [source]


def clang_commands(entry: dict[str, str], root: Path, named: set[Path]) -> list[str]:
    """The commands for this entry of compile_commands.json, one for each of its sources that is named."""
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
    for source in sources_of(entry):
        if source not in named:
            continue
        ours = source.is_relative_to(root) and "headers" not in source.parent.parts
        if ours and not source.is_relative_to(root / "tests"):
            # Named: the headers' filter is otherwise looked for from the folder that clang-tidy runs in.
            config = f"--config-file={root / '.clang-tidy'}"
            words = ["clang-tidy-19", "--quiet", config, TIDY_CHECKS, str(source), "--", *kept]
        else:
            words = ["clang++-19", *kept, "-fsyntax-only", str(source)]
        lines.append(folder + shlex.join(words))
    return lines


def main() -> int:
    commands, root = Path(sys.argv[1]), Path(sys.argv[2])
    named = {as_compiled(line.strip(), root, commands.resolve().parent) for line in sys.stdin}
    seen: set[str] = set()
    for entry in json.loads(commands.read_text()):
        for line in clang_commands(entry, root, named):
            if line not in seen:
                seen.add(line)
                # xargs -I reads a whole line; quoting it once more keeps its own quotes.
                print(shlex.quote(line))
    return 0 if seen else 1


if __name__ == "__main__":
    sys.exit(main())
