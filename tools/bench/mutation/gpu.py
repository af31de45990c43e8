"""Mutants of device code: written anywhere (--prepare FILE), compiled, searched for witnesses and judged where there is a device."""

from __future__ import annotations

import json
import os
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import schedules, score
from .gpu_state import NAMED, State
from .judge import Judge, Source
from .searcher import Searcher

Json = dict[str, Any]
COMPILERS = 8
SEARCHERS = 3
JUDGES = 3
TIMES_SYNCHRONISATION = 3  # most of its faults have no witness
# A run that is cut short should have reached these.
FIRST = ("original", "value", "size", "boundary", "synchronisation")


def has_device() -> bool:
    return Path("/dev/nvidiactl").exists()


def prepare(arguments: Any) -> list[Json]:
    """Returns the mutants of every original of the target, as plain values. Needs libclang."""
    from . import contract, gpu_faults, mutants

    out: list[Json] = []
    for file in gpu_faults.task_files(arguments.target, arguments.task):
        c = contract.load(file)
        for o in gpu_faults.originals(c, arguments.target):
            if arguments.original and arguments.original not in o.name:
                continue
            base = {"task": c.path.name.removesuffix(".task.toml"), "file": str(file.relative_to(gpu_faults.ROOT)), "original": o.name,
                    "language": o.language}
            out.append(base | {"class": "original", "operator": "", "line": 0, "before": "", "after": "", "source": o.source, "hints": []})
            most = arguments.most or (1 if o.name.startswith("honest/") else 2)
            made, seed = list(gpu_faults.mutants_of(c, o)), f"{arguments.seed}/{c.name}/{o.name}"
            barriers = [m for m in mutants.choose(made, most * TIMES_SYNCHRONISATION, seed) if m.kind == "synchronisation"]
            for m in [*(m for m in mutants.choose(made, most, seed) if m.kind != "synchronisation"), *barriers]:
                if arguments.kind and m.kind not in arguments.kind:
                    continue
                hints = [{"sizes": {k: list(v) for k, v in h.sizes.items()}, "patterns": dict(h.patterns), "calls": h.calls} for h in m.hints]
                late = {"delayed": schedules.delayed(m.source), "delayed_right": schedules.delayed(o.source)}
                out.append(base | {"class": m.kind, "operator": m.name, "line": m.line, "before": m.before, "after": m.after,
                                   "source": m.source, "hints": hints}
                           | (late if m.kind == "synchronisation" and o.language == "cuda" else {}))
    return out


def urgency(m: Json) -> int:
    return FIRST.index(m["class"]) if m["class"] in FIRST else len(FIRST)


