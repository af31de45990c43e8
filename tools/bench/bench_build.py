"""Measures a clean build of the two programs, without a compiler cache, on at most two cores."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import common
from common import Json

PROGRAMS = ["kevolve", "kevolved"]
HELPERS = ["kevolve-judge", "kevolve-zygote", "kevolve-compile-server"]


def build(folder: Path, targets: list[str]) -> tuple[float, bool]:
    begin = time.monotonic()
    done = subprocess.run(["ninja", "-C", str(folder), "-j2", *targets], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False, env={**os.environ, "CCACHE_DISABLE": "1"})
    if done.returncode != 0:
        common.say("\n".join(done.stdout.splitlines()[-30:]))
    return time.monotonic() - begin, done.returncode == 0


def render(document: Json) -> str:
    d = document
    mark = "" if d["ok"] else " (failed)"
    rows = [["step", "seconds"], ["configure", common.number(d["configure_s"], 1)],
            ["kevolve and kevolved", common.number(d["programs_s"], 1) + mark],
            ["the three helpers, on top", common.number(d["helpers_s"], 1)],
            ["all", common.number(d["configure_s"] + d["programs_s"] + d["helpers_s"], 1)],
            ["allowed for the two programs", str(d["limit_s"])]]
    return common.table(rows) + f"\n\n{d['compiler']}, {d['jobs']} jobs, no compiler cache"


def main() -> None:
    arguments = common.parser(__doc__).parse_args()
    document = common.header("build", arguments)
    with common.scratch() as folder:
        begin = time.monotonic()
        subprocess.run(["cmake", "--preset", "release", "-B", str(folder), "-DKEVOLVE_TESTS=OFF",
                        "-DCCACHE=CCACHE-NOTFOUND"], cwd=common.ROOT, stdout=subprocess.DEVNULL, check=True)
        configure = time.monotonic() - begin
        programs, ok = build(folder, PROGRAMS)
        helpers, helpers_ok = build(folder, HELPERS)
        sizes = {p.name: p.stat().st_size for p in sorted((folder / "bin").iterdir())}
    compiler = subprocess.run(["clang++-19", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
    document |= {"ok": ok and helpers_ok, "configure_s": configure, "programs_s": programs, "helpers_s": helpers,
                 "limit_s": 240, "compiler": compiler, "jobs": 2, "program_bytes": sizes}
    common.publish(common.close(document), render(document), arguments.json)
    if not document["ok"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
