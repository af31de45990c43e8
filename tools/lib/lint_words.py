"""Comments without a subject, and commit subjects that are too long.

A comment starts with its subject and has a verb. One that starts with a word such as "What" or "Whether", standing for
a missing noun, is listed as FILE:LINE: TEXT. With --against REV, only lines that were added since REV are looked at, and
subjects of commits since REV with more than 60 characters are listed, too. Exit 1 if anything is listed.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

HEADLESS = ("What", "Whether", "Of", "Who", "Whoever", "Whatever", "Whose", "Those", "As", "How", "Why", "Which", "Whom")
LONGEST_SUBJECT = 60
# An open question asked of a value (`// Why it is on hold; empty: it is not`) is headless, too.
# "Where it lies" is headless, and "Where two meet, the first counts" is not: it goes on with a main clause.
STARTS = re.compile(rf"^(?:(?:{'|'.join(HEADLESS)})\b|Where\b[^,]*$)")
FOLDERS = ("actors", "backends", "config", "runtime", "store", "tests", "tools")


def git(*words: str) -> str:
    """The output of a git command."""
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def comment_of(line: str) -> str | None:
    """The text of the line's comment; None if it has none."""
    at = line.find("//")
    if at < 0 or line[:at].count('"') % 2 == 1:
        return None
    return line[at:].lstrip("/<").strip()


def headless(lines: list[str]) -> list[tuple[int, str]]:
    """Numbers and texts of comments that begin without a subject. A comment of several lines begins once."""
    out = []
    continues = False
    for number, line in enumerate(lines, 1):
        text = comment_of(line)
        whole_line = text is not None and line.lstrip().startswith("//")
        if text and not (continues and whole_line) and STARTS.match(text):
            out.append((number, text))
        # The next whole-line comment goes on with this one, unless this one ended its sentence.
        continues = bool(whole_line) and not (text or "").endswith((".", ":", ";", ")"))
    return out


def added_lines(since: str) -> dict[str, set[int]]:
    """By file, the numbers of the lines that were added or changed since that revision."""
    out: dict[str, set[int]] = {}
    current: set[int] = set()
    for line in git("diff", "--unified=0", "--diff-filter=d", since, "--", "*.cpp", "*.hpp").splitlines():
        if line.startswith("+++ b/"):
            current = out.setdefault(line[6:], set())
        elif match := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(match[1]), int(match[2] or 1)
            current.update(range(first, first + count))
    return out


def main() -> int:
    """Lists what is wrong; the exit status says whether anything is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", metavar="REV", help="look only at what changed since REV")
    parser.add_argument("--count", action="store_true", help="print the number of headless comments by folder, exit 0")
    options = parser.parse_args()
    only = added_lines(options.against) if options.against else None
    found: list[tuple[str, int, str]] = []
    for name in git("ls-files", "--", "*.cpp", "*.hpp").splitlines():
        if not name.startswith(FOLDERS) or "/cheats/" in name or "/nests/" in name:
            continue
        if only is not None and name not in only:
            continue
        for number, text in headless(Path(name).read_text(errors="replace").splitlines()):
            if only is None or number in only[name]:
                found.append((name, number, text))
    if options.count:
        folders: dict[str, int] = {}
        for name, _, _ in found:
            key = "/".join(name.split("/")[:2])
            folders[key] = folders.get(key, 0) + 1
        for key, count in sorted(folders.items()):
            print(f"{count:5} {key}")
        print(f"{len(found):5} headless comments")
        return 0
    for name, number, text in found:
        print(f"{name}:{number}: comment without a subject: {text}")
    long_subjects = []
    if options.against:
        subjects = git("log", "--format=%s", f"{options.against}..HEAD").splitlines()
        long_subjects = [s for s in subjects if len(s) > LONGEST_SUBJECT]
    for subject in long_subjects:
        print(f"commit subject of {len(subject)} characters, {LONGEST_SUBJECT} are allowed: {subject}")
    return 1 if found or long_subjects else 0


if __name__ == "__main__":
    sys.exit(main())
