"""Runs the red team many times: rules that reject each cheat, gains of cheats, and rejected honest controls."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import common
from common import Json


def refusals(row: Json) -> str:
    return ", ".join(f"{rule} {n}" for rule, n in sorted(row["refusals"].items(), key=lambda x: -x[1])) or "-"


def render(document: Json) -> str:
    rows = [["class", "cheat", "wanted", "runs", "refused by", "passed without gain", "gained", "faults", "not as wanted"]]
    for r in document["cheats"]:
        rows.append([" ".join(r["classes"]), r["name"], r["wanted"], str(r["runs"]), refusals(r), str(r["passed"]),
                     str(r["gained"]), str(r["faults"]), str(r["objected"])])
    honest = [["honest control", "task", "runs", "passed", "refused by", "faults"]]
    for r in document["controls"]:
        honest.append([r["name"], r["task"], str(r["runs"]), str(r["passed"] + r["gained"]), refusals(r),
                       str(r["faults"])])
    t = document["totals"]
    lines = [(f"{t['cheats']} cheats in {t['cheat_runs']} runs: {t['refused']} refused, {t['passed']} passed and gained "
             f"nothing, {t['gained']} gained; {t['not_as_wanted']} not as wanted. Honest controls: {t['controls_refused']} "
             f"of {t['control_runs']} runs refused. Faults: {t['faults']}. Sandbox: {document['sandbox']}."), "",
             common.table(rows), "", common.table(honest)]
    if c := document.get("compile_attacks"):
        lines += render_attacks(c)
    for r in [*document["cheats"], *document["controls"]]:
        lines += [f"\n{r['name']}: {o}" for o in r["objections"]]
    return "\n".join(lines)


def render_attacks(c: Json) -> list[str]:
    return [f"\n{c['attacks']} attacks on the compiler and {c['honest']} honest neighbours, {c['runs']} times: "
            f"{c['as_wanted']} runs in which each was refused with evidence or gained nothing", *("\n" + o for o in c["objections"])]


def compiler_holds(attacks: Json | None) -> bool:
    return attacks is None or bool(attacks["as_wanted"] == attacks["runs"])


def total(document: Json) -> Json:
    cheats, controls = document["cheats"], document["controls"]

    def over(rows: list[Json], key: str) -> int:
        return sum(r[key] for r in rows)

    return {"cheats": len(cheats), "cheat_runs": over(cheats, "runs"),
            "refused": sum(sum(r["refusals"].values()) for r in cheats), "passed": over(cheats, "passed"),
            "gained": over(cheats, "gained"), "not_as_wanted": over(cheats, "objected"),
            "control_runs": over(controls, "runs"),
            "controls_refused": sum(sum(r["refusals"].values()) for r in controls),
            "faults": over(cheats, "faults") + over(controls, "faults")}


def holds(document: Json) -> bool:
    """Tells whether no cheat gained anything, each had its verdict, every control passed, and no run was a fault."""
    t = document["totals"]
    return (t["gained"] == t["not_as_wanted"] == t["controls_refused"] == t["faults"] == 0
            and compiler_holds(document["compile_attacks"]))


def compile_attacks(bin_dir: Path, runs: int) -> Json | None:
    """Runs the attacks on the compiler equally often; None if the tests are not built."""
    suite = bin_dir.parent / "tests" / "redteam-compile-test"
    if not suite.exists():
        return None
    folder = common.ROOT / "tests" / "redteam" / "compile"
    out: Json = {"attacks": len(list((folder / "cheats").glob("*.c*"))), "honest": len(list((folder / "honest").glob("*.c*"))),
                 "runs": runs, "as_wanted": 0, "objections": []}
    for i in range(runs):
        common.say(f"attacks on the compiler: run {i + 1} of {runs}")
        done = subprocess.run([suite], capture_output=True, text=True, errors="replace", check=False,
                              env=os.environ | {"KEVOLVE_BIN": str(bin_dir), "KEVOLVE_SOURCE": str(common.ROOT)})
        if done.returncode == 0 and "skipped:" not in done.stdout:
            out["as_wanted"] += 1
        else:
            out["objections"].append(done.stdout[-2000:])
    return out


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--runs", type=int, help="of each cheat (20 in the long form)")
    p.add_argument("--controls", type=int, help="runs over all honest controls together (1,000 in the long form)")
    p.add_argument("--only", help="the name of one cheat or of one control, and no attack on the compiler")
    p.add_argument("--compiler", action="store_true", help="only the attacks on the compiler")
    arguments = p.parse_args()
    common.need(arguments.bin, "bench-redteam", "kevolve-judge", "kevolve-zygote", "kevolve-compile-server")
    document = common.header("redteam", arguments)
    runs = arguments.runs or (20 if arguments.long else 2)
    controls = arguments.controls or (1000 if arguments.long else 50)
    if arguments.compiler:
        document["compile_attacks"] = compile_attacks(arguments.bin, runs)
        if document["compile_attacks"] is None:
            raise SystemExit("redteam-compile-test is not built")
        common.publish(common.close(document), "\n".join(render_attacks(document["compile_attacks"])), arguments.json)
        raise SystemExit(0 if compiler_holds(document["compile_attacks"]) else 1)
    measured = common.ask([arguments.bin / "bench-redteam", "--bin", arguments.bin, "--exhibits",
                           common.ROOT / "tests" / "redteam", "--runs", runs, "--controls", controls,
                           *(["--only", arguments.only] if arguments.only else [])])
    if measured is None:
        raise SystemExit(1)
    for key in ("seed", "sandbox", "cheats", "controls"):
        document[key] = measured[key]
    document["totals"] = total(document)
    if not document["cheats"] and not document["controls"]:
        raise SystemExit(f"neither a cheat nor a control is called {arguments.only}")
    document["compile_attacks"] = None if arguments.only else compile_attacks(arguments.bin, runs)
    common.publish(common.close(document), render(document), arguments.json)
    if not holds(document):
        raise SystemExit(1)


def page_table(documents: dict[str, Json]) -> str:
    """Returns a table of the cheats and runs that each rule rejected, and the honest controls."""
    document, = documents.values()
    outcomes: dict[str, list[int]] = {}
    for r in document.get("cheats", []):
        ends = r["refusals"] | ({"passed, gained nothing": r["passed"]} if r["passed"] else {}) | (
            {"gained": r["gained"]} if r["gained"] else {})
        for outcome, n in ends.items():
            cheats_runs = outcomes.setdefault(outcome, [0, 0])
            cheats_runs[0] += 1
            cheats_runs[1] += n
    rows = [["outcome (verdict/rule)", "cheats", "runs"]]
    rows += [[name, str(cheats), str(runs)] for name, (cheats, runs) in sorted(outcomes.items(), key=lambda x: -x[1][1])]
    if t := document.get("totals"):
        rows += [["all cheats", str(t["cheats"]), str(t["cheat_runs"])],
                 ["not as wanted", "-", str(t["not_as_wanted"])],
                 ["honest controls refused", "-", f"{t['controls_refused']} of {t['control_runs']}"]]
    if c := document.get("compile_attacks"):
        rows.append(["attacks on the compiler, as wanted", str(c["attacks"]), f"{c['as_wanted']} of {c['runs']}"])
    return common.table(rows)


if __name__ == "__main__":
    main()