class GpuBench:
    def __init__(self, arguments: Any, mutants: list[Json], folder: Path, judge: Callable[..., Any] = Judge,
                 searcher: Callable[..., Any] = Searcher, state: State | None = None) -> None:
        self.arguments = arguments
        self.make_judge, self.make_searcher = judge, searcher
        self.folder = folder
        self.state = state or State(None)
        self.weak = [word for layer in arguments.allow_weak_sandbox or () for word in ("--allow-weak-sandbox", layer)]
        self.root = Path(__file__).resolve().parents[3]
        self.until = time.monotonic() + arguments.wall
        self.to_compile: queue.Queue[Json] = queue.Queue()
        self.to_search: queue.Queue[Json] = queue.Queue()
        self.compiling = True
        self.unsearched = 0
        # A task belongs to one judge, which keeps its inputs.
        self.to_judge: list[queue.Queue[Json | None]] = [queue.Queue() for _ in range(JUDGES)]
        self.judge_of: dict[str, int] = {}
        left = {(m["task"], m["original"]) for m in mutants if m["class"] != "original" and not self.state.has(m)}
        self.state.originals = [o for o in self.state.originals if (o["task"], o["original"]) not in left]
        judged = {(r["task"], r["original"]) for r in self.state.originals}
        for i, m in enumerate(sorted(mutants, key=urgency)):
            key = (m["task"], m["original"])
            if key in left or key not in judged if m["class"] == "original" else not self.state.has(m):
                self.to_compile.put(m | {"object": str(folder / f"object-{i}"), "number": i})
        self.searched: dict[tuple[str, str], Json] = {}
        self.unfit: dict[tuple[str, str], list[str]] = {}
        self.late: dict[tuple[str, str], str] = {}
        self.late_locks: dict[tuple[str, str], threading.Lock] = {}
        self.known: set[str] = set()
        self.failed: list[str] = []
        self.lock = threading.Lock()

    @property
    def rows(self) -> list[Json]:
        return self.state.rows

    @property
    def originals(self) -> list[Json]:
        """Returns the originals, those that no judge has seen yet at the end."""
        seen = {(o["task"], o["original"]) for o in self.state.originals}
        return self.state.originals + [o for key, o in self.searched.items() if key not in seen]

    def run(self) -> None:
        """Runs until all is done, the time is over, or a signal comes: KeyboardInterrupt leaves the rows so far."""
        compilers = [threading.Thread(target=self._guarded, args=(self._compile,), daemon=True) for _ in range(COMPILERS)]
        searchers = [threading.Thread(target=self._guarded, args=(self._search, i), daemon=True) for i in range(SEARCHERS)]
        judges = [threading.Thread(target=self._guarded, args=(self._judge, q), daemon=True) for q in self.to_judge]
        for t in [*compilers, *searchers, *judges]:
            t.start()
        for t in compilers:
            t.join()
        self.compiling = False
        for t in searchers:
            t.join()
        for q in self.to_judge:
            q.put(None)
        for t in judges:
            t.join()

    def _guarded(self, work: Callable[..., None], *more: Any) -> None:
        try:
            work(*more)
        except BaseException as e:
            self.failed.append(f"{work.__name__}: {e!r}")

    def _late(self) -> bool:
        return time.monotonic() > self.until

    def _compile(self) -> None:
        judge = self.make_judge(self.arguments.bin, self.arguments.target, "--compiles-only", *self.weak)
        with judge:
            while not self._late():
                try:
                    m = self.to_compile.get_nowait()
                except queue.Empty:
                    return
                judge.tasks[m["task"]] = self.root / m["file"]
                self._compiled(judge, m)

    def _built(self, judge: Any, m: Json, source: str, to: str) -> str:
        """Returns nothing, or the compiler's message."""
        file = Path(f"{to}.source")
        file.write_text(source, encoding="utf-8")
        error: str = judge.compile(m["task"], m["language"], "", file, Path(to))
        file.unlink()
        return error

    def _compiled(self, judge: Any, m: Json) -> None:
        from .judge import code_of

        if error := self._built(judge, m, m["source"], m["object"]):
            self._done(m, "not compiled", detail=error[:300])
            return
        code = m["task"] + "".join(code_of(Path(f"{m['object']}.{i}")) for i in range(8) if Path(f"{m['object']}.{i}").exists())
        with self.lock:
            same = code in self.known
            self.known.add(code)
        if same and m["class"] != "original":
            self._done(m, "same code")
            return
        if "delayed" in m:
            right, late = self._delayed_right(judge, m), f"{m['object']}-late"
            if right and not self._built(judge, m, m["delayed"], late):
                m |= {"late": {"mutant": late, "right": right}}
        with self.lock:
            self.unsearched += 1
        self.to_search.put(m)

    def _delayed_right(self, judge: Any, m: Json) -> str:
        """Returns the original with sleeping warps, built once; nothing if it does not compile."""
        key = (m["task"], m["original"])
        with self.lock:
            own = self.late_locks.setdefault(key, threading.Lock())
        with own:
            if key not in self.late:
                to = f"{m['object']}-late-right"
                error = self._built(judge, m, m["delayed_right"], to)
                self.late[key] = "" if error else to
                if error:
                    print(f"{m['task']}/{m['original']} with sleeping warps: {error[:300]}", file=sys.stderr, flush=True)
            return self.late[key]

    def _search(self, number: int) -> None:
        searcher = self.make_searcher(self.folder, number)
        while (self.compiling or self.unsearched) and not self._late():
            try:
                m = self.to_search.get(timeout=0.2)
            except queue.Empty:
                continue
            # Cases on which the original is wrong witness nothing; a mutant waits until they are known.
            if m["class"] != "original" and (m["task"], m["original"]) not in self.unfit:
                self.to_search.put(m)
                time.sleep(0.05)
                continue
            self._searched(m, searcher)
            with self.lock:
                self.unsearched -= 1
        searcher.stop()

    def _searched(self, m: Json, searcher: Any) -> None:
        key = (m["task"], m["original"])
        request = {"task": str(self.root / m["file"]), "object": m["object"], "seed": self.arguments.seed, "hints": m["hints"]}
        if m["class"] == "original":
            found = searcher.ask(request | {"all": True})
            with self.lock:
                self.searched[key] = {"task": m["task"], "original": m["original"], "class": "original", "cases": found.get("cases"),
                                      "own faults": found.get("unfit") or found.get("witness")}
                self.unfit[key] = found.get("unfit", [])
            self._ask_judge(m)
            return
        found = searcher.ask(request | {"without": self.unfit[key], "late": m.get("late")})
        if found["witness"]:
            self._ask_judge(m | {"witness": found["witness"] | {"seed": self.arguments.seed}})
        else:
            self._done(m, "unknown")

    def _ask_judge(self, m: Json) -> None:
        with self.lock:
            number = self.judge_of.setdefault(m["task"], len(self.judge_of) % JUDGES)
        self.to_judge[number].put(m)

    def _judge(self, asked: queue.Queue[Json | None]) -> None:
        with self.make_judge(self.arguments.bin, self.arguments.target, *self.weak) as judge:
            while (m := asked.get()) is not None:
                if self._late():
                    continue
                judge.tasks[m["task"]] = self.root / m["file"]
                # A confirmation adds long runs and the sanitised replay.
                stages = ["check"] if m["class"] == "original" else self.arguments.stages.split(",")
                answer = judge.judge(m["task"], Path(m["object"]), Source(m["source"], m["language"], ""), stages, long_run_ms=1000)
                told = {k: answer[k] for k in ("stage", "verdict", "rule", "detail", "fault", "ms") if answer.get(k)}
                if m["class"] == "original":
                    self.state.add(self.searched[m["task"], m["original"]] | {"judge": told})
                    continue
                state = "fault" if "fault" in answer else "survived" if answer["verdict"] == "pass" else "killed"
                self._done(m, state, witness=m["witness"], judge=told)

    def _done(self, m: Json, state: str, **more: Any) -> None:
        row = {k: m[k] for k in NAMED} | {"state": state} | more
        if m["class"] == "original":
            self.state.add(row | {"left out": more.get("detail", state)})
            with self.lock:
                self.unfit[m["task"], m["original"]] = []
            return
        self.state.add(row)
        print(f"{state}: {m['task']}/{m['original']} {m['class']} ({m['operator']}) {m['before'][:50]!r} -> {m['after'][:50]!r}",
              file=sys.stderr, flush=True)


