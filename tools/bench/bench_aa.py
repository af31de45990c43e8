"""Measures paired comparisons of a candidate equal to its reference, with 1, 2, 3 and 5 % more work, or 3 % less."""

from __future__ import annotations

from pathlib import Path

import common
from common import Json


def render(document: Json) -> str:
    rows = [["candidate", "other core", "kernel", "reference", "sessions", "called faster", "called slower", "screened out",
             "undecided", "refused", "median speedup", "median pairs", "median time"]]
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
    if aa := document.get("aa"):  # older figures lack this part
        lines.append(f"A/A with the other core busy: {aa['faster']} false winners of {aa['sessions']} sessions "
                     f"(wanted: at most {aa['wanted_at_most']})")
    for t in document.get("threads", []):
        lines.append(f"{t['candidate']}, a thread on every core: called faster in {t['faster']} of {t['trials']}, "
                     f"seen to be slower in {t['slower'] + t['screened']} of {t['trials']}")
    for p in document.get("power", []):
        lines.append(f"{p['candidate']}: seen in {p['seen']} of {p['sessions']} sessions of at most 100 pairs "
                     f"({100 * p['power']:.0f} %{', wanted: 90 %' if p['candidate'] == '3 % more work' else ''})")
    return "\n".join(lines)


def seen(row: Json) -> int:
    return row["faster"] if "less" in row["candidate"] else row["slower"] + row["screened"]


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--samples", type=Path, help="file for the pairs of every session, a line of JSON each")
    arguments = parser.parse_args()
    common.need(arguments.bin, "bench-aa", "kevolve-judge", "kevolve-zygote", "kevolve-compile-server")
    document = common.header("aa", arguments)
    # For each form: comparisons as in a campaign, A/A sessions under load, sessions for the power at each of four
    # gains.
    trials, aa, power, threads = (200, 400, 100, 100) if arguments.long else (4, 8, 4, 4)
    measured = common.ask([arguments.bin / "bench-aa", "--bin", arguments.bin, "--trials", trials, "--aa", aa,
                           "--power", power, "--threads", threads,
                           *(["--samples", arguments.samples] if arguments.samples else [])])
    if measured is None:
        raise SystemExit(1)
    document["trials"] = trials
    document["rows"] = measured["rows"]
    document["seed"] = measured["seed"]
    totals: dict[tuple[str, str], dict[str, int]] = {}
    for r in measured["rows"]:
        if r["part"] != "trials":
            continue
        t = totals.setdefault((r["candidate"], r["other_core"]), {})
        for key in ("trials", "faster", "slower", "screened", "undecided", "refused"):
            t[key] = t.get(key, 0) + r[key]
    document["totals"] = [{"candidate": c, "other_core": o, **t} for (c, o), t in totals.items()]
    rows = [r for r in measured["rows"] if r["part"] == "aa"]
    sessions = sum(r["trials"] for r in rows)
    document["aa"] = {"sessions": sessions, "faster": sum(r["faster"] for r in rows),
                      "disturbed": sum(r["disturbed"] for r in rows), "wanted_at_most": sessions * 3 // 100}
    document["threads"] = [{k: r[k] for k in ("candidate", "trials", "faster", "slower", "screened", "undecided", "refused")}
                           for r in measured["rows"] if r["part"] == "threads"]
    document["power"] = [{"candidate": r["candidate"], "sessions": r["trials"], "seen": seen(r),
                          "power": seen(r) / r["trials"], "disturbed": r["disturbed"]}
                         for r in measured["rows"] if r["part"] == "power"]
    common.publish(common.close(document), render(document), arguments.json)


def page_table(documents: dict[str, Json]) -> str:
    """Returns a table with one row for each kind of session, over all kernels: how often a difference was found."""
    document, = documents.values()
    aa = document["aa"]
    rows = [["candidate", "machine beside it", "sessions", "called faster", "seen to be slower"]]
    for t in document["totals"]:
        rows.append([t["candidate"], f"other core {t['other_core']}", str(t["trials"]), str(t["faster"]), str(t["slower"] + t["screened"])])
    rows.append(["identical (A/A)", "other core busy", str(aa["sessions"]), str(aa["faster"]), "-"])
    for p in document["power"]:
        less = "less" in p["candidate"]
        rows.append([p["candidate"], "other core busy", str(p["sessions"]), str(p["seen"]) if less else "-",
                     "-" if less else str(p["seen"])])
    for t in document["threads"]:
        rows.append([t["candidate"], "a thread on every core", str(t["trials"]), str(t["faster"]), str(t["slower"] + t["screened"])])
    return common.table(rows)


if __name__ == "__main__":
    main()
