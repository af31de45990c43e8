"""Puts faults into right kernels, looks for a witness of each, and asks the judge whether it would call the mutant right.

A mutant counts if a search finds an allowed call on which it leaves the tolerance or touches what is not its own. The
search shares nothing with the judge. The score is the share of those that the judge refuses, by class.
"""

from __future__ import annotations

import difflib
import json
import os
import queue
import signal
import threading
from pathlib import Path
from typing import Any

import common
from common import Json
from mutation import controls as honest
from mutation import costs as cost
from mutation import faults, mutants, mutate_c, originals, replays, score, syntax
from mutation.cases import Workshop
from mutation.contract import Contract
from mutation.judge import Judge, Source, code_of
from mutation.search import Search, asan_line, hints_of_special

SHORT_TASKS = ["softmax_rows", "map_id", "row_lse", "mbdt"]
C_FLAGS = ["-std=gnu11", "-march=native"]
# A confirmation calls for so long; faults of state are shown by the final one's.
LONG_RUN_MS = {"state": 1000}


class Results:
    """The rows of the run, kept in a file if one is given, so that a run goes on where it was cut off."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.rows: dict[str, Json] = {}
        if file and file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.rows[row["id"]] = row
        self.lock = threading.Lock()

    def add(self, row: Json) -> None:
        with self.lock:
            self.rows[row["id"]] = row
            if self.file:
                with self.file.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(row) + "\n")


class Bench:
    def __init__(self, arguments: Any, folder: Path, results: Results) -> None:
        self.arguments = arguments
        self.folder = folder
        self.results = results
        self.compiler = Judge(arguments.bin)
        self.asked: queue.Queue[tuple[Json, Path, Contract, Source] | None] = queue.Queue(maxsize=64)
        self.originals: list[Json] = []
        self.sandbox = ""
        self.failed: BaseException | None = None
        self.cut_off = ""
        self.made = 0

    def run(self, contracts: list[Contract]) -> None:
        worker = threading.Thread(target=self._judge, daemon=True)
        worker.start()
        current = ""
        try:
            with self.compiler:
                for c in contracts:
                    current = c.name
                    self._task(c)
        except KeyboardInterrupt:
            self.cut_off = current
            while not self.asked.empty():
                self.asked.get()
        self.asked.put(None)
        worker.join()
        if self.failed:
            raise SystemExit(f"the judge: {self.failed}")

    # The judge's side

    def _judge(self) -> None:
        try:
            with Judge(self.arguments.bin) as judge:
                self.sandbox = judge.hello.get("sandbox", "")
                while (item := self.asked.get()) is not None:
                    row, file, c, source = item
                    judge.tasks[c.name] = c.path
                    stages = row.pop("stages")
                    answer = judge.judge(c.name, file, source, stages, long_run_ms=LONG_RUN_MS.get(row["class"], 100))
                    file.unlink(missing_ok=True)
                    self._judged(row, answer)
        except BaseException as e:
            self.failed = e
            while self.asked.get() is not None:
                pass

    def _judged(self, row: Json, answer: Json) -> None:
        passed = answer.get("verdict") == "pass"
        told = {k: answer[k] for k in ("stage", "verdict", "rule", "detail", "fault", "ms") if answer.get(k)}
        if row["class"] == "control":
            self.results.add(row | {"judge": told, "state": "fault" if "fault" in answer else "passed" if passed else "refused"})
            if not passed:
                common.say(f"control refused: {row['task']} {row['original']} {row['operator']}: {told}")
            return
        row["judge"] = told
        if row.get("state") == "unknown":
            if not passed:
                common.say(f"refused without a witness: {row['task']}/{row['original']} {row['class']} ({row['operator']}) line {row['line']}: "
                           f"{row['before'][:60]} -> {row['after'][:60]}: {told}")
            self.results.add(row)
            return
        row["state"] = "fault" if "fault" in answer else "survived" if passed else "killed"
        if row["state"] != "killed":
            common.say(f"{row['state']}: {row['task']}/{row['original']} {row['class']} ({row['operator']}) line {row['line']}: "
                       f"{row['before'][:60]} -> {row['after'][:60]}; witness {row['witness']['how']} {row['witness'].get('sizes')}"
                       f" {row['witness'].get('patterns')}")
        self.results.add(row)

    # The side of mutants and witnesses

    def _task(self, c: Contract) -> None:
        a = self.arguments
        if c.language != "c":
            return
        self.compiler.load(c.name, c.path)
        search = Search(Workshop(c, self.folder / c.name, a.seed), a.seed)
        every = list(originals.originals(c, winners=not a.no_winners))
        if a.search:
            every += originals.found_winner(c, a.bin, a.seed, a.search, self.folder / c.name)
        for o in every:
            if o.language == "c" and originals.is_named(o, a.original):
                self._original(c, o, search)

    def _original(self, c: Contract, o: originals.Original, search: Search) -> None:
        a = self.arguments
        at = self.folder / c.name
        right = at / "original.so"
        error = self._compile(c, o.flags, o.source, right)
        note: Json = {"task": c.name, "original": o.name, "flags": o.flags}
        self.originals.append(note)
        if error:
            note["left out"] = error[:300]
            return
        unfit = search.unfit(right)
        note["cases"] = len(search.generic)
        # Cases on which the original itself is found wrong witness nothing; they are worth a look of their own.
        note["own faults"] = [{"case": search.shop.cases[k].told, "text": f.text} for k, f in list(unfit.items())[:3]]
        if unfit:
            common.say(f"{c.name}/{o.name} itself is wrong in {len(unfit)} of {len(search.generic)} cases: {next(iter(unfit.values())).text}")
        if a.controls and not a.kind:
            self._controls(c, o, search)
        most = a.most if a.most is not None else (MOST_OF_SHORT if not a.long else MOST_OF_REFERENCES if o.name == "reference" else MOST_OF_OTHERS)
        made = list(mutate_c.Mutations(o.source, C_FLAGS).all()) + list(faults.all_faults(c, o.source, f"{a.seed}"))
        chosen = [m for m in mutants.choose(made, most, f"{a.seed}/{c.name}/{o.name}") if not a.kind or m.kind in a.kind]
        local = any(word in o.source for word in ("alloc(", "alloca(")) or has_local_array(o.source)
        known = {code_of(right)}
        states: dict[str, int] = {}
        for m in chosen:
            identity = f"{a.seed}/{c.name}/{o.name}/{m.kind}/{m.name}/{m.line}/{m.before}/{m.after}"
            if identity in self.results.rows:
                continue
            row = {"id": identity, "task": c.name, "original": o.name, "flags": o.flags, "class": m.kind, "operator": m.name,
                   "line": m.line, "before": m.before, "after": m.after}
            state = self._mutant(c, o, m, row, self._file(c), search, right, frozenset(unfit), known, local)
            states[state] = states.get(state, 0) + 1
        common.say(f"{c.name}/{o.name}: {len(chosen)} mutants: " + ", ".join(f"{n} {s}" for s, n in sorted(states.items())))

    def _mutant(self, c: Contract, o: originals.Original, m: mutants.Mutant, row: Json, to: Path, search: Search, right: Path,
                without: frozenset[str], known: set[str], local: bool) -> str:
        error = self._compile(c, o.flags, m.source, to)
        if error:
            self.results.add(row | {"state": "not compiled", "detail": error[:200]})
            return "not compiled"
        code = code_of(to)
        if code in known:
            self.results.add(row | {"state": "same code"})
            return "same code"
        known.add(code)
        hints = m.hints or (hints_of_special(c) if m.kind == "special" else ())
        found = search.witness(to, hints, without, right, large=m.kind != "state" and o.name != "reference")
        if found:
            witness: Json = {"how": found.how, "text": found.text, "seed": self.arguments.seed, **found.case}
        else:
            sanitized = self._sanitized(m, search, to, local)
            if not sanitized and self.arguments.ask_unknown:
                self.asked.put((row | {"state": "unknown", "stages": ["check"]}, to, c, Source(m.source, o.language, o.flags)))
                return "unknown"
            if not sanitized:
                self.results.add(row | {"state": "unknown"})
                return "unknown"
            witness = {"how": "sanitizer", "text": sanitized, "seed": self.arguments.seed}
        row["witness"] = witness
        row["diff"] = difference(o.source, m.source)
        row["stages"] = self.arguments.stages.split(",")
        self.asked.put((row, to, c, Source(m.source, o.language, o.flags)))
        return "witnessed"

    def _sanitized(self, m: mutants.Mutant, search: Search, to: Path, local: bool) -> str:
        """Reads beside an array change nothing that a caller sees, and writes into local arrays may do so elsewhere."""
        if m.kind not in ("boundary", "index") and not local:
            return ""
        file = to.with_suffix(".c")
        file.write_text(m.source, encoding="utf-8")
        return asan_line(search.sanitized(file, to.with_suffix(".asan"), m.hints).text)

    def _file(self, c: Contract) -> Path:
        """Returns a new path. The judge reads an object when its turn comes, long after the next one was compiled."""
        self.made += 1
        return self.folder / c.name / f"made-{self.made}.so"

    def _compile(self, c: Contract, flags: str, source: str, to: Path) -> str:
        file = to.with_suffix(".c")
        file.write_text(source, encoding="utf-8")
        error = self.compiler.compile(c.name, "c", flags, file, to)
        file.unlink()
        return error

    def _controls(self, c: Contract, o: originals.Original, search: Search) -> None:
        exact = any(a.is_written and (not a.floating or a.nonfinite) for a in c.arguments)
        every = list(honest.variants(o.source, o.flags, C_FLAGS, not exact))
        for i, v in enumerate(every[:self.arguments.controls]):
            to = self._file(c)
            row = {"id": f"{self.arguments.seed}/{c.name}/{o.name}/control/{v.name}", "class": "control", "task": c.name,
                   "original": o.name, "operator": v.name}
            if row["id"] in self.results.rows:
                continue
            if self._compile(c, v.flags, v.source, to) or search.unfit(to):
                self.results.add(row | {"state": "unfit"})
                to.unlink(missing_ok=True)
                continue
            self.asked.put((row | {"stages": ["confirm"] if i % 10 == 9 else ["check"]}, to, c, Source(v.source, o.language, v.flags)))


MOST_OF_REFERENCES = 8
MOST_OF_OTHERS = 4
MOST_OF_SHORT = 2


def has_local_array(source: str) -> bool:
    tree = syntax.parse(source, C_FLAGS)
    return any(n.kind == syntax.K.VAR_DECL and "ARRAY" in n.type.kind.name for n in tree.nodes)


def difference(before: str, after: str) -> str:
    after = after.removeprefix(mutate_c.HELPERS + "#line 1\n").replace(faults.HELPERS, "\n")
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), "right", "mutant", lineterm="", n=1))
    return "\n".join(line for line in lines if not line.startswith("@@"))[:2500]


def cells(name: str, c: Json) -> list[str]:
    return [name, str(c["mutants"]), str(c["witnessed"]), str(c["killed"]), str(c["survived"]),
            "-" if c["share"] is None else f"{100 * c['share']:.1f} %", str(c["unknown"]), str(c["same code"] + c["not compiled"]),
            str(c["fault"])]


HEAD = ["class", "mutants", "witnessed", "refused", "called right", "score", "unknown", "same code or not compiled", "faults"]


def class_table(document: Json) -> str:
    s = document["score"]
    return common.table([HEAD, *(cells(n, c) for n, c in s["classes"].items()), cells("all", s["all"])])


def render(document: Json) -> str:
    s = document["score"]
    lines = [class_table(document), "", common.table([["task", *HEAD[1:]], *(cells(n, c) for n, c in s["tasks"].items())])]
    c = document["controls"]
    if c["runs"]:
        lines.append(f"\nHonest controls: {len(c['refused'])} of {c['runs']} runs refused ({c['unfit']} variants were not honest)")
        lines += [f"  refused: {r}" for r in c["refused"]]
    for o in document["originals"]:
        if o.get("left out") or o.get("own faults"):
            lines.append(f"\n{o['task']}/{o['original']}: {o.get('left out') or o['own faults']}")
    for r in document["survivors"]:
        lines.append(f"\ncalled right: {r['task']}/{r['original']}, {r['class']} ({r['operator']}), seed {r['witness']['seed']}\n"
                     f"witness: {r['witness']}\n{r['diff']}")
    if s["missed"]:
        lines.append("\nbelow the targets: " + "; ".join(s["missed"]))
    return "\n".join(lines)


def holds(document: Json) -> bool:
    """Tells whether the targets are met and no honest control was refused."""
    return not document["score"]["missed"] and not document["controls"]["refused"] and document["score"]["all"]["fault"] == 0


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--target", choices=["cpu", "cuda", "triton"], default="cpu")
    p.add_argument("--task", action="append", help="a task's name or file; may be repeated")
    p.add_argument("--class", dest="kind", action="append", choices=mutants.CLASSES, help="may be repeated")
    p.add_argument("--original", help="only originals whose name contains one of these words, with commas between: reference, honest, hand, winner")
    p.add_argument("--no-winners", action="store_true", help="leaves out the recorded winners")
    p.add_argument("--search", type=int, metavar="SECONDS", help="adds the winner of a campaign of so long to each task's originals")
    p.add_argument("--most", type=int, help="mutants of each class of each original")
    p.add_argument("--controls", type=int, help="variants of each original to judge as honest controls")
    p.add_argument("--stages", default="check,confirm", help="of the judge, in order; the first that refuses ends")
    p.add_argument("--replay", action="store_true", help="makes no mutants: replays every right kernel with sanitizers, winners of all machines too")
    p.add_argument("--cost", action="store_true", help="makes no mutants: measures what a screened-out candidate and a champion cost the judge")
    p.add_argument("--ask-unknown", action="store_true", help="asks the judge of mutants without a witness, too: what it refuses, the search missed")
    p.add_argument("--state", type=Path, help="results so far; a run that was cut off goes on from it")
    p.add_argument("--prepare", type=Path, help="cuda, triton: writes the mutants to this file, for a machine without libclang")
    p.add_argument("--prepared", type=Path, help="cuda, triton: takes the mutants from this file")
    p.add_argument("--wall", type=float, default=480.0, help="cuda, triton: seconds after which nothing new is begun")
    p.add_argument("--allow-weak-sandbox", action="append", metavar="LAYER", help="cuda, triton: a layer that may be missing")
    arguments = p.parse_args()
    document = common.header("mutation", arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if arguments.target != "cpu":
        from mutation import gpu

        gpu.main(arguments, document)
        return
    if why := syntax.missing():
        raise SystemExit(why)
    common.need(arguments.bin, "bench-mutation", "kevolve-judge", "kevolve-zygote", "kevolve-compile-server")
    names = arguments.task or (None if arguments.long else SHORT_TASKS)
    if arguments.cost:
        with common.scratch() as folder:
            document["costs"] = cost.costs(arguments.bin, originals.contracts(names), folder)
        document["cost_summary"] = cost.summary(document["costs"])
        common.publish(common.close(document), cost.render(document["costs"]), arguments.json)
        return
    if arguments.replay:
        with common.scratch() as folder:
            every_task = [*originals.contracts(names), *([] if names else originals.examples())]
            document |= replays.replay_all(arguments.bin, every_task, folder, arguments.original or "")
        common.publish(common.close(document), replays.render(document["replays"]), arguments.json)
        if not replays.holds(document["replays"]):
            raise SystemExit(1)
        return
    if not arguments.long and not arguments.original:
        arguments.original = "reference"
    if arguments.controls is None:
        arguments.controls = 13 if arguments.long else 2
    os.environ.setdefault("WITNESS_SECONDS", "2")
    results = Results(arguments.state)
    with common.scratch() as folder:
        bench = Bench(arguments, folder, results)
        bench.run(list(originals.contracts(names)))
    every = list(results.rows.values())
    rows = [r for r in every if r["class"] != "control" and (not arguments.kind or r["class"] in arguments.kind)]
    document |= {"sandbox": bench.sandbox, "stages": arguments.stages, "originals": bench.originals, "controls": honest.summary(every),
                 "score": score.score(rows), "survivors": [r for r in rows if r["state"] == "survived"],
                 "faults": [r for r in rows if r["state"] == "fault"],
                 "unknown": [{k: r[k] for k in ("task", "original", "class", "operator", "line", "before", "after")}
                             for r in rows if r["state"] == "unknown"]}
    if bench.cut_off:
        document["cut_off"] = bench.cut_off
    common.publish(common.close(document), render(document), arguments.json)
    if not holds(document):
        raise SystemExit(1)


def page_table(documents: dict[str, Json]) -> str:
    """Returns the scores by class of each document, side by side; of sanitised replays and costs, their own tables."""
    if all("costs" in d for d in documents.values()):
        return cost.table([r for d in documents.values() for r in d["costs"]])
    if all("replays" in d for d in documents.values()):
        return replays.table([r for d in documents.values() for r in d["replays"]])
    # A name consists of the benchmark's name and, after a dash, a name of the run.
    names = [n.partition("-")[2] for n in documents]
    rows = [["class", *(f"{column} ({n})" if n else column for n in names for column in ("witnessed", "refused"))]]
    for kind in [*mutants.CLASSES, "all"]:
        found = [d["score"]["all"] if kind == "all" else d["score"]["classes"].get(kind) for d in documents.values()]
        if any(found):
            rows.append([kind, *(text for c in found for text in
                                 ((str(c["witnessed"]), f"{100 * c['share']:.1f} %" if c["share"] is not None else "-") if c else ("-", "-")))])
    return common.table(rows)


if __name__ == "__main__":
    main()
