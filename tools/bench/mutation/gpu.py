"""Mutants of device code: written anywhere (--prepare FILE), compiled, searched for witnesses and judged where there is a device."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import score
from .judge import Judge, Source

Json = dict[str, Any]
COMPILERS = 6
SEARCHERS = 3
SEARCH_SECONDS = 40


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
            for m in mutants.choose(gpu_faults.mutants_of(c, o), most, f"{arguments.seed}/{c.name}/{o.name}"):
                if arguments.kind and m.kind not in arguments.kind:
                    continue
                hints = [{"sizes": {k: list(v) for k, v in h.sizes.items()}, "patterns": dict(h.patterns), "calls": h.calls} for h in m.hints]
                out.append(base | {"class": m.kind, "operator": m.name, "line": m.line, "before": m.before, "after": m.after,
                                   "source": m.source, "hints": hints})
    return out


class Searcher:
    """A process on the device that starts again after a kernel took it along."""

    def __init__(self, folder: Path, number: int) -> None:
        self.log = folder / f"searcher-{number}"
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-m", "mutation.gpu_worker"], cwd=Path(__file__).parents[1],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log.open("w"), text=True)
        assert self.process.stdout
        if not self.process.stdout.readline():
            raise SystemExit(f"the search for witnesses does not start: {self.log.read_text(encoding='utf-8')[-2000:]}")

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def ask(self, request: Json) -> Json:
        if self.process is None:
            self.start()
        assert self.process and self.process.stdin and self.process.stdout
        timer = threading.Timer(SEARCH_SECONDS, self.process.kill)
        began = time.monotonic()
        timer.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if line:
            return json.loads(line)  # type: ignore[no-any-return]
        self.stop()
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        at: Json = next((json.loads(text)["at"] for text in reversed(lines) if text.startswith('{"at"')), {})
        how = "endless" if time.monotonic() - began >= SEARCH_SECONDS - 1 else "crashed"
        return {"witness": {"how": how, "text": next((t for t in reversed(lines) if "Error" in t), how)[:300], **at}}


class GpuBench:
    def __init__(self, arguments: Any, mutants: list[Json], folder: Path, judge: Callable[..., Any] = Judge,
                 searcher: Callable[..., Any] = Searcher) -> None:
        self.arguments = arguments
        self.make_judge, self.make_searcher = judge, searcher
        self.folder = folder
        self.weak = [word for layer in arguments.allow_weak_sandbox or () for word in ("--allow-weak-sandbox", layer)]
        self.root = Path(__file__).resolve().parents[3]
        self.until = time.monotonic() + arguments.wall
        self.to_compile: queue.Queue[Json] = queue.Queue()
        self.to_search: queue.Queue[Json] = queue.Queue()
        self.compiling = True
        self.unsearched = 0
        self.to_judge: queue.Queue[Json | None] = queue.Queue()
        for i, m in enumerate(mutants):
            self.to_compile.put(m | {"object": str(folder / f"object-{i}"), "number": i})
        self.rows: list[Json] = []
        self.originals: list[Json] = []
        self.unfit: dict[tuple[str, str], list[str]] = {}
        self.known: set[str] = set()
        self.failed: list[str] = []
        self.lock = threading.Lock()

    def run(self) -> None:
        compilers = [threading.Thread(target=self._guarded, args=(self._compile,)) for _ in range(COMPILERS)]
        searchers = [threading.Thread(target=self._guarded, args=(self._search, i)) for i in range(SEARCHERS)]
        judge = threading.Thread(target=self._guarded, args=(self._judge,))
        for t in [*compilers, *searchers, judge]:
            t.start()
        for t in compilers:
            t.join()
        self.compiling = False
        for t in searchers:
            t.join()
        self.to_judge.put(None)
        judge.join()

    def _guarded(self, work: Callable[..., None], *more: Any) -> None:
        try:
            work(*more)
        except BaseException as e:
            self.failed.append(f"{work.__name__}: {e!r}")

    def _late(self) -> bool:
        return time.monotonic() > self.until

    def _compile(self) -> None:
        from .judge import code_of

        judge = self.make_judge(self.arguments.bin, self.arguments.target, "--compiles-only", *self.weak)
        with judge:
            while not self._late():
                try:
                    m = self.to_compile.get_nowait()
                except queue.Empty:
                    return
                judge.tasks[m["task"]] = self.root / m["file"]
                source = self.folder / f"source-{m['number']}"
                source.write_text(m["source"], encoding="utf-8")
                error = judge.compile(m["task"], m["language"], "", source, Path(m["object"]))
                source.unlink()
                if error:
                    self._done(m, "not compiled", detail=error[:300])
                    continue
                code = m["task"] + "".join(code_of(Path(f"{m['object']}.{i}")) for i in range(8) if Path(f"{m['object']}.{i}").exists())
                with self.lock:
                    same = code in self.known
                    self.known.add(code)
                if same and m["class"] != "original":
                    self._done(m, "same code")
                else:
                    with self.lock:
                        self.unsearched += 1
                    self.to_search.put(m)

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
                self.unfit[key] = found.get("unfit", [])
                self.originals.append({"task": m["task"], "original": m["original"], "cases": found.get("cases"),
                                       "own faults": found.get("unfit") or found.get("witness")})
            self.to_judge.put(m)
            return
        found = searcher.ask(request | {"without": self.unfit[key]})
        if found["witness"]:
            self.to_judge.put(m | {"witness": found["witness"] | {"seed": self.arguments.seed}})
        else:
            self._done(m, "unknown")

    def _judge(self) -> None:
        with self.make_judge(self.arguments.bin, self.arguments.target, *self.weak) as judge:
            while (m := self.to_judge.get()) is not None:
                if self._late():
                    continue
                judge.tasks[m["task"]] = self.root / m["file"]
                # A confirmation adds long runs and the sanitised replay.
                stages = ["check"] if m["class"] == "original" else self.arguments.stages.split(",")
                answer = judge.judge(m["task"], Path(m["object"]), Source(m["source"], m["language"], ""), stages, long_run_ms=1000)
                told = {k: answer[k] for k in ("stage", "verdict", "rule", "detail", "fault", "ms") if answer.get(k)}
                if m["class"] == "original":
                    next(o for o in self.originals if (o["task"], o["original"]) == (m["task"], m["original"]))["judge"] = told
                    continue
                state = "fault" if "fault" in answer else "survived" if answer["verdict"] == "pass" else "killed"
                self._done(m, state, witness=m["witness"], judge=told)

    def _done(self, m: Json, state: str, **more: Any) -> None:
        row = {k: m[k] for k in ("task", "original", "class", "operator", "line", "before", "after")} | {"state": state} | more
        if m["class"] == "original":
            with self.lock:
                self.originals.append(row | {"left out": more.get("detail", state)})
                self.unfit[m["task"], m["original"]] = []
            return
        with self.lock:
            self.rows.append(row)
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
    with tempfile.TemporaryDirectory(prefix="kevolve-mutation-") as folder:
        bench = GpuBench(arguments, mutants, Path(folder))
        bench.run()
    if bench.failed:
        print("\n".join(bench.failed), file=sys.stderr)
    rows = bench.rows
    refused = [o for o in bench.originals if o.get("judge", {}).get("verdict") not in (None, "pass")]
    document |= {"target": arguments.target, "originals": bench.originals, "failed": bench.failed,
                 "left": sum(1 for m in mutants if m["class"] != "original") - len(rows),
                 "controls": {"runs": sum("judge" in o for o in bench.originals), "refused": refused, "unfit": 0, "passed": 0},
                 "score": score.score(rows), "survivors": [r | {"diff": ""} for r in rows if r["state"] == "survived"],
                 "faults": [r for r in rows if r["state"] == "fault"], "unknown": [r for r in rows if r["state"] == "unknown"]}
    common.publish(common.close(document), bench_mutation.render(document), arguments.json)
    if not bench_mutation.holds(document) or bench.failed:
        raise SystemExit(1)

