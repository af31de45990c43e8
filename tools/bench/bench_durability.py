"""Kills a running campaign with kill -9 at random moments and runs the same command again. Acknowledged data is never
lost, finished work is never repeated, the folded tree's hash matches, and no process is left behind.
"""

from __future__ import annotations

import http.client
import json
import random
import shutil
import signal
import subprocess
import threading
import time
import urllib.parse
from pathlib import Path

import common
from common import Json

CAMPAIGN = Path("tools/bench/durability/quick.toml")
ORPHAN_LIMIT_S = 3.0


class Observer(threading.Thread):
    """Reads committed events from the node's stream as long as the node lives, and stores them."""

    def __init__(self, data: Path, pid: int, seen: dict[int, str]) -> None:
        super().__init__(daemon=True)
        self.data = data
        self.pid = pid
        self.seen = seen
        self.differs: list[int] = []
        self.fresh = 0
        self.stop = threading.Event()

    def run(self) -> None:
        while not self.stop.is_set():
            try:
                self.watch()
            except (OSError, http.client.HTTPException, ValueError):
                pass
            self.stop.wait(0.02)

    def watch(self) -> None:
        about = json.loads((self.data / "admin.json").read_text(encoding="utf-8"))
        if about["pid"] != self.pid:
            return  # belongs to the previous one
        token = (self.data / "token").read_text(encoding="utf-8").strip()
        url = urllib.parse.urlparse(about["url"])
        connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=10)
        connection.request("GET", "/v1/events", headers={
            "Authorization": f"Bearer {token}", "Accept": "text/event-stream",
            "Last-Event-ID": str(max(self.seen, default=0))})
        answer = connection.getresponse()
        if answer.status != 200:
            return
        identity, lines = 0, []
        while line := answer.readline().decode():
            if not line.endswith("\n"):
                return  # cut off before it was complete
            line = line.rstrip("\r\n")
            if line.startswith("id:"):
                identity = int(line[3:])
            elif line.startswith("data:"):
                lines.append(line[5:].removeprefix(" "))
            elif not line and lines:
                self.keep(identity, "\n".join(lines))
                lines = []

    def keep(self, sequence: int, text: str) -> None:
        known = self.seen.setdefault(sequence, text)
        if known != text:
            self.differs.append(sequence)
        self.fresh += 1


