"""Right kernels to put faults into: references, honest kernels, hand-written ones and winners of campaigns."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .contract import Contract, load

ROOT = Path(__file__).resolve().parents[3]
TASKS = ROOT / "config" / "tasks"
OWN = ROOT / "tests" / "mutation" / "tasks"
EXAMPLES = ROOT / "config" / "examples"
HONEST = ROOT / "tests" / "redteam" / "honest"
HAND = ROOT / "tools" / "bench" / "hand"
# Winners of the published campaigns (tools/bench/run quality --every --long), and those of every other machine.
EVERY_WINNER = sorted((ROOT / "docs" / "results").glob("quality-*.json"))
WINNERS = [ROOT / "docs" / "results" / f for f in ("quality-zen5.json", "quality-unseen.json")]
ENDING = ".task.toml"


@dataclass(frozen=True)
class Original:
    name: str
    language: str
    flags: str
    source: str


def task_files(names: list[str] | None = None) -> list[Path]:
    """Returns the shipped tasks and those of the bench, or the named ones. A name may be a path."""
    every = {p.name[:-len(ENDING)]: p for folder in (TASKS, OWN) for p in sorted(folder.glob(f"*{ENDING}"))}
    if not names:
        return list(every.values())
    missing = [n for n in names if n not in every and not Path(n).exists()]
    if missing:
        raise SystemExit(f"no such task: {', '.join(missing)}; there are: {', '.join(every)}")
    return [every.get(n, Path(n)) for n in names]


def is_named(o: Original, words: str | None) -> bool:
    """Tells whether the name contains one of the words; without words, every name does."""
    return not words or any(word in o.name for word in words.split(","))


def flags_of(text: str) -> str:
    """Maps the red team's compiler flags to an entry of the flag menu."""
    line = re.search(r"^// flags:(.*)$", text, re.MULTILINE)
    return "Ofast" if line and ("-Ofast" in line.group(1) or "-ffast-math" in line.group(1)) else ""


def originals(c: Contract, winners: bool = True) -> Iterator[Original]:
    yield Original("reference", c.language, "", c.reference.read_text(encoding="utf-8"))
    if c.path.parent != TASKS:
        return
    for file in sorted(HONEST.glob("*.c")):
        text = file.read_text(encoding="utf-8")
        if re.search(rf"^// task: {re.escape(c.name)}$", text, re.MULTILINE):
            yield Original(f"honest/{file.stem}", "c", flags_of(text), text)
    if (file := HAND / f"{c.name}.c").exists():
        yield Original("hand", "c", "", file.read_text(encoding="utf-8"))
    if winners:
        yield from recorded_winners(c.name)


def recorded_winners(task: str, files: list[Path] = WINNERS) -> Iterator[Original]:
    for file in files:
        for t in json.loads(file.read_text(encoding="utf-8"))["tasks"]:
            # The campaign of softmax_rows is called softmax.
            if task in (t["task"], f"{t['task']}_rows") and t.get("source"):
                w = t["campaign"]["winner"]
                yield Original(f"winner/{file.stem.removeprefix('quality-')}", w["language"], w["flags"], t["source"])


def contracts(names: list[str] | None = None) -> Iterator[Contract]:
    for file in task_files(names):
        yield load(file)


def examples() -> Iterator[Contract]:
    """Returns the example tasks, of which campaigns are published, too."""
    for file in sorted(EXAMPLES.glob(f"*{ENDING}")):
        yield load(file)


def found_winner(c: Contract, bin_dir: Path, seed: int, seconds: int, folder: Path) -> Iterator[Original]:
    """Runs a campaign of the embedded generator, and returns its winner if it has one."""
    campaign = folder / "campaign.toml"
    campaign.write_text(f"task = {json.dumps(str(c.path.resolve()))}\n"
                        f'target = "cpu"\nseed = {seed}\n\n[[generator]]\nkind = "transform"\n\n[search]\npolicy = "uct"\n\n'
                        f'[draft]\ncandidates = 10\n\n[budget]\nwall = "{seconds}s"\n', encoding="utf-8")
    data = folder / "campaign"
    subprocess.run([bin_dir / "kevolve", "run", campaign, "--data", data, "--quiet"], stdout=subprocess.DEVNULL, check=False)
    done = subprocess.run([bin_dir / "bench-winner", "--data", data, "--out", folder], stdout=subprocess.PIPE, text=True, check=False)
    winner = json.loads(done.stdout)["winner"] if done.returncode == 0 and done.stdout else None
    if winner:
        yield Original("winner/found", winner["language"], winner["flags"], Path(winner["source"]).read_text(encoding="utf-8"))
