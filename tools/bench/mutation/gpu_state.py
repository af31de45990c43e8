"""The rows of a run on a device, which may end before it is done."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

Json = dict[str, Any]
# A mutant is known by these.
NAMED = ("task", "original", "class", "operator", "line", "before", "after")


class State:
    """The rows of the run, kept in a file if one is given, so that a run goes on where it was cut off."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.lock = threading.Lock()
        lines = file.read_text(encoding="utf-8").splitlines() if file and file.exists() else []
        every = {tuple(r.get(k) for k in NAMED): r for r in map(json.loads, lines)}.values()
        self.rows: list[Json] = [r for r in every if r["class"] != "original"]
        self.originals: list[Json] = [r for r in every if r["class"] == "original"]

    def has(self, m: Json) -> bool:
        return any(all(r[k] == m[k] for k in NAMED) for r in self.rows)

    def add(self, row: Json) -> None:
        with self.lock:
            (self.originals if row["class"] == "original" else self.rows).append(row)
            if self.file:
                with self.file.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(row) + "\n")
