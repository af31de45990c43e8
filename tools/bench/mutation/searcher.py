"""The search for witnesses on a device, asked from outside its process, which a faulty kernel may take along."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

Json = dict[str, Any]
SEARCH_SECONDS = 40


class Searcher:
    """A process on the device that starts again after a kernel took it along."""

    def __init__(self, folder: Path, number: int) -> None:
        self.log = folder / f"searcher-{number}"
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-m", "mutation.gpu_worker"], cwd=Path(__file__).parents[1],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log.open("w"), text=True)
        assert self.process.stdout
        if not self.process.stdout.readline():
            raise SystemExit(f"the search for witnesses does not start: {self.log.read_text(encoding='utf-8')[-2000:]}")

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def ask(self, request: Json) -> Json:
        if self.process is None:
            self.start()
        assert self.process and self.process.stdin and self.process.stdout
        timer = threading.Timer(SEARCH_SECONDS, self.process.kill)
        began = time.monotonic()
        timer.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if line:
            answer: Json = json.loads(line)
            if answer.get("ended"):
                print(f"the search with sleeping warps: {answer['ended']}", file=sys.stderr, flush=True)
                self.stop()
            return answer
        self.stop()
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        at: Json = next((json.loads(text)["at"] for text in reversed(lines) if text.startswith('{"at"')), {})
        how = "endless" if time.monotonic() - began >= SEARCH_SECONDS - 1 else "crashed"
        return {"witness": {"how": how, "text": next((t for t in reversed(lines) if "Error" in t), how)[:300], **at}}
