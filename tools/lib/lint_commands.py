"""Shell lines that look at source files with compilers that did not build them, made from their compile commands.

The build is clang++-19's. Sources are for g++ too, those of the programs for clang-tidy-19 besides; headers are for
clang++-19, one by one, as the target check-headers compiles them. None is given the headers that are parsed beforehand:
an include that is missing shows.
"""

import shlex
from pathlib import Path

# The analyzer's take longer than all else of tools/check: the preset `tidy` runs them.
TIDY_CHECKS = "--checks=-clang-analyzer-*"


def as_compiled(name: str, root: Path, build: Path) -> Path:
    """The file that the compiler is given for a file of ours: of a header, the source that holds nothing else."""
    if name.endswith(".hpp"):
        return build / "headers" / (name.replace("/", "_") + ".cpp")
    return root / name


def sources_of(entry: dict[str, str]) -> list[Path]:
    """Returns the sources that this entry of compile_commands.json compiles; several where they are compiled as one."""
    source = Path(entry["file"])
    if source.parent.name == "Unity" and source.is_file():
        lines = source.read_text().splitlines()
        return [Path(line.split('"')[1]) for line in lines if line.startswith('#include "')]
    return [source]


def flags_of(entry: dict[str, str]) -> list[str]:
    """Returns the flags of a compile command, without its input, its outputs and what names parsed headers."""
    words = shlex.split(entry["command"])
    names = [Path(word).name for word in words]
    if "ccache" in names:
        words = words[names.index("ccache") + 1:]
    kept: list[str] = []
    skip = False
    for word in words[1:]:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MT", "-Xclang"):
            skip = True
        elif word not in ("-c", "-MD", "-Winvalid-pch", "-fpch-instantiate-templates", entry["file"]):
            kept.append(word)
    return kept


def lint_commands(entry: dict[str, str], root: Path, named: set[Path]) -> list[str]:
    """The commands for this entry of compile_commands.json, for each of its sources that is named."""
    flags = flags_of(entry)
    clang_flags = [*flags, "-Wno-unknown-warning-option", "-fno-caret-diagnostics"]
    folder = shlex.join(["cd", entry["directory"]]) + " && "
    lines = []
    for source in sources_of(entry):
        if source not in named:
            continue
        if not source.is_relative_to(root) or "headers" in source.parent.parts:
            commands = [["clang++-19", *clang_flags, "-fsyntax-only", str(source)]]
        else:
            commands = [["g++", *flags, "-fsyntax-only", str(source)]]
            if not source.is_relative_to(root / "tests"):
                # Named: the headers' filter is otherwise looked for from the folder that clang-tidy runs in.
                config = f"--config-file={root / '.clang-tidy'}"
                commands.append(["clang-tidy-19", "--quiet", config, TIDY_CHECKS, str(source), "--", *clang_flags])
        lines += [folder + shlex.join(command) for command in commands]
    return lines
