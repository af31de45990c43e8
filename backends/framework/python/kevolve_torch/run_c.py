"""Compiles C functions and calls them with tensors, for tests."""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import torch

TYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32,
         "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool}  # fmt: skip
FLAGS = ("-std=c99", "-O1", "-fno-math-errno", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter")


class Compiled:
    """A shared object made of C texts, with one function each."""

    def __init__(self, texts: list[str], folder: str | None = None, flags: tuple[str, ...] = FLAGS) -> None:
        self.folder = tempfile.TemporaryDirectory(dir=folder)
        source = "\n".join(texts)
        name = hashlib.sha256(source.encode()).hexdigest()[:16]
        path = Path(self.folder.name) / f"{name}.c"
        path.write_text(merged_includes(texts), encoding="utf-8")
        made = path.with_suffix(".so")
        compiler = os.environ.get("CC", "cc")
        done = subprocess.run([compiler, *flags, "-o", str(made), str(path), "-lm"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        self.library = ctypes.CDLL(str(made))

    def call(self, lowered: Any, tensors: list[torch.Tensor], sizes: list[int] = []) -> list[torch.Tensor]:  # noqa: B006
        """Returns the outputs of a function for tensors in the order of its parameters."""
        outputs = []
        arguments: list[Any] = []
        given = iter(tensors)
        sized = iter(sizes)
        keep = []
        symbols: dict[str, int] = dict(zip([a.name for a in lowered.arguments if a.role == "size"], sizes, strict=False))
        for a in lowered.arguments:
            if a.role == "size":
                arguments.append(ctypes.c_int64(next(sized)))
                continue
            if a.role == "output":
                shape = [eval(n, {"__builtins__": {}}, symbols) for n in a.shape]
                t = torch.zeros([int(n) for n in shape], dtype=TYPES[a.dtype])
                if t.dtype.is_floating_point:
                    t.fill_(float("nan"))
                outputs.append(t)
            else:
                t = next(given).detach().contiguous()
                if t.dtype != TYPES[a.dtype]:
                    raise TypeError(f"{a.name}: {t.dtype}")
            keep.append(t)
            arguments.append(ctypes.c_void_p(t.data_ptr()))
        getattr(self.library, lowered.entry)(*arguments)
        return outputs


def merged_includes(texts: list[str]) -> str:
    """Returns several files as one: each header and each helper once."""
    heads: list[str] = []
    helpers: dict[str, str] = {}
    bodies: list[str] = []
    for text in texts:
        rest = []
        for line in text.splitlines():
            if line.startswith("#include"):
                if line not in heads:
                    heads.append(line)
            else:
                rest.append(line)
        body = "\n".join(rest)
        parts = body.split("\nvoid ", 1)
        if len(parts) == 2:
            helpers.setdefault(parts[0].strip(), "")
            body = "void " + parts[1]
        bodies.append(body)
    return "\n".join([*heads, *(h for h in unique_helpers(helpers)), *bodies])


def unique_helpers(found: dict[str, str]) -> list[str]:
    seen: dict[str, None] = {}
    for text in found:
        for part in text.split("\nstatic inline "):
            part = part.strip()
            if part and not part.startswith(("static inline", "/*")):
                part = "static inline " + part
            if part and "{" in part:
                seen.setdefault(part.removeprefix("/* A bfloat16 is the upper half of a float. */\n"), None)
    return list(seen)
