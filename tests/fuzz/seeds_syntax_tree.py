"""Makes seeds for the target syntax_tree: functions and clang's output for them. Usage: seeds_syntax_tree.py DIR"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BODIES = {
    "plain": "for (long i = 0; i < n; i++) y[i] = 2.0f * x[i];",
    "while": "long i = 0; while (i < n) { y[i] = x[i]; i += 1; if (y[i] > 3) break; }",
    "sum": "float s = 0; for (long i = 0; i < n; ++i) { if (x[i] < 0) continue; s += x[i]; } y[0] = s;",
    "nest": "for (long i = 0; i < n; ++i) { y[i] = 0; for (long j = 0; j <= i; ++j) y[i] += x[j] * (j % 3 ? 1 : -1); }",
    "calls": "for (long i = 0; i < n; ++i) y[i] = sqrtf(x[i]) + (float)expf(-x[i]);",
    "local": "float t[8] = {0}; for (long i = 0; i < n; ++i) t[i & 7] = x[i]; y[0] = t[3]; (void)t;",
    "pointers": "const float *p = x; float *q = y; while (n-- > 0) *q++ = *p++ + 1;",
    "opaque": "switch (n) { case 1: y[0] = 1; break; default: do { y[--n] = x[n]; } while (n); } if (n) goto end; end: return;",
    "chain": "long i, j; for (i = j = 0; i < n; i += 2, j++) y[j] = y[i] = x[i] = 0;".replace("x[i] = 0", "0"),
}
FRAME = "#include <math.h>\nvoid f(const float *x, float *y, long n) {{\n{body}\n}}\n"


def main() -> None:
    folder = Path(sys.argv[1]) / "syntax_tree"
    folder.mkdir(parents=True, exist_ok=True)
    clang = shutil.which("clang-19")
    if clang is None:
        raise SystemExit("clang-19 is missing: apt-get install clang-19")
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "candidate.c"
        for name, body in BODIES.items():
            text = FRAME.format(body=body)
            source.write_text(text, encoding="utf-8")
            dump = subprocess.run([clang, "-fsyntax-only", "-Xclang", "-ast-dump=json", "-Xclang", "-ast-dump-filter=f",
                                   source.name], cwd=scratch, stdout=subprocess.PIPE, check=True).stdout.decode()
            wanted = next(d for d in documents(dump) if d.get("kind") == "FunctionDecl" and d.get("name") == "f")
            (folder / name).write_bytes(text.encode() + b"\0" + json.dumps(wanted, separators=(",", ":")).encode())


def documents(dump: str) -> list[dict[str, object]]:
    decoder = json.JSONDecoder()
    out = []
    at = dump.find("{")
    while at >= 0:
        document, end = decoder.raw_decode(dump, at)
        out.append(document)
        at = dump.find("{", end)
    return out


if __name__ == "__main__":
    main()
