"""Looks at source files with compilers that did not build them, and remembers what was clean.

usage: lint.py BUILD ROOT JOBS FILE…

Each file's commands come from lint_commands.py. A command that passed is not run again while the command, the file, the
project's headers that it includes and .clang-tidy stay the same: BUILD/lint-passed holds a hash of them a line. Prints
what the commands say of files that are not clean. Exit 1 if there are any.
"""

import hashlib
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lint_commands

INCLUDE = re.compile(rb'^\s*#\s*include "([^"]+)"', re.MULTILINE)


class Contents:
    """Hashes of files together with the project's headers that they include, each file read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.known: dict[Path, tuple[bytes, list[Path]]] = {}

    def read(self, path: Path) -> tuple[bytes, list[Path]]:
        """Returns the file's own hash, and the files of the project that it includes."""
        if path not in self.known:
            text = path.read_bytes()
            named = [name.decode() for name in INCLUDE.findall(text)]
            found = [p for name in named for p in (self.root / name, path.parent / name) if p.is_file()]
            self.known[path] = (hashlib.sha256(text).digest(), found)
        return self.known[path]

    def key(self, command: str, path: Path) -> str:
        """Returns a hash of the command and of everything of ours that its result depends on."""
        whole = hashlib.sha256(command.encode())
        tidy = self.root / ".clang-tidy"
        if tidy.is_file():
            whole.update(tidy.read_bytes())
        open_, seen = [path], {path}
        while open_:
            digest, included = self.read(open_.pop())
            whole.update(digest)
            for other in sorted(set(included) - seen):
                seen.add(other)
                open_.append(other)
        return whole.hexdigest()


def commands_for(build: Path, root: Path, names: list[str]) -> dict[str, Path]:
    """Returns every command that looks at one of these files, with the file that it compiles."""
    named = {lint_commands.as_compiled(name, root, build) for name in names}
    out: dict[str, Path] = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        for source in lint_commands.sources_of(entry):
            if source in named:
                for command in lint_commands.lint_commands(entry, root, {source}):
                    out[command] = source
    return out


def run(command: str) -> tuple[int, str]:
    """The command's exit status and what it says, notes aside: they name what did not match, by the hundred."""
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, "".join(line for line in done.stdout.splitlines(True) if ": note: " not in line)


def main() -> int:
    """Runs the commands that did not pass before; the exit status says whether all files are clean."""
    build, root, jobs = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), int(sys.argv[3])
    passed = build / "lint-passed"
    known = set(passed.read_text().split()) if passed.is_file() else set()
    contents = Contents(root)
    wanted = {contents.key(command, source): command for command, source in commands_for(build, root, sys.argv[4:]).items()}
    open_ = {key: command for key, command in wanted.items() if key not in known}
    failed = 0
    with ThreadPoolExecutor(max_workers=jobs) as pool, passed.open("a") as record:
        for key, (status, said) in zip(open_, pool.map(run, open_.values()), strict=True):
            if status == 0 and "warning:" not in said:
                record.write(key + "\n")
            else:
                failed += 1
                print(said, end="")
    print(f"{len(wanted)} commands, {len(wanted) - len(open_)} of them known to pass, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