def stat_of(pid: int) -> tuple[int, str, str] | None:
    """Returns parent, state and start time."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return None
    fields = text[text.rindex(")") + 2:].split()
    return int(fields[1]), fields[0], fields[19]


def processes() -> dict[int, tuple[int, str, str]]:
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (s := stat_of(int(entry.name))):
            found[int(entry.name)] = s
    return found


def descendants(root: int) -> dict[int, str]:
    """Returns all descendants of a process with start times, which distinguish reused pids."""
    every = processes()
    out: dict[int, str] = {}
    grown = True
    below = {root}
    while grown:
        grown = False
        for pid, (parent, _, started) in every.items():
            if parent in below and pid not in below:
                below.add(pid)
                out[pid] = started
                grown = True
    return out


def left_over(known: dict[int, str], folder: Path) -> list[str]:
    """Returns processes of this run that still live: known descendants, and those running a program of its folder."""
    out = []
    for pid, (_, state, started) in processes().items():
        try:
            program = str(Path(f"/proc/{pid}/exe").readlink())
        except OSError:
            program = ""
        ours = known.get(pid) == started or program.startswith(f"{folder}/")
        if ours and state not in "ZX":
            out.append(f"{pid} {program}")
    return out


def wait_for_orphans(known: dict[int, str], folder: Path) -> tuple[float, list[str]]:
    begin = time.monotonic()
    while True:
        left = left_over(known, folder)
        waited = time.monotonic() - begin
        if not left or waited > ORPHAN_LIMIT_S:
            return waited, left
        time.sleep(0.01)


def check(bench: Path, data: Path, scratch: Path, seen: dict[int, str]) -> Json:
    """Checks a copy, since the next run must open the store exactly as the kill left it."""
    copy, events = scratch / "copy", scratch / "events"
    shutil.copytree(data, copy)
    found = common.ask([bench / "bench-check-log", "--data", copy, "--events", events])
    shutil.rmtree(copy)
    if found is None:
        return {"unreadable": True, "lost": sorted(seen), "changed": []}
    stored = {}
    for line in events.read_text(encoding="utf-8").splitlines():
        sequence, _, text = line.partition(" ")
        stored[int(sequence)] = text
    found["lost"] = [s for s in seen if s not in stored]
    found["changed"] = [s for s, text in seen.items() if s in stored and stored[s] != text]
    return found


def command_of(folder: Path, data: Path, seed: int) -> list[str]:
    return [str(folder / "kevolve"), "run", str(CAMPAIGN), "--data", str(data), "--set", f"seed={seed}", "--json",
            "--quiet"]


class Trial:
    def __init__(self, arguments: object, scratch: Path) -> None:
        self.bench = arguments.bin
        self.scratch = scratch
        self.data = scratch / "data"
        self.folder = scratch / "bin"  # a folder of our own identifies our processes
        self.folder.mkdir()
        for program in ("kevolve", "kevolve-judge", "kevolve-zygote", "kevolve-compile-server"):
            shutil.copy2(self.bench / program, self.folder)
        self.random = random.Random(arguments.seed)
        self.campaign_seed = arguments.seed
        self.seen: dict[int, str] = {}
        self.rows: list[Json] = []
        self.ended_by_itself = 0

    def start(self) -> tuple[subprocess.Popen[bytes], Observer]:
        process = subprocess.Popen(command_of(self.folder, self.data, self.campaign_seed), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, cwd=common.ROOT)
        observer = Observer(self.data, process.pid, self.seen)
        observer.start()
        return process, observer

    def kill_once(self) -> None:
        process, observer = self.start()
        # Early kills hit the start and the fold, late ones the search.
        after = self.random.choice([self.random.uniform(0.0, 0.5), self.random.uniform(0.2, 4.0)])
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            pass
        if process.poll() is not None:
            self.ended_by_itself += 1
            self.campaign_seed += 1
            self.end(observer)
            return
        known = descendants(process.pid)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.end(observer)
        waited, left = wait_for_orphans(known, self.folder)
        found = check(self.bench, self.data, self.scratch, self.seen) if (self.data / "store" / "CURRENT").exists() else {}
        self.rows.append({"after_s": round(after, 3), "processes": len(known), "gone_after_s": round(waited, 3),
                          "left_over": left, "seen": len(self.seen), "fresh": observer.fresh,
                          "differs": observer.differs,
                          **{k: found.get(k) for k in ("unreadable", "events", "hashes_compared", "hash_mismatches",
                                                       "evaluations_finished", "evaluations_repeated",
                                                       "results_without_record", "lost", "changed")}})

    def end(self, observer: Observer) -> None:
        observer.stop.set()
        observer.join(15)

    def run_to_the_end(self) -> Json:
        process, observer = self.start()
        code = process.wait()
        self.end(observer)
        return {"exit_code": code, **check(self.bench, self.data, self.scratch, self.seen)}


def total(rows: list[Json], key: str) -> int:
    return sum(len(r[key]) for r in rows if r.get(key))


def transcript(arguments: object, scratch: Path, file: Path) -> None:
    """Writes one kill and resume as a person would see it."""
    data = scratch / "shown"
    command = f"kevolve run {CAMPAIGN} --data my-data"
    actual = [str(arguments.bin / "kevolve"), "run", str(CAMPAIGN), "--data", str(data)]
    out: list[str] = []

    def add(text: str) -> None:
        out.append(text.replace(str(data), "my-data").replace(str(arguments.bin), "build/bin"))

    process = subprocess.Popen(actual, cwd=common.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    observed: dict[int, str] = {}
    observer = Observer(data, process.pid, observed)
    observer.start()
    # A third of the budget, so that there is something to lose.
    while process.poll() is None and sum('"node_finished"' in t for t in list(observed.values())) < 40:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    text, _ = process.communicate()
    observer.stop.set()
    observer.join(15)
    add(f"$ {command} & sleep 5; kill -9 $!\n{text.rstrip()}\nKilled\n")
    found = check(arguments.bin, data, scratch, observed)
    add("$ bench-check-log --data my-data          # of a copy\n"
        f"{found['events']} events; {found['hashes_compared']} tree hashes compared, "
        f"{len(found['hash_mismatches'])} wrong; {found['evaluations_finished']} evaluations finished, "
        f"{len(found['evaluations_repeated'])} repeated; {len(observed)} events were seen by a reader before the kill, "
        f"{len(found['lost'])} of them lost, {len(found['changed'])} changed\n")
    done = subprocess.run(actual, cwd=common.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    add(f"$ {command}\n{done.stdout.rstrip()}\n[exit status {done.returncode}]\n")
    found = check(arguments.bin, data, scratch, observed)
    add("$ bench-check-log --data my-data\n"
        f"{found['events']} events; {found['hashes_compared']} tree hashes compared, "
        f"{len(found['hash_mismatches'])} wrong; {found['evaluations_finished']} evaluations finished, "
        f"{len(found['evaluations_repeated'])} repeated; of the {len(observed)} events seen before the kill "
        f"{len(found['lost'])} are lost, {len(found['changed'])} changed")
    file.write_text("\n".join(out) + "\n", encoding="utf-8")


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--kills", type=int)
    p.add_argument("--transcript", type=Path, help="write one kill and resume here instead")
    arguments = p.parse_args()
    common.need(arguments.bin, "kevolve", "bench-check-log")
    if arguments.transcript:
        with common.scratch() as scratch:
            transcript(arguments, scratch, arguments.transcript)
        return
    document = common.header("durability", arguments)
    kills = arguments.kills or (100 if arguments.long else 10)
    with common.scratch() as scratch:
        trial = Trial(arguments, scratch)
        while len(trial.rows) < kills:
            trial.kill_once()
            if len(trial.rows) % 10 == 0:
                common.say(f"{len(trial.rows)} of {kills} kills")
        last = trial.run_to_the_end()
    document |= {"kills": len(trial.rows), "campaigns_ended_between": trial.ended_by_itself,
                 "events_seen": len(trial.seen), "last": {k: v for k, v in last.items() if k != "campaigns"},
                 "rows": trial.rows}
    common.publish(common.close(document), render(document), arguments.json)


def render(document: Json) -> str:
    rows, last = document["rows"], document["last"]
    everything = [*rows, last]
    facts = [["question", "count"], ["kill -9 at random moments", str(len(rows))],
             ["campaigns that ended between kills", str(document["campaigns_ended_between"])],
             ["events in the log at the end", str(last.get("events"))],
             ["events seen over HTTP while it ran (so acknowledged)", str(document["events_seen"])],
             ["seen events lost after a restart", str(total(everything, "lost"))],
             ["seen events that changed", str(total(everything, "changed") + total(rows, "differs"))],
             ["kills before there was a store to lose", str(sum(not r["seen"] and not r["events"] for r in rows))],
             ["stores that could not be read", str(sum(bool(r.get("unreadable") and r.get("seen", 1)) for r in everything))],
             ["evaluations finished", str(last.get("evaluations_finished"))],
             ["finished evaluations begun again", str(total(everything, "evaluations_repeated"))],
             ["evaluations paid for twice at once", str(total([last], "evaluations_twice_at_once"))],
             ["names of records or texts that are not there", str(total(everything, "results_without_record"))],
             ["tree hashes compared at the end", str(last.get("hashes_compared"))],
             ["tree hashes that did not hold, over all checks", str(total(everything, "hash_mismatches"))],
             [f"processes alive {ORPHAN_LIMIT_S:.0f} s after a kill", str(total(rows, "left_over"))],
             ["longest time until all were gone", f"{max(r['gone_after_s'] for r in rows):.2f} s"],
             ["exit status of the last, undisturbed run", str(last.get("exit_code"))]]
    return common.table(facts)


if __name__ == "__main__":
    main()
