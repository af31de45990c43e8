"""Measures the knowledge base: loading with the full-text index, one retrieval, and the share of situations whose wanted
document is among the first three. A file of situations is a JSON list of {"signals", "text", "wanted"}. With --facts it
draws sections by the seed, with their sources, for a person who looks them up.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Sequence
from pathlib import Path

import common
from common import Json

LOAD_LIMIT_MS = 200
RETRIEVAL_LIMIT_MS = 5
SITUATIONS = common.ROOT / "tests" / "knowledge" / "situations.json"


def rows_of(document: Json) -> list[list[str]]:
    m = document["measured"]
    q = m["quality"]
    skills = [] if "skills" not in m else [
        [f"skills of a step, among {m['skills']:,}, median", f"{m['skills_ms']['median']:.2f} ms", f"at most {RETRIEVAL_LIMIT_MS} ms"],
        [f"skills of a step, among {m['skills']:,}, longest", f"{m['skills_ms']['longest']:.2f} ms", ""]]
    return [["figure", "value", "wanted"],
            ["documents, for the times", str(m["documents"]), ""],
            ["load and index", f"{m['load_ms']:.1f} ms", f"at most {LOAD_LIMIT_MS} ms"],
            ["one retrieval, median", f"{m['retrieval_ms']['median']:.2f} ms", f"at most {RETRIEVAL_LIMIT_MS} ms"],
            ["one retrieval, longest", f"{m['retrieval_ms']['longest']:.2f} ms", ""],
            *skills,
            ["shipped documents", f"{m['shipped']}, {m['left_out']} errors in others", ""],
            ["wanted document is first", share(q["first"], q["situations"]), ""],
            ["wanted document is among the first three", share(q["among_three"], q["situations"]), ""]]


def share(x: float | None, of: int) -> str:
    return "unknown" if x is None else f"{x:.0%} of {of} situations"


def render(document: Json) -> str:
    text = common.table(rows_of(document))
    for x in document["measured"]["quality"]["missed"]:
        text += f"\nmissed: {x['wanted']}" + ("" if x["there"] else ", which is not shipped") + f"; first was {x['first']}"
    return text


def facts_of(file: Path) -> list[tuple[str, str]]:
    """Returns the sections of a document that name a public source: document, heading and text; and the sources."""
    _, head, body = file.read_text(encoding="utf-8").split("+++\n", 2)
    sources = tomllib.loads(head)["sources"]
    out = []
    for section in body.split("\n## ")[1:] if not body.startswith("## ") else ("\n" + body).split("\n## ")[1:]:
        text, _, named = section.strip().rpartition("\nSource: ")
        public = [sources[s.strip()] for s in named.split(";") if not s.strip().startswith("own")]
        if public:
            out.append((f"{file.relative_to(common.ROOT)}: {text}", "; ".join(public)))
    return out


def drawn_facts(seed: int, count: int) -> Sequence[tuple[str, str]]:
    """Returns sections drawn without replacement, over all shipped documents."""
    files = [*common.ROOT.glob("backends/*/knowledge/*.md"), *common.ROOT.glob("actors/knowledge/documents/*.md")]
    return random.Random(seed).sample([f for file in sorted(files) for f in facts_of(file)], count)


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--situations", default=SITUATIONS, help="a file of situations (default: tests/knowledge/situations.json)")
    p.add_argument("--documents", type=int, default=120, help="for the times (default: 120)")
    p.add_argument("--facts", type=int, default=0, help="draw so many sections by the seed, and measure nothing")
    arguments = p.parse_args()
    if arguments.facts:
        for n, (text, sources) in enumerate(drawn_facts(arguments.seed, arguments.facts), 1):
            print(f"{n}. {text}\n   Sources: {sources}\n")
        return
    common.need(arguments.bin, "bench-knowledge")
    document = common.header("knowledge", arguments)
    document["measured"] = common.ask([arguments.bin / "bench-knowledge", "--documents", arguments.documents,
                                       "--rounds", 500 if arguments.long else 50, "--situations", arguments.situations])
    if document["measured"] is None:
        raise SystemExit(1)
    common.publish(common.close(document), render(document), arguments.json)


def page_table(documents: dict[str, Json]) -> str:
    document, = documents.values()
    return common.table(rows_of(document))


if __name__ == "__main__":
    main()
