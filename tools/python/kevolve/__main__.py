"""`python -m kevolve …`: the program kevolve, which reads modules with this Python's PyTorch."""

from __future__ import annotations

import os
import sys

from .errors import KevolveError
from .programs import program


def main() -> int:
    try:
        path = program("kevolve")
    except KevolveError as error:
        print(f"kevolve: {error}", file=sys.stderr)
        return 2
    os.environ.setdefault("KEVOLVE_PYTHON", sys.executable)
    os.execv(path, ["kevolve", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
