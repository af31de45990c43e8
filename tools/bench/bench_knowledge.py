"""Measures the knowledge base: loading with the full-text index, one retrieval, and the share of situations whose wanted
document is among the first three. A file of situations is a JSON list of {"signals", "text", "wanted"}.
"""

from __future__ import annotations

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


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--situations", default=SITUATIONS, help="a file of situations (default: tests/knowledge/situations.json)")
    p.add_argument("--documents", type=int, default=120, help="for the times (default: 120)")
    arguments = p.parse_args()
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
