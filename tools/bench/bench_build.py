"""A clean build of the two programs, without a compiler cache, on at most two cores."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import common

PROGRAMS = ["kevolve", "kevolved"]
HELPERS = ["kevolve-judge", "kevolve-zygote", "kevolve-compile-server"]


def build(folder: Path, targets: list[str]) -> tuple[float, bool]:
    begin = time.monotonic()
    done = subprocess.run(["ninja", "-C", str(folder), "-j2", *targets], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False, env={**os.environ, "CCACHE_DISABLE": "1"})
    if done.returncode != 0:
        common.say("\n".join(done.stdout.splitlines()[-30:]))
    return time.monotonic() - begin, done.returncode == 0


def main() -> None:
    arguments = common.parser(__doc__).parse_args()
    document = common.header("build", arguments)
    with common.scratch() as folder:
        begin = time.monotonic()
        subprocess.run(["cmake", "-G", "Ninja", "-S", str(common.ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release",
                        "-DKEVOLVE_TESTS=OFF", "-DCCACHE=CCACHE-NOTFOUND"], stdout=subprocess.DEVNULL, check=True)
        configure = time.monotonic() - begin
        programs, ok = build(folder, PROGRAMS)
        helpers, helpers_ok = build(folder, HELPERS)
        sizes = {p.name: p.stat().st_size for p in sorted((folder / "bin").iterdir())}
    compiler = subprocess.run(["c++", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
    document |= {"ok": ok and helpers_ok, "configure_s": configure, "programs_s": programs, "helpers_s": helpers,
                 "limit_s": 240, "compiler": compiler, "jobs": 2, "program_bytes": sizes}
    rows = [["step", "seconds"], ["configure", common.number(configure, 1)],
            ["kevolve and kevolved", common.number(programs, 1) + ("" if ok else " (failed)")],
            ["the three helpers, on top", common.number(helpers, 1) + ("" if helpers_ok else " (failed)")],
            ["all", common.number(configure + programs + helpers, 1)], ["allowed for the two programs", "240"]]
    text = common.table(rows) + f"\n\n{compiler}, 2 jobs, no compiler cache"
    common.publish(common.close(document), text, arguments.json)
    if not document["ok"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
