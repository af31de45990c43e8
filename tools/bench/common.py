"""Common parts of the benchmarks: arguments, programs, tables, the machine."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
Json = dict[str, Any]


def parser(about: str) -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(description=about)
    p.add_argument("--long", action="store_true", help="the form whose figures are published")
    p.add_argument("--json", action="store_true", help="one JSON document on stdout")
    p.add_argument("--bin", type=Path, default=Path(os.environ.get("KEVOLVE_BIN", ROOT / "build" / "bin")),
                   help="folder of the built programs")
    p.add_argument("--seed", type=int, default=1)
    return p


def need(folder: Path, *programs: str) -> None:
    missing = [p for p in programs if not (folder / p).exists()]
    if missing:
        sys.exit(f"{folder} lacks {', '.join(missing)}: cmake --build build --target kevolve benchmarks")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def ask(command: Sequence[object], *, env: dict[str, str] | None = None, check: bool = True) -> Json | None:
    """Runs a program that prints one JSON document, and returns it."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, **(env or {})})
    lines = done.stdout.strip().splitlines()
    if not lines or (check and done.returncode != 0):
        say(f"{shlex.join(str(c) for c in command)}: exit status {done.returncode}")
        return None
    document: Json = json.loads(lines[-1])
    return document


def processor() -> str:
    """Returns the processor's name and its widest vectors, since one name is sold with and without AVX-512."""
    facts: dict[str, str] = {}
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(":")
        facts.setdefault(key.strip(), value.strip())
    widest = next((name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2"))
                   if flag in facts.get("flags", "").split()), "")
    return facts.get("model name", "unknown") + (f" with {widest}" if widest else "")


def load() -> float:
    return os.getloadavg()[0]


def header(name: str, arguments: argparse.Namespace) -> Json:
    # The arguments as given, without paths and output options.
    words = iter(sys.argv[1:])
    kept = [w for w in words if w != "--json" and not (w in ("--bin", "--samples", "--save", "--state", "--prepared", "--folder") and next(words, None))]
    command = " ".join(["tools/bench/run", name, *kept])
    revision = ""
    if shutil.which("git"):
        revision = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True,
                                  stderr=subprocess.DEVNULL, check=False).stdout.strip()
    return {
        "benchmark": name,
        "command": command,
        "seed": arguments.seed,
        "machine": {"cpu": processor(), "cores": len(os.sched_getaffinity(0)), "load_1min": round(load(), 2)},
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "revision": revision or None,
    }


def each(document: Json, names: Sequence[str], measure: Callable[[str], Json]) -> None:
    """Measures the tasks one after the other into document["tasks"]. A signal (Ctrl-C, SIGTERM) loses only the current
    one; the document then says where it was cut off, and is published.
    """
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    document["tasks"] = []
    try:
        for name in names:
            document["tasks"].append(measure(name))
    except KeyboardInterrupt:
        document["cut_off"] = names[len(document["tasks"])]
        say(f"cut off at {document['cut_off']}")
    finally:
        signal.signal(signal.SIGTERM, before)


def close(document: Json) -> Json:
    document["machine"]["load_1min_after"] = round(load(), 2)
    return document


def table(rows: list[list[str]]) -> str:
    """Returns an aligned Markdown table, readable on a terminal and in a file."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(r, widths)) + " |" for r in rows]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def provenance(document: Json) -> str:
    machine = document["machine"]
    load = ("" if machine["load_1min"] is None else
            f", load average {machine['load_1min']} before, {machine['load_1min_after']} after")
    return (f"seed {document['seed']}, {document['date']}, revision {document['revision']}; {machine['cores']} cores of "
            f"{machine['cpu']}{load}")


def publish(document: Json, text: str, as_json: bool) -> None:
    if "cut_off" in document:
        text += f"\n\nCut off at {document['cut_off']}: neither that nor what comes after it was measured."
    print(json.dumps(document) if as_json else f"{document['command']}   ({provenance(document)})\n\n{text}")


def number(x: float | None, digits: int = 2) -> str:
    return "-" if x is None else f"{x:.{digits}f}"


def interval(pair: Sequence[float] | None, digits: int = 2) -> str:
    return "-" if not pair else f"{pair[0]:.{digits}f}–{pair[1]:.{digits}f}"


def interval_label(figures: Iterable[Json | None]) -> str:
    """Returns the coverage of these intervals and what they include. Figures that name no sessions are older than the
    intervals over several: each is within one session, of the calls alone."""
    sessions = {int(f.get("sessions") or 1) for f in figures if f and f.get("speedup")}
    return "95 %, over sessions" if sessions and min(sessions) > 1 else "95 %, one session"


def nanoseconds(x: float | None) -> str:
    if not x:
        return "-"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if x >= size:
            return f"{x / size:.3g} {unit}"
    return f"{x:.0f} ns"


@contextmanager
def scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="kevolve-bench-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
