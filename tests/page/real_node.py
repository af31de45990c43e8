"""Real nodes on loopback for the page's tests: a campaign in the foreground, and a daemon on its data."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Self

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
BIN = Path(os.environ.get("KEVOLVE_BIN", SOURCE / "build" / "bin"))


class Node:
    """One of our programs that serves its admin. It reports that on stderr, which is stored beside its data."""

    def __init__(self, command: list[str], data: Path) -> None:
        self.data = data
        self._log = (data.parent / f"{data.name}.log").open("ab")
        self._process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.PIPE, cwd=SOURCE)
        self._told = threading.Event()  # set when it serves or has ended
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self.url = ""

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._log.write(line)
            self._log.flush()
            if b"node at http" in line or b"serving " in line:
                self._told.set()
        self._told.set()

    def __enter__(self) -> Self:
        if not self._told.wait(600):
            self.__exit__()
            raise AssertionError("the node does not serve")
        try:
            self.url = str(json.loads((self.data / "admin.json").read_text())["url"])
        except FileNotFoundError:
            self.__exit__()
            raise AssertionError("the node ended:\n" + Path(self._log.name).read_text()[-2000:]) from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join()
        self._log.close()

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    @property
    def token(self) -> str:
        return (self.data / "token").read_text().strip()

    def finish(self, limit_s: float = 900) -> None:
        """Waits for the program's end."""
        self._process.wait(limit_s)

    def get(self, path: str) -> Any:
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def post(self, path: str, body: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data=json.dumps(body).encode(), headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        """Returns status, headers in lower case and body of a request without a token."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=10) as answer:
                return answer.status, {k.lower(): v for k, v in answer.headers.items()}, answer.read()
        except urllib.error.HTTPError as e:
            return e.code, {k.lower(): v for k, v in e.headers.items()}, e.read()


def campaign(data: Path, file: Path = HERE / "hostile.toml", **settings: str) -> Node:
    """Runs a campaign in the foreground; it serves until the campaign ends."""
    overrides = [x for k, v in settings.items() for x in ("--set", f"{k.replace('__', '.')}={v}")]
    return Node([str(BIN / "kevolve"), "run", str(file), "--data", str(data), *overrides], data)


def daemon(data: Path, port: int = 0) -> Node:
    settings = data.parent / f"{data.name}.toml"
    settings.write_text(f'data_dir = "{data}"\nlisten = "127.0.0.1:{port}"\n')
    return Node([str(BIN / "kevolved"), str(settings)], data)
