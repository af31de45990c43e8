"""Measures the cost of judging: launches, the judge's own time by input size, and the spread of its ratios."""

from __future__ import annotations

import common
from common import Json


def milliseconds(x: float) -> str:
    return f"{x:.2f} ms"


def floor_of_launch(launch: Json) -> list[str]:
    """Returns the kernel's part of a launch, for documents that contain it."""
    if (floor := launch.get("floor")) is None:
        return []
    return [(f"floor of a launch: an empty process of a small parent in the same confinement is cloned, heard of and "
             f"stopped in {common.nanoseconds(floor['cloned_ns'])}, and with the sandbox's limits and filters in "
             f"{common.nanoseconds(floor['locked_ns'])}")]


def render(document: Json) -> str:
    launch, steady = document["launch"], document["steadiness"]
    rows = [["inputs", "request", "calls", "whole", "kernel", "launches", "inputs and poison", "comparing",
             "beyond launch and kernel", "the least of it", "of it per call", "plain copy, fill and compare"]]
    for r in document["sizes"]:
        rows.append([f"{r['input_bytes'] >> 20} MiB", r["mode"], f"{r['calls']:.0f}", milliseconds(r["whole_ms"]),
                     milliseconds(r["kernel_ms"]), milliseconds(r["launch_ms"]), milliseconds(r["set_up_ms"]),
                     milliseconds(r["check_ms"]), milliseconds(r["beyond_ms"]), milliseconds(r["beyond_least_ms"]),
                     milliseconds(r["beyond_per_call_ms"]), milliseconds(r["floor_ms"])])
    return "\n".join([
        common.table(rows), "",
        ("wanted for 4 MiB: at most 2 ms beyond compile, load and kernel time, for a candidate's check. The last column is the "
        "floor of as many calls: the C library's memcpy, memset and memcmp of the same bytes, and nothing else"),
        (f"launch of a candidate's process: median {common.nanoseconds(launch['median_ns'])}, 90 % within "
        f"{common.nanoseconds(launch['p90_ns'])}, of it loading {common.nanoseconds(launch['loading_median_ns'])} "
        f"(wanted: {common.nanoseconds(launch['wanted_ns'])}); {launch['launches']} launches, {launch['sandbox_level']}"),
        *floor_of_launch(launch),
        (f"champion against reference in L2, {steady['runs']} fresh judges over {steady['over_s']:.0f} s: median ratio "
        f"{steady['median']:.4f}, interquartile range {100 * steady['interquartile_range']:.2f} % (wanted: at most "
        f"{100 * steady['wanted']:.0f} %), {steady['disturbed']} disturbed"),
    ])


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--runs", type=int, help="fresh judges of the same two kernels (short 3, long 10)")
    p.add_argument("--over", type=float, help="seconds that they are spread over (short 3, long 3600)")
    arguments = p.parse_args()
    common.need(arguments.bin, "bench-judge", "kevolve-judge", "kevolve-zygote", "kevolve-compile-server")
    document = common.header("judge", arguments)
    launches, candidates, runs, over = (1000, 30, 10, 3600) if arguments.long else (100, 5, 3, 3)
    measured = common.ask([arguments.bin / "bench-judge", "--bin", arguments.bin, "--launches", launches, "--candidates",
                           candidates, "--runs", arguments.runs or runs, "--over", arguments.over or over])
    if measured is None:
        raise SystemExit(1)
    for key in ("launch", "sizes", "steadiness"):
        document[key] = measured[key]
    common.publish(common.close(document), render(document), arguments.json)


def page_table(documents: dict[str, Json]) -> str:
    """Returns tables of checks and paired comparisons, and of launches and ratios, with one column for each machine."""
    rows = [["", *(d["machine"]["cpu"] for d in documents.values())]]
    first = next(iter(documents.values()))
    names = {"check": "check", "race": "paired comparison"}
    for i, r in enumerate(first["sizes"]):
        rows.append([f"{names.get(r['mode'], r['mode'])}, {r['input_bytes'] >> 20} MiB: whole; judge's own; plain copy, fill and compare",
                     *(f"{milliseconds(s['whole_ms'])}; {milliseconds(s['beyond_ms'])}; {milliseconds(s['floor_ms'])}"
                       for s in (d["sizes"][i] for d in documents.values()))])
    rows.append(["launch: median; floor", *(f"{common.nanoseconds(d['launch']['median_ns'])}; "
                                            f"{common.nanoseconds(d['launch']['floor']['locked_ns'])}" for d in documents.values())])
    rows.append(["ratio of two kernels over an hour: interquartile range",
                 *(f"{100 * d['steadiness']['interquartile_range']:.2f} %" for d in documents.values())])
    return common.table(rows)


if __name__ == "__main__":
    main()
