"""Makes the bench's modules importable, or says why its tests are skipped."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "bench"))


def need_libclang() -> None:
    try:
        from mutation import syntax
    except ImportError as e:
        why = f"{e}: apt-get install python3-numpy"
    else:
        why = syntax.missing()
    if why:
        print(f"skipped: {why}")
        raise unittest.SkipTest(why)
