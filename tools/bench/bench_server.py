"""Tests kevolve's client of language models with a real model server: streaming, many calls at once, cancellation."""

from __future__ import annotations

import common
from common import Json


def line(what: str, x: Json) -> list[str]:
    return [what, x["outcome"], x["finish"], str(x["pieces"]), *("-" if n is None else str(n) for n in (x["input_tokens"], x["output_tokens"])),
            "-" if x["first_content_ms"] is None else f"{x['first_content_ms']:.0f} ms", f"{x['total_ms']:.0f} ms"]


def render(document: Json) -> str:
    rows = [["wire format", "call", "outcome", "finish", "pieces", "tokens in", "out", "first content", "whole"]]
    notes = []
    for kind, m in document["measured"].items():
        many = m["many"]
        slowest = max(many, key=lambda x: x["total_ms"])
        rows += [[kind, *line("one", m["single"])], ["", *line(f"slowest of {len(many)} at once", slowest)],
                 ["", *line("cancelled after 3 pieces", m["cancelled"])], ["", *line("the one after it", m["after_the_cancelled"])]]
        answered = sum(x["outcome"] == "answered" for x in many)
        notes.append(f"{kind}: {answered} of {len(many)} calls at once answered, {m['many_ms']:.0f} ms in all; the cancelled one ended "
                     f"{m['cancelled']['ended_after_cancel_ms']:.2f} ms after the word; {m['connections_opened']} connections opened")
    return "\n".join([common.table(rows), "", f"{document['server']}:", *notes])


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--url", required=True, help="of a running server, such as http://127.0.0.1:8080/v1")
    p.add_argument("--model", required=True)
    p.add_argument("--server", required=True, help="its name and version, for the record")
    p.add_argument("--kinds", nargs="+", default=["openai-chat"], help="wire formats that it speaks (openai-chat, openai, anthropic)")
    p.add_argument("--at-once", type=int, default=16)
    arguments = p.parse_args()
    common.need(arguments.bin, "bench-server")
    document = common.header("server", arguments)
    document["server"] = arguments.server
    document["measured"] = {}
    for kind in arguments.kinds:
        measured = common.ask([arguments.bin / "bench-server", "--url", arguments.url, "--kind", kind, "--model", arguments.model,
                               "--at-once", arguments.at_once])
        if measured is None:
            raise SystemExit(1)
        document["measured"][kind] = measured
    common.publish(common.close(document), render(document), arguments.json)


if __name__ == "__main__":
    main()
