"""Measures what documents and skills bring a model that answers through the relay: campaigns of each task with nothing, with
documents, and with documents and skills that the embedded generator earned on other tasks. Three steps share a folder.
`begin` earns the skills. `serve` runs the campaigns: it writes each prompt to prompts/NAME and takes its answer from
answers/NAME, and goes on where it was if it is interrupted. `table` replays the records and prints the figures.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

import bench_skills
import bench_synthesis
import common
from common import Json

ARMS = {"nothing": "documents = false\nskills = false\n", "documents": "skills = false\n", "skills": ""}
TASKS = ["attention", "nearest"]
MARKS = ("4", "8")  # numbers of candidates
LESSONS = 3  # tasks of the other half
LEASE_S = 86_400


def lessons_of(task: str) -> list[str]:
    """Returns the first tasks of the half that this one is not in."""
    return next(half for half in bench_skills.HALVES if task not in half)[:LESSONS]


def prompt_name(campaign: str, prompt: str) -> str:
    return f"{campaign}.{prompt}.md"


def prompt_of(name: str) -> tuple[str, str]:
    """Returns the campaign ("attention-skills") and the prompt that a file's name stands for."""
    campaign, prompt, _ = name.split(".")
    return campaign, prompt


def campaign_text(task: Path, arm: str, candidates: int, seed: int) -> str:
    return (f"task = {json.dumps(str(task))}\ntarget = \"cpu\"\nseed = {seed}\n\n[[generator]]\nkind = \"relay\"\nin_flight = 2\n{ARMS[arm]}"
            f"\n[draft]\ncandidates = 3\n\n[budget]\ncandidates = {candidates}\nwall = \"7d\"\n\n[stop]\nspeedup = 1000000.0\nstall = 100000\n")


def begin(arguments: argparse.Namespace) -> None:
    for task in arguments.task:
        learnt = arguments.folder / "learnt" / task
        learnt.mkdir(parents=True)
        lesson = argparse.Namespace(bin=arguments.bin, seed=arguments.seed, lessons=1, budget=arguments.lesson_candidates, wall=300)
        earned = bench_skills.learn(lesson, lessons_of(task), learnt)
        common.say(f"{task}: {', '.join(lessons_of(task))} earned {earned or 'no skills'}")
        for arm in ARMS:
            folder = arguments.folder / "campaigns" / f"{task}-{arm}"
            folder.mkdir(parents=True)
            if arm == "skills":
                shutil.copytree(learnt, folder / "data")
            file = folder / "campaign.toml"
            file.write_text(campaign_text(bench_skills.task_file(task, folder), arm, arguments.candidates, arguments.seed), encoding="utf-8")
    for name in ("prompts", "answers", "answered", "records"):
        (arguments.folder / name).mkdir()


class Running:
    """One campaign in a node of its own, and its prompts."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.name, self.root, self.data = folder.name, arguments.folder, folder / "data"
        self.kevolve, self.model = arguments.bin / "kevolve", arguments.model
        self.process = subprocess.Popen([self.kevolve, "run", folder / "campaign.toml", "--data", self.data, "--json", "--quiet"],
                                        stdout=subprocess.PIPE, text=True)

    def relay(self, *words: object) -> Json | None:
        done = subprocess.run([str(w) for w in (self.kevolve, "relay", *words, "--data", self.data, "--json")], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def write_prompts(self) -> None:
        while taken := self.relay("next", "--lease", LEASE_S):
            text = "".join(f"--- {m['role']}\n{m['content']}\n" for m in taken["messages"])
            whole = self.root / "prompts" / prompt_name(self.name, taken["id"])
            part = whole.with_suffix(".part")
            part.write_text(text, encoding="utf-8")
            part.rename(whole)  # nobody reads half a prompt
            common.say(f"prompt {whole.name}")

    def take_answers(self) -> None:
        for file in sorted((self.root / "answers").glob(f"{self.name}.*.md")):
            _, prompt = prompt_of(file.name)
            receipt = self.relay("answer", prompt, file, "--model", self.model)
            if receipt is None:
                continue  # it does not serve yet, or the answer is not readable: the file stays
            common.say(f"answer {file.name}: {receipt['outcome']}")
            file.rename(self.root / "answered" / file.name)
            (self.root / "prompts" / file.name).unlink(missing_ok=True)

    def end(self) -> None:
        """Writes the campaign's record."""
        out = (self.process.communicate()[0] or "").strip()
        if not out:
            raise SystemExit(f"{self.name}: kevolve run ended with status {self.process.returncode}")
        campaign = json.loads(out.splitlines()[-1])["campaign"]
        subprocess.run([self.kevolve, "record", campaign, self.root / "records" / f"{self.name}.recording.json", "--data", self.data, "--quiet"],
                       check=True)


