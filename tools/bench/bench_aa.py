"""Races of a candidate identical to its reference, and of one with 5 % more work."""

from __future__ import annotations

import common
from common import Json


def render(document: Json) -> str:
    rows = [["candidate", "other core", "kernel", "reference", "trials", "called faster", "called slower", "screened out",
             "undecided", "refused", "median speedup", "median pairs", "median race"]]
    for r in document["rows"]:
        rows.append([r["candidate"], r["other_core"], f"{r['kernel']} ({r['bound']})",
                     common.nanoseconds(r["reference_us"] * 1e3), str(r["trials"]), str(r["faster"]), str(r["slower"]),
                     str(r["screened"]), str(r["undecided"]), str(r["refused"]), common.number(r["median_speedup"], 4),
                     common.number(r["median_pairs"], 0), common.nanoseconds(r["median_race_s"] * 1e9)])
    lines = [common.table(rows), ""]
    for t in document["totals"]:
        seen = t["slower"] + t["screened"]
        lines.append(f"{t['candidate']}, other core {t['other_core']}: called faster in {t['faster']} of {t['trials']}, "
                     f"seen to be slower in {seen} of {t['trials']}")
    return "\n".join(lines)


def main() -> None:
    arguments = common.parser(__doc__).parse_args()
    common.need(arguments.bin, "bench-aa", "kevolve-judge", "kevolve-zygote", "kevolve-compile-server")
    document = common.header("aa", arguments)
    trials = 200 if arguments.long else 20
    measured = common.ask([arguments.bin / "bench-aa", "--bin", arguments.bin, "--trials", trials])
    if measured is None:
        raise SystemExit(1)
    document["trials"] = trials
    document["rows"] = measured["rows"]
    document["seed"] = measured["seed"]
    totals: dict[tuple[str, str], dict[str, int]] = {}
    for r in measured["rows"]:
        t = totals.setdefault((r["candidate"], r["other_core"]), {})
        for key in ("trials", "faster", "slower", "screened", "undecided", "refused"):
            t[key] = t.get(key, 0) + r[key]
    document["totals"] = [{"candidate": c, "other_core": o, **t} for (c, o), t in totals.items()]
    common.publish(common.close(document), render(document), arguments.json)


if __name__ == "__main__":
    main()
