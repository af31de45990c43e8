"""Measures one campaign's tree: the processor time of a selection with its node's start and end, and a candidate's memory.
Measures the fold of the campaign's events at a node's start, and a live search node's memory beside an empty actor's,
too. --long grows the tree to a million candidates.
"""

from __future__ import annotations

import bench_crowd
import common
from common import Json

STEP_LIMIT_US = 20
GROWTH_LIMIT = 3
BYTES_LIMIT = 200
FOLD_LIMIT_S = 5


def rows_of(document: Json) -> list[list[str]]:
    policies = document["measured"]["policies"]
    size = policies[0]["candidates"]
    rows = [["policy", f"us a step, mean (wanted: {STEP_LIMIT_US})", "up to 1,000 candidates", f"last tenth of {size:,}",
             f"ratio (wanted: {GROWTH_LIMIT})", "nodes that a selection reads at 1,000, at the end", f"bytes a candidate (wanted: {BYTES_LIMIT})", "depth", "most children"]]
    for p in policies:
        reads = "-" if "reads_at_end" not in p else f"{p['reads_at_1000']:.0f}, {p['reads_at_end']:.0f}"
        rows.append([p["policy"], f"{p['us']:.2f}", f"{p['us_at_1000']:.2f}", f"{p['us_at_end']:.2f}", f"{p['us_at_end'] / p['us_at_1000']:.2f}",
                     reads, f"{p['bytes']:.0f}", f"{p['depth']:.1f}", f"{p['most_children']:,}"])
    return rows


def fold_of(document: Json) -> str:
    fold = document["measured"]["fold"]
    return (f"fold of {fold['events']:,} events: {fold['seconds']:.2f} s, {fold['us']:.2f} us an event (wanted: {FOLD_LIMIT_S} s "
            f"for a million); {'the same tree' if fold['same_tree'] else 'ANOTHER TREE'}")


def page(document: Json) -> str:
    return "\n\n".join([common.table(rows_of(document)), fold_of(document), *bench_crowd.bytes_of(document)])


def render(document: Json) -> str:
    return "A step: a candidate is selected, begun and ended, sixteen in flight; processor time of one core\n\n" + page(document)


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--candidates", type=int, help="of each tree: short 20,000, long 1,000,000")
    p.add_argument("--events", type=int, help="to fold: short 40,000, long 1,000,000")
    p.add_argument("--actors", type=int, help="of each kind: short 2,000, long 20,000")
    arguments = p.parse_args()
    common.need(arguments.bin, "bench-tree", "bench-crowd")
    document = common.header("tree", arguments)
    candidates = arguments.candidates or (1_000_000 if arguments.long else 20_000)
    events = arguments.events or (1_000_000 if arguments.long else 40_000)
    document["measured"] = common.ask([arguments.bin / "bench-tree", "--candidates", candidates, "--events", events,
                                       "--seed", arguments.seed])
    if document["measured"] is None:
        raise SystemExit(1)
    with common.scratch() as folder:
        bench_crowd.fill(arguments.bin, folder / "data", 5, 2_000)
        document["actor_bytes"] = bench_crowd.actor_bytes(arguments.bin, folder / "data", arguments.actors or (20_000 if arguments.long else 2_000))
    common.publish(common.close(document), render(document), arguments.json)


def page_table(documents: dict[str, Json]) -> str:
    document, = documents.values()
    return page(document)


if __name__ == "__main__":
    main()
