"""Finds kevolve's programs, runs them, and keeps a node of its own."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from .client import Node, connect
from .errors import KevolveError


def program(name: str) -> str:
    """Returns the path of a program: in KEVOLVE_BIN, on the PATH, or as built in this tree."""
    folders = [os.environ.get("KEVOLVE_BIN", ""), str(Path(__file__).resolve().parents[3] / "build" / "bin")]
    for folder in folders:
        if folder and os.access(os.path.join(folder, name), os.X_OK):
            return os.path.join(folder, name)
    found = shutil.which(name)
    if found is None:
        raise KevolveError(f"the program {name} is not found: build kevolve, and put its bin folder on the PATH or in KEVOLVE_BIN")
    return found


def with_this_python() -> dict[str, str]:
    """Returns the environment of programs, which read modules and time baselines with this Python's PyTorch, unless another is named."""
    return {**os.environ, "KEVOLVE_PYTHON": os.environ.get("KEVOLVE_PYTHON") or sys.executable}


def run(*words: object, accept: tuple[int, ...] = (0,)) -> str:
    """Returns what a program printed. KevolveError: it failed, with its words."""
    command = [str(w) for w in words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=with_this_python())
    if done.returncode not in accept:
        said = (done.stderr.strip() or done.stdout.strip())[-4000:]
        raise KevolveError(f"{Path(command[0]).name} {command[1] if len(command) > 1 else ''}: {said}")
    return done.stdout


class OwnNode:
    """A node on a data directory. It ends with this object, and with Python."""

    def __init__(self, folder: Path, device: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.data = folder / "node"
        settings = folder / "kevolved.toml"
        settings.write_text(f'data_dir = "node"\nlisten = "127.0.0.1:0"\n\n[[device]]\ntarget = "{device}"\n', encoding="utf-8")
        self._log = folder / "kevolved.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [program("kevolved"), str(settings)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=with_this_python()
            )

        atexit.register(self.close)

    def __enter__(self) -> Node:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if self._process.poll() is not None:
                break
            try:
                return connect(data=self.data)
            except KevolveError:
                time.sleep(0.05)
        self.close()
        said = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:]
        raise KevolveError("kevolved did not start:\n" + "\n".join(said))

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        atexit.unregister(self.close)
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
