"""Lists comments, names of tests and commit subjects that break the rules of CONTRIBUTING.md, "Words".

Each is listed as FILE:LINE: RULE: TEXT. The comments are those of C++, Python with its docstrings, TypeScript, shell,
CMake and TOML. Documents in Markdown are read, too. With --against REV, only lines that were added since REV count, and
commit subjects since REV are read. Exit 1 if anything is listed. --count prints numbers instead; with --against REV,
those of REV beside today's.
"""

import argparse
import io
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import comments
import word_rules

LONGEST_SUBJECT = 60
# Folders of programs and tests at any revision; data, fixtures and other people's words are left out.
FOLDERS = ("actors/", "backends/", "cmake/", "config/", "docs/", "runtime/", "store/", "tests/", "tools/")
DATA = ("/cheats/", "/honest/", "/nests/", "/node_modules/")
DOCUMENTS = ("docs/results/", "/knowledge/")  # results, and documents that prompts quote
# The rules themselves, and their tests.
OWN = ("tools/lib/word_rules.py", "tests/check/test_lint.py")
RULES = {
    "subject": "comment without a subject",
    "length": f"sentence of more than {word_rules.LONGEST_SENTENCE} words",
    "name": "name of a test without a subject",
    "word": "private word",
}


@dataclass(frozen=True)
class Finding:
    """One place that breaks a rule; `end` is the last line that it covers."""

    path: str
    line: int
    end: int
    rule: str
    text: str


def git(*words: str) -> str:
    """Returns the output of a git command."""
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def is_read(path: str) -> bool:
    """Returns true if the rules hold for this file."""
    if path in OWN or any(part in path for part in DATA) or not (path.startswith(FOLDERS) or "/" not in path):
        return False
    if path.endswith(".md"):
        return not any(part in path for part in DOCUMENTS)
    return path.endswith(comments.SUFFIXES) or Path(path).name == "CMakeLists.txt"


def files_now(only: Mapping[str, set[int]] | None) -> Iterator[tuple[str, str]]:
    """Yields path and text of the tracked files, or of those in `only`."""
    for path in git("ls-files").splitlines():
        if is_read(path) and (only is None or path in only):
            yield path, Path(path).read_text(encoding="utf-8", errors="replace")


def files_at(revision: str) -> Iterator[tuple[str, str]]:
    """Yields path and text of the files of a revision."""
    archive = subprocess.run(["git", "archive", revision], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            if member.isfile() and is_read(member.name) and (content := files.extractfile(member)):
                yield member.name, content.read().decode("utf-8", errors="replace")


def findings(path: str, text: str) -> list[Finding]:
    """Returns what breaks a rule in one file."""
    if path.endswith(".md"):
        lines = comments.of_markdown(text)
        prose = "\n".join(line.text for line in lines)
        return [
            *(Finding(path, at, end, "length", found) for at, end, found in word_rules.long_sentences(lines)),
            *(Finding(path, lines[at - 1].number, lines[at - 1].number, "word", found)
              for at, found in word_rules.private_words(prose)),
        ]
    lines = comments.of(path, text)
    return [
        *(Finding(path, at, at, "subject", found) for at, found in word_rules.headless(lines)),
        *(Finding(path, at, end, "length", found) for at, end, found in word_rules.long_sentences(lines)),
        *(Finding(path, at, at, "name", found) for at, found in word_rules.headless_names(text)),
        *(Finding(path, at, at, "word", found) for at, found in word_rules.private_words(text)),
    ]


def added_lines(since: str) -> dict[str, set[int]]:
    """Returns, by file, the numbers of the lines that were added or changed since that revision."""
    out: dict[str, set[int]] = {}
    current: set[int] = set()
    for line in git("diff", "--unified=0", "--diff-filter=d", since).splitlines():
        if line.startswith("+++ b/"):
            current = out.setdefault(line[6:], set())
        elif match := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(match[1]), int(match[2] or 1)
            current.update(range(first, first + count))
    return out


def print_counts(against: str | None) -> None:
    """Prints the number of findings by rule, today's and, if a revision is given, that one's before."""
    now = Counter(f.rule for path, text in files_now(None) for f in findings(path, text))
    before = Counter(f.rule for path, text in files_at(against) for f in findings(path, text)) if against else None
    print(f"{(against or '')[:10]:>10} {'now':>6}" if against else f"{'now':>6}")
    for rule, title in RULES.items():
        print((f"{before[rule]:10} " if before is not None else "") + f"{now[rule]:6}  {title}")


def main() -> int:
    """Lists what is wrong; the exit status says whether anything is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", metavar="REV", help="look only at what changed since REV")
    parser.add_argument("--count", action="store_true", help="print the number of findings by rule, exit 0")
    options = parser.parse_args()
    if options.count:
        print_counts(options.against)
        return 0
    only = added_lines(options.against) if options.against else None
    wrong = 0
    for path, text in files_now(only):
        for f in findings(path, text):
            if only is None or only[path].intersection(range(f.line, f.end + 1)):
                print(f"{f.path}:{f.line}: {RULES[f.rule]}: {f.text}")
                wrong += 1
    for subject in git("log", "--format=%s", f"{options.against}..HEAD").splitlines() if options.against else ():
        if len(subject) > LONGEST_SUBJECT:
            print(f"commit subject of {len(subject)} characters, {LONGEST_SUBJECT} are allowed: {subject}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
