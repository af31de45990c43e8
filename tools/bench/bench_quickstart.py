"""Measures `tools/quickstart` in a fresh clone without a compiler cache: the times of installing, building and the
campaign. With --built it is started in this tree, whose build counts nothing: the campaign's time and proof alone.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

import common
from common import Json

LIMIT_S = 600
CAMPAIGN_LIMIT_S = 180
STAGES = {"installing": "install_s", "building": "build_s", "searching": "campaign_s"}  # by first output
EXAMPLE = re.compile(r"config/examples/(\w+)\.toml")
PROOF = re.compile(r"^(\w+: [\d.]+x faster than the reference, .*)$", re.MULTILINE)


def stages_of(folder: Path, data: Path) -> tuple[dict[str, float], str, int]:
    """Returns the seconds of each stage, the complete output, and the exit status."""
    process = subprocess.Popen([folder / "tools" / "quickstart"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, env={**os.environ, "CCACHE_DISABLE": "1", "KEVOLVE_DATA": str(data)})
    spent = dict.fromkeys(STAGES.values(), 0.0)
    at, begin = "", time.monotonic()
    said = []
    assert process.stdout is not None
    for line in process.stdout:
        said.append(line)
        stage = line[3:].split(" ")[0].strip() if line.startswith("== ") else ""
        if stage in STAGES:
            now = time.monotonic()
            if at:
                spent[at] += now - begin
            at, begin = STAGES[stage], now
    status = process.wait()
    if at:
        spent[at] += time.monotonic() - begin
    return spent, "".join(said), status


def render(document: Json) -> str:
    d = document
    built = d.get("built", False)
    campaign = f"the campaign, {d['example']}" if "example" in d else "the campaign"
    rows = [["stage", "seconds", "allowed"],
            ["installing packages", "not timed" if built else common.number(d["install_s"], 1), "-"],
            ["building", "not timed" if built else common.number(d["build_s"], 1), "-"],
            [campaign, common.number(d["campaign_s"], 1), str(CAMPAIGN_LIMIT_S)]]
    if not built:
        rows.append(["all", common.number(d["install_s"] + d["build_s"] + d["campaign_s"], 1), str(LIMIT_S)])
    without = "; every package was there before" if d["install_s"] == 0 and not built else ""
    # A run of before named no session: its interval is within one, of the calls alone.
    proof = d["proof"] and d["proof"] + ("" if "session" in d["proof"] else ", within one session, outputs not read")
    return common.table(rows) + f"\n\n{proof or 'no proof'} (exit status {d['exit_status']}{without})"


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--built", action="store_true", help="start it in this tree, which is built: the campaign alone counts")
    arguments = p.parse_args()
    document = common.header("quickstart", arguments)
    with common.scratch() as folder:
        clone = common.ROOT if arguments.built else folder / "kevolve"
        if not arguments.built:
            subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", common.ROOT, clone], check=True)
        spent, said, status = stages_of(clone, folder / "data")
        (example,) = EXAMPLE.findall((clone / "tools" / "quickstart").read_text(encoding="utf-8"))
    proof = PROOF.search(said)
    document |= {**spent, "built": arguments.built, "example": example, "exit_status": status, "proof": proof[1] if proof else None}
    if status != 0:
        common.say(said[-4000:])
    common.publish(common.close(document), render(document), arguments.json)
    if status != 0:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
