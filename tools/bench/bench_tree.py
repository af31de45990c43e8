"""Measures one campaign's tree: the processor time of a selection with its node's start and end, a candidate's memory,
and the fold of the campaign's events at a node's start. --long grows it to a million candidates.
"""

from __future__ import annotations

import common
from common import Json

STEP_LIMIT_US = 20
BYTES_LIMIT = 200
FOLD_LIMIT_S = 5


def rows_of(document: Json) -> list[list[str]]:
    rows = [["policy", "candidates", f"us a step (wanted: {STEP_LIMIT_US})", "up to 1,000", "last tenth",
             f"bytes a candidate (wanted: {BYTES_LIMIT})", "depth", "most children"]]
    for p in document["measured"]["policies"]:
        rows.append([p["policy"], f"{p['candidates']:,}", f"{p['us']:.2f}", f"{p['us_at_1000']:.2f}", f"{p['us_at_end']:.2f}",
                     f"{p['bytes']:.0f}", f"{p['depth']:.1f}", f"{p['most_children']:,}"])
    return rows


def fold_of(document: Json) -> str:
    fold = document["measured"]["fold"]
    return (f"fold of {fold['events']:,} events: {fold['seconds']:.2f} s, {fold['us']:.2f} us an event (wanted: {FOLD_LIMIT_S} s "
            f"for a million); {'the same tree' if fold['same_tree'] else 'ANOTHER TREE'}")


def render(document: Json) -> str:
    return "\n".join(["A step: a candidate is selected, begun and ended, sixteen in flight; processor time of one core", "",
                      common.table(rows_of(document)), "", fold_of(document)])


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--candidates", type=int, help="of each tree: short 20,000, long 1,000,000")
    p.add_argument("--events", type=int, help="to fold: short 40,000, long 1,000,000")
    arguments = p.parse_args()
    common.need(arguments.bin, "bench-tree")
    document = common.header("tree", arguments)
    candidates = arguments.candidates or (1_000_000 if arguments.long else 20_000)
    events = arguments.events or (1_000_000 if arguments.long else 40_000)
    document["measured"] = common.ask([arguments.bin / "bench-tree", "--candidates", candidates, "--events", events,
                                       "--seed", arguments.seed])
    if document["measured"] is None:
        raise SystemExit(1)
    common.publish(common.close(document), render(document), arguments.json)


def page_table(documents: dict[str, Json]) -> str:
    document, = documents.values()
    return common.table(rows_of(document)) + "\n\n" + fold_of(document)


if __name__ == "__main__":
    main()
