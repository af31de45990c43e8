"""Reads the documents: their fenced blocks, the commands in them, their links; runs what is tagged `sh`.

Blocks tagged `sh` are run. Those tagged `gpu`, `model` and `cluster` need hardware or a service, so their commands are
only parsed. `torch` is run by tests/package where a Python has PyTorch, together with the page's blocks tagged `python`.
`console` shows a command after `$ ` with its output, and its commands are parsed. The others are data.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

RUN = {"sh"}
PARSED = {"gpu", "model", "cluster", "torch"}
SHOWN = {"console"}
DATA = {"text", "toml", "json", "c", "cuda", "python"}

FENCE = re.compile(r"^(`{3,})\s*(\S*)\s*$")
HEREDOC = re.compile(r"<<-?\s*'?(\w+)'?")
INLINE = re.compile(r"`(kevolved?(?: [^`]*)?)`")
NAMED = re.compile(r"`((?:actors|backends|runtime|store|config|docs|tools|tests)/[\w./-]*)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
OPTION = re.compile(r"^ {2}((?:-\w,)?--?[\w-]+)(?:,-\w)?(?:\s+([A-Z].*?))?(?:\s{2,}|$)")
PROGRAMS = ("kevolve", "kevolved")
BEFORE_A_COMMAND = {"if", "until", "while", "then", "do", "else", "!", "exec", "time", "sudo", "{", "("}
OPERATORS = {";", "&", "&&", "||", "|", "(", ")"}


@dataclass
class Block:
    """A fenced block: its tag, the line of its first line of text, and the text."""

    tag: str
    line: int
    text: str


@dataclass
class Command:
    """The words of one command, and the line on which it begins."""

    line: int
    words: list[str]


def blocks_of(text: str) -> list[Block]:
    """Returns the fenced blocks of a document, in order."""
    blocks, fence, block = [], "", Block("", 0, "")
    for number, line in enumerate(text.splitlines(), 1):
        found = FENCE.match(line)
        if not fence and found:
            fence, block = found[1], Block(found[2], number + 1, "")
        elif fence and line.strip() == fence:
            blocks.append(block)
            fence = ""
        elif fence:
            block.text += line + "\n"
    if fence:
        raise ValueError(f"line {block.line - 1}: the block is not closed")
    return blocks


def prose_of(text: str) -> list[tuple[int, str]]:
    """Returns the lines outside fenced blocks, with their numbers."""
    inside = {n for b in blocks_of(text) for n in range(b.line - 1, b.line + b.text.count("\n") + 1)}
    return [(n, line) for n, line in enumerate(text.splitlines(), 1) if n not in inside]


def words_of(line: str) -> list[str]:
    """The words and operators of a shell line; ValueError if a quotation is not closed."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(lexer)


def commands_of(block: Block) -> list[Command]:
    """The commands of a block in a shell's language; lines that are not closed go on in the next."""
    commands: list[Command] = []
    end, pending, begin = "", "", 0
    for number, line in enumerate(block.text.splitlines(), block.line):
        if end:  # inside a here-document
            end = "" if line.strip() == end else end
            continue
        if block.tag in SHOWN and not pending:
            if not line.startswith("$ "):
                continue
            line = line[2:]
        begin = begin if pending else number
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1] + " "
            continue
        try:
            words = words_of(pending)
        except ValueError:
            pending += "\n"
            continue
        heredoc = HEREDOC.search(pending)
        end = heredoc[1] if heredoc else ""
        pending = ""
        commands.extend(split(begin, words))
    if pending or end:
        raise ValueError(f"line {begin}: the command has no end")
    return commands


def split(line: int, words: list[str]) -> list[Command]:
    """Returns the commands of one shell line. Assignments and words such as `until` before a command are left out."""
    commands, current = [], Command(line, [])
    for word in [*words, ";"]:
        if word in OPERATORS:
            if current.words:
                commands.append(current)
            current = Command(line, [])
        elif current.words or not (word in BEFORE_A_COMMAND or re.match(r"\w+=", word)):
            # A command that is the value of another one's argument: "$(kevolve list --ids)".
            for inner in re.findall(r"\$\(([^()]*)\)", word):
                commands.extend(split(line, words_of(inner)))
            current.words.append(word)
    return commands


