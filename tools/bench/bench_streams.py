"""Measures many simultaneous model answers: the node's own time for each call, and the memory of a stream."""

from __future__ import annotations

import common
from common import Json

OWN_LIMIT_MS = 5
MEMORY_LIMIT_KIB = 256


def row(name: str, x: Json) -> list[str]:
    return [name, *(f"{x[k]:.2f} ms" for k in ("median", "p99", "most"))]


def render(document: Json) -> str:
    m = document["measured"]
    c = document.get("beside_the_server")
    rows = [["", "median", "99 % within", "most"],
            row("from the question until the server has it", m["before_ms"]),
            row("from the server's last piece until the answer is stored and there", m["after_ms"]),
            row("both", m["own_ms"]),
            row("floor of both", m["floor_ms"])]
    return "\n".join([
        common.table(rows), "",
        (f"{m['calls']} calls, {m['at_once']} at once, each a question of {m['prompt_kib']} KiB answered in {m['pieces']} pieces, "
         f"one every {m['piece_every_ms']} ms. From the models' actor on: choosing the provider, reserving, storing the call, the "
         f"connection, the stream, storing the answer. Wanted: both together at most {OWN_LIMIT_MS} ms in 99 of 100 calls. The server "
         f"is a process of its own that gets what time the node leaves of the same cores, as one elsewhere takes none of them; the "
         f"question is there, and the last piece sent, when the kernel says so. The floor: as many streams of the same server, each "
         f"by a client that writes and syncs the question, sends it, reads the answer, writes and syncs that, and does nothing else"),
        *([(f"beside a server with equal parts of the same cores: median {c['own_ms']['median']:.2f} ms, 99 % within "
            f"{c['own_ms']['p99']:.2f} ms; the floor then {c['floor_ms']['median']:.2f} and {c['floor_ms']['p99']:.2f} ms")]
          if c else []),
        (f"memory: {m['kib_a_stream']:.0f} KiB a stream ({m['idle_kib'] / 1024:.0f} MiB before, {m['most_kib'] / 1024:.0f} at "
         f"most, the store's growth among it; wanted: {MEMORY_LIMIT_KIB} KiB); processor time {m['processor_ms_a_call']:.2f} ms a call")])


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--calls", type=int, help="short 400, long 5,000")
    p.add_argument("--at-once", type=int, default=200)
    arguments = p.parse_args()
    common.need(arguments.bin, "bench-streams")
    document = common.header("streams", arguments)
    calls = arguments.calls or (5_000 if arguments.long else 400)
    for name, how in (("measured", []), ("beside_the_server", ["--server-competes"])):
        with common.scratch() as scratch:
            document[name] = common.ask([arguments.bin / "bench-streams", "--data", scratch / "data", "--calls", calls,
                                         "--at-once", arguments.at_once, *how])
        if document[name] is None:
            raise SystemExit(1)
    common.publish(common.close(document), render(document), arguments.json)


def page_table(documents: dict[str, Json]) -> str:
    document, = documents.values()
    m, c = document["measured"], document["beside_the_server"]
    rows = [[f"{m['calls']} calls, {m['at_once']} at once", "median", "99 % within", "most"],
            row("from the question until the server has it", m["before_ms"]),
            row("from the server's last piece until the answer is stored", m["after_ms"]),
            row(f"both (wanted: {OWN_LIMIT_MS} ms in 99 of 100)", m["own_ms"]), row("floor of both", m["floor_ms"]),
            row("both, beside a server with equal parts of the same cores", c["own_ms"]),
            [f"memory a stream (wanted: {MEMORY_LIMIT_KIB} KiB)", f"{m['kib_a_stream']:.0f} KiB", "-", "-"],
            ["processor time a call", f"{m['processor_ms_a_call']:.2f} ms", "-", "-"]]
    return common.table(rows)


if __name__ == "__main__":
    main()
