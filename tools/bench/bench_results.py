"""Writes the pages of docs/results from the JSON documents beside them, each made by `tools/bench/run NAME … --json`."""

from __future__ import annotations

import importlib
import json

import common

FOLDER = common.ROOT / "docs" / "results"
# A page's file, its title, and its parts: document (its benchmark, and after a dash what sets it apart), heading.
PAGES = [("loop.md", "The closed loop, measured",
          [("quickstart", "From a clone to a proven kernel"), ("quality", "How much faster the winners are"),
           ("quality-avx2", "How much faster the winners are without AVX-512"),
           ("overhead", "What the node costs"), ("overhead-avx2", "What it costs on a slower machine"),
           ("aa", "Honesty and power of a race"), ("durability", "Kills and resumes"),
           ("build", "A clean build")]),
         ("cpu.md", "The embedded generator, measured on every CPU task", [("quality-cpu", "Every task"), ("quality-zen4", "Every task on an older core"),
          ("quality-zen4-again", "Some of them again"),
          ("quality-xeon", "Every task on a Xeon with AVX-512"), ("quality-zen3", "Every task on a slower, older core"), ("quality-zen3-again", "The narrow ones and conv2d again"), ("quality-zen3-last", "Seven of them once more"), ("quality-threads", "On every core"), ("quality-unseen", "Operators that came when it was finished"), ("search", "How soon, beside random choice"), ("search-zen3", "Some of them again, on a slower core"),
          ("hand", "What a hand-written kernel reaches")]),
         ("judge.md", "The judge, measured",
          [("redteam", "The red team"), ("aa", "Honesty and power of a race"),
           ("judge", "What judging costs, and how steady it is"),
           ("judge-avx2", "What it costs on a slower machine"), ("fuzz", "Fuzzing what parses hostile bytes")]),
         ("synthesis.md", "Candidates written by a model, measured",
          [("synthesis", "Three recorded campaigns, and the embedded generator at the same budget of candidates"),
           ("streams", "Two hundred answers at once"), ("calls", "Calls over kill -9"),
           ("server", "A server that others wrote")]),
         ("daemon.md", "The daemon, measured",
          [("daemon", "Kills and cut streams"), ("crowd", "A long past, a hundred thousand actors, silent connections"),
           ("crowd-16", "The same on a machine of sixteen cores"), ("soak", "An hour at the highest rate"),
           ("shares", "What a priority is worth"), ("fuzz-daemon", "Fuzzing what parses requests and settings")])]


def part(name: str, heading: str) -> list[str]:
    out = [f"## {heading}", ""]
    benchmark = name.partition("-")[0]
    file = FOLDER / f"{name}.json"
    if not file.exists():
        return [*out, f"Not measured yet: `tools/bench/run {benchmark} --long --json > docs/results/{name}.json`", ""]
    document = json.loads(file.read_text(encoding="utf-8"))
    render = importlib.import_module(f"bench_{benchmark}").render
    out += [f"`{document['command']}` ({common.provenance(document)})", "", render(document), ""]
    notes = FOLDER / f"{name}.notes.md"
    if notes.exists():
        out += [notes.read_text(encoding="utf-8").strip(), ""]
    return out


def main() -> None:
    for file, title, parts in PAGES:
        out = [f"# {title}", "", ("Written by `tools/bench/run results` from the JSON documents in this folder; edit the "
               "notes, not this file."), ""]
        for name, heading in parts:
            out += part(name, heading)
        (FOLDER / file).write_text("\n".join(out), encoding="utf-8")


if __name__ == "__main__":
    main()
