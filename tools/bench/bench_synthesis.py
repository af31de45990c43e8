"""Compares recorded campaigns with model-written candidates and embedded ones. Each record is replayed first and must
be identical.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import common
from common import Json

MARKS = (1, 4, 10, 20, 40)  # numbers of candidates


def replayed(kevolve: Path, file: Path) -> Json:
    done = subprocess.run([kevolve, "replay", file, "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{file.name}: {done.stderr or done.stdout}")
    return json.loads(done.stdout)


def row_of(file: Path, x: Json, marks: tuple[int, ...] = MARKS) -> Json:
    nodes = x["candidates"]
    asked = [n for n in nodes if n["rounds"]]
    curve = {str(m): max((n["best"] for n in nodes[:m]), default=1.0) for m in marks if m <= len(nodes)}
    return {"record": file.name, "task": x["name"], "generator": nodes[0]["generator"], "candidates": len(nodes),
            "valid": sum(n["verdict"] == "pass" for n in nodes), "no_candidate": sum(n["rule"] == "no_candidate" for n in nodes),
            "mended": sum(n["rounds"] > 1 for n in asked), "replies": sum(n["rounds"] for n in asked),
            "prompt_tokens": sum(n["prompt_tokens"] for n in asked), "reply_tokens": sum(n["reply_tokens"] for n in asked),
            "best_after": curve, "confirmed": x["best"], "tree_hash": x["tree_hash"]}


def render(document: Json) -> str:
    rows = [["task", "written by", "candidates", "valid", "replies refused", "tokens asked", "answered",
             *[f"best after {m}" for m in MARKS], "confirmed"]]
    for r in document["campaigns"]:
        refused = r["replies"] - (r["candidates"] - r["no_candidate"]) if r["replies"] else 0
        best = r["confirmed"]
        rows.append([r["task"], r["generator"], str(r["candidates"]), str(r["valid"]),
                     f"{refused} of {r['replies']}" if r["replies"] else "-",
                     f"{r['prompt_tokens']:,}" if r["replies"] else "-", f"{r['reply_tokens']:,}" if r["replies"] else "-",
                     *[f"{r['best_after'][str(m)]:.2f}" if str(m) in r["best_after"] else "" for m in MARKS],
                     f"{best['speedup']:.2f} [{best['ci95'][0]:.2f}, {best['ci95'][1]:.2f}]" if best else "none"])
    return (common.table(rows) + "\n\nSpeedups against the reference; \"best after\" by paired comparisons in the campaign, which drift; \"confirmed\" "
            "against the reference itself, in fresh processes, with its 95 % interval within one session. Tokens by kevolve's estimate.")


def main() -> None:
    parser = common.parser(__doc__)
    parser.add_argument("--records", type=Path, default=common.ROOT / "tests" / "replay", help="folder of *.recording.json")
    arguments = parser.parse_args()
    document = common.header("synthesis", arguments)
    common.need(arguments.bin, "kevolve")
    document["campaigns"] = [row_of(f, replayed(arguments.bin / "kevolve", f)) for f in sorted(arguments.records.glob("*.recording.json"))]
    common.publish(common.close(document), render(document), arguments.json)


if __name__ == "__main__":
    main()