def main(arguments: Any, document: Json) -> None:
    import bench_mutation
    import common

    if arguments.prepare:
        mutants = prepare(arguments)
        arguments.prepare.write_text(json.dumps(mutants), encoding="utf-8")
        print(f"{len(mutants)} sources in {arguments.prepare}")
        return
    if not has_device():
        print("skipped: no device")
        return
    common.need(arguments.bin, "bench-mutation", "kevolve-runner-cuda", "kevolve-compile-server-cuda")
    mutants = json.loads(arguments.prepared.read_text(encoding="utf-8")) if arguments.prepared else prepare(arguments)
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[1])
    with tempfile.TemporaryDirectory(prefix="kevolve-mutation-", ignore_cleanup_errors=True) as folder:
        bench = GpuBench(arguments, mutants, Path(folder), state=State(arguments.state))
        try:
            bench.run()
        except KeyboardInterrupt:
            document["cut_off"] = "by a signal"
    if bench.failed:
        print("\n".join(bench.failed), file=sys.stderr)
    rows = bench.rows
    refused = [o for o in bench.originals if o.get("judge", {}).get("verdict") not in (None, "pass")]
    document |= {"target": arguments.target, "originals": bench.originals, "failed": bench.failed,
                 "left": sum(1 for m in mutants if m["class"] != "original") - len(rows),
                 "controls": {"runs": sum("judge" in o for o in bench.originals), "refused": refused, "unfit": 0, "passed": 0},
                 "score": score.score(rows), "survivors": [r | {"diff": ""} for r in rows if r["state"] == "survived"],
                 "by_schedule": sum(r.get("witness", {}).get("how") == "schedule" for r in rows),
                 "faults": [r for r in rows if r["state"] == "fault"], "unknown": [r for r in rows if r["state"] == "unknown"]}
    common.publish(common.close(document), bench_mutation.render(document), arguments.json)
    if not bench_mutation.holds(document) or bench.failed:
        raise SystemExit(1)