def serve(arguments: argparse.Namespace) -> None:
    recorded = {f.name.partition(".")[0] for f in (arguments.folder / "records").iterdir()}
    running = [Running(arguments, f) for f in sorted((arguments.folder / "campaigns").iterdir()) if f.name not in recorded]
    try:
        while running:
            given = sum(1 for name in ("prompts", "answered") for _ in (arguments.folder / name).glob("*.md"))
            for r in list(running):
                if given < arguments.most:
                    r.write_prompts()
                r.take_answers()
                if r.process.poll() is not None:
                    r.end()
                    running.remove(r)
            time.sleep(1)  # files have no signal
    finally:
        for r in running:
            r.process.terminate()
            r.process.wait()


def table_rows(campaigns: Iterable[Json]) -> list[list[str]]:
    rows = [["task", "given", "valid", "replies refused", "tokens asked", "answered", *(f"best after {m}" for m in MARKS), "confirmed"]]
    for r in campaigns:
        best = r["confirmed"]
        refused = r["replies"] - (r["candidates"] - r["no_candidate"])
        rows.append([r["task"], r["arm"], f"{r['valid']} of {r['candidates']}", f"{refused} of {r['replies']}", f"{r['prompt_tokens']:,}",
                     f"{r['reply_tokens']:,}", *(f"{r['best_after'][m]:.2f}×" if m in r["best_after"] else "" for m in MARKS),
                     f"{best['speedup']:.2f}× [{common.interval(best['ci95'])}]" if best else "none"])
    return rows


def render(document: Json) -> str:
    return common.table(table_rows(document["campaigns"])) + (
        "\n\nNothing, documents, or documents and skills that the embedded generator earned on three other tasks. Best after: by paired comparisons "
        "within the campaign. Confirmed: against the reference, in fresh processes. Tokens by kevolve's estimate. One seed: descriptive.")


def table(arguments: argparse.Namespace) -> None:
    document = common.header("relay", arguments) | {"model": arguments.model, "campaigns": []}
    for file in sorted((arguments.folder / "records").glob("*.recording.json")):
        task, _, arm = file.name.partition(".")[0].rpartition("-")
        row = bench_synthesis.row_of(file, bench_synthesis.replayed(arguments.bin / "kevolve", file), tuple(int(m) for m in MARKS))
        document["campaigns"].append(row | {"task": task, "arm": arm})
    document["campaigns"].sort(key=lambda r: (r["task"], list(ARMS).index(r["arm"])))
    common.publish(common.close(document), render(document), arguments.json)


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("step", choices=["begin", "serve", "table"])
    p.add_argument("--folder", type=Path, required=True, help="of the trial; `begin` makes it")
    p.add_argument("--task", nargs="+", default=TASKS, choices=[t for half in bench_skills.HALVES for t in half])
    p.add_argument("--candidates", type=int, default=8, help="of each campaign")
    p.add_argument("--lesson-candidates", type=int, default=30, help="of each campaign that earns skills")
    p.add_argument("--model", default="a model", help="the name that answers are filed under")
    p.add_argument("--most", type=int, default=96, help="no more prompts are written after so many")
    arguments = p.parse_args()
    arguments.folder = arguments.folder.resolve()
    common.need(arguments.bin, "kevolve", "bench-winner")
    {"begin": begin, "serve": serve, "table": table}[arguments.step](arguments)


if __name__ == "__main__":
    main()
