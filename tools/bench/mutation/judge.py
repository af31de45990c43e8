"""The judge and the compile server, asked as in production, through bench-mutation."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

Json = dict[str, Any]


@dataclass(frozen=True)
class Source:
    """The source that an object was built from: a judge reads its constants and has it built again, with sanitizers."""

    text: str
    language: str
    flags: str


class JudgeFailed(Exception):
    pass


class Judge:
    """One session of bench-mutation. It starts again after it died."""

    def __init__(self, bin_dir: Path, target: str = "cpu", *more: str) -> None:
        self.command = [str(bin_dir / "bench-mutation"), "--bin", str(bin_dir), *(["--target", target] if target != "cpu" else []), *more]
        self.tasks: dict[str, Path] = {}
        self.loaded: set[str] = set()
        self.process: subprocess.Popen[str] | None = None
        self.hello: Json = {}

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        self.loaded = set()
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.hello = self._read()

    def stop(self) -> None:
        if self.process and self.process.stdin:
            self.process.stdin.close()
            self.process.wait()
        self.process = None

    def _read(self) -> Json:
        assert self.process and self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise JudgeFailed(f"{' '.join(self.command)} ended with status {self.process.wait()}")
        answer: Json = json.loads(line)
        return answer

    def ask(self, request: Json) -> Json:
        assert self.process and self.process.stdin
        task = request.get("task")
        if task in self.tasks and task not in self.loaded and request["op"] != "task":
            self.load(task, self.tasks[task])
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self._read()
        if "error" in answer:
            raise JudgeFailed(answer["error"])
        return answer

    def load(self, task: str, file: Path) -> None:
        self.tasks[task] = file
        self.ask({"op": "task", "task": task, "file": str(file)})
        self.loaded.add(task)

    def compile(self, task: str, language: str, flags: str, source: Path, to: Path) -> str:
        """Returns nothing, or the compiler's message."""
        answer = self.ask({"op": "compile", "task": task, "language": language, "flags": flags, "source": str(source), "object": str(to)})
        return "" if answer["compiled"] else answer["detail"] or "refused"

    def judge(self, task: str, file: Path, source: Source, stages: Sequence[str], **more: int) -> Json:
        """Returns the last stage's verdict. A fault is asked again once, in a session of its own."""
        request = {"op": "judge", "task": task, "object": str(file), "stages": list(stages), "source": source.text,
                   "language": source.language, "flags": source.flags, **more}
        for again in (False, True):
            try:
                answer = self.ask(request)
            except JudgeFailed as e:
                answer = {"fault": str(e)}
            if "fault" not in answer or again:
                return answer
            self.stop()
            self.start()
        raise AssertionError


def code_of(file: Path) -> str:
    """Returns a hash of an object's code and constants, so that mutants that changed nothing are known."""
    data = file.read_bytes()
    if data[:4] != b"\x7fELF":
        return sha256(data).hexdigest()
    offset, = struct.unpack_from("<Q", data, 0x28)
    width, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, offset + i * width) for i in range(count)]
    strings = sections[names][4]
    out = sha256()
    for name, kind, _, _, at, size in sections:
        text = data[strings + name:data.index(b"\0", strings + name)]
        if text.startswith((b".text", b".rodata", b".data", b".bss", b".init_array")):
            out.update(text + struct.pack("<Q", size))
            if kind != 8:  # a section without bytes
                out.update(data[at:at + size])
    return out.hexdigest()


def usable(bin_dir: Path) -> bool:
    return os.access(bin_dir / "bench-mutation", os.X_OK)