class Interface:
    """The verbs and flags of the programs, as `--help` tells them."""

    def __init__(self, bin_dir: Path):
        self.bin_dir = bin_dir
        self.known: dict[tuple[str, ...], str] = {}

    def help(self, path: tuple[str, ...]) -> str:
        if path not in self.known:
            run = subprocess.run([self.bin_dir / path[0], *path[1:], "--help"], capture_output=True, text=True, check=False)
            self.known[path] = run.stdout if run.returncode == 0 else ""
        return self.known[path]

    def section(self, path: tuple[str, ...], title: str) -> list[str]:
        """Returns the lines of the help below `title:`, up to the next empty line."""
        found = re.search(rf"^{title}:\n((?:.+\n?)*)", self.help(path), re.MULTILINE)
        return found[1].splitlines() if found else []

    def verbs(self, path: tuple[str, ...]) -> list[str]:
        lines = self.section(path, "Subcommands")
        return [name.strip() for line in lines if re.match(r"  \S", line) for name in line[2:30].split(",")]

    def options(self, path: tuple[str, ...]) -> dict[str, str]:
        """Each flag with the type of its value, which is empty if it takes none."""
        lines = self.section(path, "Options")
        if not lines:  # what another program prints for the verb
            return dict.fromkeys(re.findall(r"--[a-z][\w-]*", self.help(path)), "TEXT")
        found = [match for line in lines if (match := OPTION.match(line))]
        return {name: match[2] or "" for match in found for name in match[1].split(",")}

    def required(self, path: tuple[str, ...]) -> int:
        """Returns the number of words that the verb cannot do without."""
        return sum(" REQUIRED" in line for line in self.section(path, "Positionals"))

    def errors(self, words: list[str], whole: bool) -> list[str]:
        """Returns what is wrong with a call of one of the programs; `whole` asks for the required words, too."""
        path: tuple[str, ...] = (Path(words[0]).name,)
        rest = words[1:]
        while rest and not rest[0].startswith("-") and (verbs := self.verbs(path)):
            if rest[0] not in verbs:
                return [f"no verb '{' '.join([*path[1:], rest[0]])}'"]
            path, rest = (*path, rest[0]), rest[1:]
        if not self.help(path):
            return [f"'{' '.join(path)} --help' fails"]
        options, errors, used, plain, skip = self.options(path), [], set(), 0, False
        for word in rest:
            if skip:
                skip = False
            elif word in {"<", ">", ">>", ">&", "<<"}:
                skip = True  # the name of a file
            elif word.startswith("-") and word != "-":
                name, _, value = word.partition("=")
                used.add(name)
                if name not in options:
                    errors.append(f"'{' '.join(path)}' has no option {name}")
                skip = not value and bool(options.get(name))
            else:
                plain += 1
        if whole and "--help" not in used:
            if re.search(r"^Usage: .* SUBCOMMAND$", self.help(path), re.MULTILINE) and not used:
                errors.append(f"'{' '.join(path)}' needs a verb")
            if plain < self.required(path):
                errors.append(f"'{' '.join(path)}' needs {self.required(path)} words, here are {plain}")
            errors += [f"'{' '.join(path)}' needs {name}" for name, kind in options.items()
                       if " REQUIRED" in f" {kind}" and name not in used]
        return errors


def parse_errors(document: Path, interface: Interface) -> list[str]:
    """Returns what does not fit in a document: unknown tags, verbs, flags, tools and links."""
    text = document.read_text()
    errors = []
    for block in blocks_of(text):
        if block.tag not in RUN | PARSED | SHOWN | DATA:
            errors.append(f"line {block.line - 1}: the tag '{block.tag}' is none of ours")
        if block.tag in DATA:
            continue
        for command in commands_of(block):
            if Path(command.words[0]).name in PROGRAMS:
                errors += [f"line {command.line}: {e}" for e in interface.errors(command.words, whole=True)]
    for number, line in prose_of(text):
        for code in INLINE.findall(line):
            words = [w for w in words_of(code.replace("…", "").replace("|", " | ")) if not re.match(r"[A-Z[\]]+$", w)]
            for command in split(number, words)[:1]:
                errors += [f"line {number}: {e}" for e in interface.errors(command.words, whole=False)]
    return errors


def broken_links(document: Path) -> list[str]:
    """Links to files that are not there. Addresses and places within the page are left alone."""
    errors = []
    for number, line in prose_of(document.read_text()):
        for link in LINK.findall(line):
            name = link.split("#")[0]
            if name and "://" not in name and not (document.parent / name).exists():
                errors.append(f"line {number}: {link} is not there")
    return errors


def missing_files(document: Path, source: Path) -> list[str]:
    """Files and folders of the project that a document names and that are not there. The ending may be left out."""
    errors = []
    for number, line in prose_of(document.read_text()):
        for name in NAMED.findall(line):
            path = source / name
            stems = [] if name.endswith("/") else list(path.parent.glob(path.name + ".*"))
            if not path.exists() and not stems:
                errors.append(f"line {number}: {name} is not there")
    return errors


def script_of(document: Path) -> str:
    """The blocks tagged `sh` as one script, each line where it stands in the document."""
    lines = [""] * (document.read_text().count("\n") + 1)
    for block in blocks_of(document.read_text()):
        if block.tag in RUN:
            body = block.text.splitlines()
            lines[block.line - 1 : block.line - 1 + len(body)] = body
    if not any(lines):
        return ""
    # The first line of a document is its title.
    lines[0] = "set -E; trap 'status=$?; echo \"line $LINENO: exit status $status: $BASH_COMMAND\" >&2' ERR"
    return "\n".join(lines) + "\n"


def run_blocks(document: Path, bin_dir: Path, source: Path, limit: float) -> tuple[int, str]:
    """Runs the blocks tagged `sh` in a folder of their own, beside a copy of config/.

    Returns the exit status and all that was printed. The status is 124 when the limit is reached. Processes that the blocks leave behind are ended.
    """
    script = script_of(document)
    if not script:
        return 0, ""
    with tempfile.TemporaryDirectory(prefix="kevolve-docs-") as folder:
        shutil.copytree(source / "config", Path(folder) / "config")
        (Path(folder) / "build").mkdir()
        (Path(folder) / "build" / "bin").symlink_to(bin_dir)
        output = Path(folder) / ".output"
        (Path(folder) / ".script").write_text(script)
        environment = {**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}", "NO_COLOR": "1"}
        with output.open("w") as sink:
            process = subprocess.Popen(["bash", "-e", ".script"], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=sink, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                status = process.wait(timeout=limit)
            except subprocess.TimeoutExpired:
                status = 124
            finally:
                end_group(process)
        return status, output.read_text(errors="replace")


def end_group(process: subprocess.Popen) -> None:
    """Ends whatever is left of the process and of those it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
