"""A progress line: rewritten in place in a terminal and in a notebook, else a line for each change."""

from __future__ import annotations

import sys
from typing import Any, TextIO


def duration(seconds: float) -> str:
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60:02} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60:02} min"


def status_line(status: dict[str, Any]) -> str:
    """Returns a campaign's state in one line."""
    best = status.get("best")
    budget = status.get("budget") or {}
    parts = [f"{status['name']} {status['id'][:8]}: {status['state']}"]
    count = f"{status['candidates']}" + (f" of {budget['candidates']}" if budget.get("candidates") else "")
    parts.append(f"{count} candidates, {status['valid']} valid, {status['in_flight']} in flight")
    if best:
        sure = "" if best.get("final") else ", not confirmed yet"
        parts.append(f"best {best['speedup']:.2f}x the reference's speed (candidate {best['candidate']}{sure})")
    else:
        parts.append("nothing faster yet")
    parts.append(duration((status.get("spent") or {}).get("wall_s", 0.0)))
    if status["state"] in ("paused", "failed") and status.get("reason"):
        parts.append(str(status["reason"]))
    return "; ".join(parts)


def printable(text: str) -> str:
    """Returns the text without characters that would move a terminal's cursor."""
    return "".join(c if c.isprintable() else " " for c in text)


def notebook_display() -> Any:
    """Returns IPython's display function in a notebook, else None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or "terminal" in type(shell).__module__:
        return None
    from IPython.display import display  # type: ignore[import-not-found]

    return display


class Progress:
    """Shows lines one after the other."""

    def __init__(self, out: TextIO | None = None) -> None:
        self.out = out or sys.stderr
        self._display = notebook_display() if out is None else None
        self._handle: Any = None
        self._last = ""

    def show(self, line: str) -> None:
        line = printable(line)
        if line == self._last:
            return
        self._last = line
        if self._display is not None:
            shown = {"text/plain": line}
            if self._handle is None:
                self._handle = self._display(shown, raw=True, display_id=True)
            else:
                self._handle.update(shown, raw=True)
        elif self.out.isatty():
            self.out.write("\r\x1b[K" + line)
            self.out.flush()
        else:
            self.out.write(line + "\n")
            self.out.flush()

    def done(self) -> None:
        if self._display is None and self.out.isatty() and self._last:
            self.out.write("\n")
            self.out.flush()
