"""Mutants of device code. They are compiled anywhere and judged where there is a device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

Json = dict[str, Any]


def main(arguments: Any, document: Json) -> None:
    if not Path("/dev/nvidiactl").exists():
        print("skipped: no device")
