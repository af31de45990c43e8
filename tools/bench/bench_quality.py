"""Measures the speed-up of each task's winner over the reference at -O3 and at -Ofast. Compares it with the best
library or the roof of this core. Uses one thread or, with --threads, every core.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
from pathlib import Path

import common
from common import Json

EXAMPLES = common.ROOT / "config" / "examples"
TASKS = common.ROOT / "config" / "tasks"
CAMPAIGNS = ["gemm", "softmax", "layernorm", "map_id", "batch_event_truncate", "richardson", "row_statistics"]
# Tasks without an example campaign.
MORE = ["attention", "attention_causal", "bucketize_ragged", "conv1d", "conv2d", "inverted_index", "mbdt", "optimized_fm",
        "pffn", "rmsnorm_backward", "sdpa_mlp", "gemm_f16", "gemm_bf16", "gemm_i8", "conv1d_f16", "conv1d_bf16", "conv1d_i8"]
# Tasks written after the generator was finished, two of them by people who did not know it.
UNSEEN = ["nearest", "row_lse", "five_points", "n_body", "sobel", "black_scholes"]
# The fastest of OpenBLAS's core types on this machine is found by measuring.
CORE_TYPES = ["", "Haswell", "Zen", "SkylakeX", "Cooperlake", "Sapphirerapids"]
IKJ = """#include <stdint.h>

/* The naive loop order that vectorises: a row of c grows by a multiple of a row of b. */
void gemm(const float *restrict a, const float *restrict b, float *restrict c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j)
      c[i * n + j] = 0.0f;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}
"""


def campaign_file(name: str, folder: Path) -> Path:
    """Returns the example campaign, or writes a similar one to `folder`."""
    example = EXAMPLES / f"{name}.toml"
    if example.exists():
        return example
    made = folder / f"{name}.toml"
    task = json.dumps(str(TASKS / f"{name}.task.toml"))
    made.write_text(f"task = {task}\n"
                    'target = "cpu"\nseed = 1\n\n[[generator]]\nkind = "transform"\n\n[search]\npolicy = "adaptive"\n\n'
                    '[draft]\ncandidates = 10\n\n[budget]\nwall = "2m"\n', encoding="utf-8")
    return made


def files_of(campaign: Path) -> tuple[Path, Path]:
    """Returns its task and reference; both files are TOML, and these keys are plain strings."""
    import tomllib

    task = (campaign.parent / tomllib.loads(campaign.read_text(encoding="utf-8"))["task"]).resolve()
    return task, task.parent / tomllib.loads(task.read_text(encoding="utf-8"))["reference"]["file"]


def with_threads(campaign: Path, folder: Path) -> Path:
    """Returns the same campaign with a task that allows threads."""
    import tomllib

    task, _ = files_of(campaign)
    shutil.copytree(task.parent, folder / "tasks", ignore=lambda at, names: [n for n in names if (Path(at) / n).is_dir()])
    text = task.read_text(encoding="utf-8")
    if "permissions" in tomllib.loads(text):
        raise SystemExit(f"{task} has permissions of its own")
    (folder / "tasks" / task.name).write_text(text + "\n[permissions]\nthreads = true\n", encoding="utf-8")
    made = folder / f"{campaign.stem}-threads.toml"
    lines = [f"task = {json.dumps(str(folder / 'tasks' / task.name))}" if line.startswith("task =") else line
             for line in campaign.read_text(encoding="utf-8").splitlines()]
    made.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


def campaign_of(arguments: object, campaign: Path, wall: int, folder: Path, *settings: str) -> Json | None:
    a = arguments
    data = folder / "data"
    # No early end, so that all runs use the whole budget.
    budget = ["--set", f"budget.candidates={a.budget}"] if a.budget else []
    budget += [word for s in settings for word in ("--set", s)]
    done = subprocess.run([a.bin / "kevolve", "run", campaign, "--data", data, "--json", "--quiet",
                           "--set", f"budget.wall={wall}s", "--set", f"seed={a.seed}", "--set", "stop.speedup=1000000",
                           "--set", "stop.stall=100000", *budget], stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout.strip() or done.returncode == 2:
        common.say(f"{campaign}: kevolve run ended with status {done.returncode}: {done.stdout.strip()}")
        return None
    ended: Json = json.loads(done.stdout.strip().splitlines()[-1])
    winner = common.ask([a.bin / "bench-winner", "--data", data, "--out", folder])
    if winner is None:
        return None
    return winner | {"run": {k: ended.get(k) for k in ("state", "stop_reason", "candidates", "valid", "spent")}}


def openblas(arguments: object, folder: Path, pairs: int, threads: int) -> Json | None:
    """Measures every core type once, briefly, and the fastest at the main shape again, thoroughly."""
    def measure(core: str, n: int) -> Json | None:
        # With an empty core type, the library chooses.
        env = {"OPENBLAS_NUM_THREADS": str(threads)} | ({"OPENBLAS_CORETYPE": core} if core else {})
        return common.ask([arguments.bin / "bench-openblas", "--object", folder / "kernel.so", "--pairs", n,
                           "--threads", threads, "--seed", arguments.seed, "--shape", "512x512x512", "--shape", "500x333x417",
                           "--shape", "1024x1000x768"], env=env)

    tried = [m for core in CORE_TYPES if (m := measure(core, max(20, pairs // 5)))]
    if not tried:
        return None
    best = min(tried, key=lambda m: m["rows"][0]["openblas_ns"])
    final = measure(best["asked_core_type"], pairs)
    if final is None:
        return None
    final["tried"] = [{"asked": m["asked_core_type"], "chosen": m["core_type"],
                       "gflops_512": m["rows"][0]["openblas_gflops"]} for m in tried]
    return final


def measure_task(arguments: object, name: str, wall: int, folder: Path) -> Json:
    out: Json = {"task": name, "campaign": None, "baselines": None, "library": None,
                 "speedup": None, "library_ratio": None, "roof_ratio": None}
    common.say(f"{name}: {wall} s of search")
    file = campaign_file(name, folder)
    if arguments.threads:
        file = with_threads(file, folder)
    campaign = campaign_of(arguments, file, wall, folder)
    out["campaign"] = campaign
    if not campaign or not campaign["winner"]:
        return out
    task, reference = files_of(file)
    w = campaign["winner"]
    baselines = [f"reference at -O3={reference}@O3", f"reference at -Ofast={reference}@Ofast"]
    if name == "gemm":
        ikj = folder / "ikj.c"
        ikj.write_text(IKJ, encoding="utf-8")
        baselines += [f"naive loop order i-k-j at -O3={ikj}@O3", f"naive loop order i-k-j at -Ofast={ikj}@Ofast"]
    command: list[object] = [arguments.bin / "bench-versus", "--bin", arguments.bin, "--task", task, "--candidate",
                             f"winner={w['source']}@{w['flags']}"]
    for r in baselines:
        command += ["--baseline", r]
    common.say(f"{name}: winner against {len(baselines)} baselines")
    out["baselines"] = common.ask(command)
    if name == "gemm":
        out["library"] = openblas(arguments, folder, 200 if arguments.long else 60,
                                  len(os.sched_getaffinity(0)) if arguments.threads else 1)
    out["source"] = Path(w["source"]).read_text(encoding="utf-8")
    w["source"] = Path(w["source"]).name  # drops the folder
    if out["baselines"]:
        out["baselines"]["candidate"] = w["source"]
    return out | ratios(out)


def ratios(t: Json) -> Json:
    """Returns the figures under fixed names for scripts; None if there is nothing to compare with."""
    return {"speedup": t["campaign"]["speedup"], "roof_ratio": of_roof(t["baselines"]),
            "library_ratio": t["library"]["rows"][0]["of_library"] if t["library"] else None}


def of_roof(baselines: Json | None) -> float | None:
    """Returns floor over time as the geometric mean over the declared shapes, from the judge."""
    if not baselines:
        return None
    shapes = [s for s in baselines["rows"][0].get("shapes", []) if not s["held_out"] and s["of_roof"] > 0]
    if not shapes:
        return None
    total = sum(s["weight"] for s in shapes)
    return math.exp(sum(s["weight"] * math.log(s["of_roof"]) for s in shapes) / total)


def row_of(t: Json) -> list[str]:
    c = t["campaign"]
    if not c:
        return [t["task"], "the campaign did not run"] + ["-"] * 6
    if not c["winner"]:
        why = t["campaign"].get("detail") or c["stop_reason"]
        return [t["task"], f"nothing faster found ({why})", "-", "-", "-", "-", str(c["candidates"]), "-"]
    fast = next((r for r in (t["baselines"] or {}).get("rows", []) if r["baseline"] == "reference at -Ofast"), None)
    at90 = c["reached_90_percent"]
    peer = "-"
    if t["library"]:
        peer = f"{t['library_ratio']:.2f} of OpenBLAS ({t['library']['core_type']})"
    roof = t["roof_ratio"]
    return [t["task"], f"{c['speedup']:.2f}× ({common.interval(c['ci95'])})",
            "-" if not fast or fast["verdict"] != "pass" else f"{fast['speedup']:.2f}× ({common.interval(fast['ci95'])})",
            peer, "-" if roof is None else f"{roof:.2f}", w_summary(c), str(c["candidates"]),
            "-" if not at90 else f"{at90['candidates']} ({at90['seconds']:.0f} s)"]


def w_summary(c: Json) -> str:
    return f"candidate {c['winner']['node']}, flags {c['winner']['flags']}"


def details(tasks: list[Json]) -> str:
    out = []
    for t in tasks:
        for r in (t["baselines"] or {}).get("rows", []):
            if r["verdict"] != "pass":
                out.append(f"- {t['task']} against {r['baseline']}: {r['verdict']}: {r['detail']}")
                continue
            shapes = "; ".join(f"{s['shape']}: {common.nanoseconds(s['baseline_ns'])} → {common.nanoseconds(s['candidate_ns'])}"
                               for s in r["shapes"] if not s["held_out"])
            out.append(f"- {t['task']} against {r['baseline']}: {r['speedup']:.2f}× "
                       f"({common.interval(r['ci95'])}); {shapes}")
        if t["library"]:
            for r in t["library"]["rows"]:
                out.append(f"- {t['task']} {r['m']}×{r['n']}×{r['k']} beside OpenBLAS ({t['library']['core_type']}): "
                           f"{r['of_library']:.3f} of it, {r['ours_gflops']:.0f} against {r['openblas_gflops']:.0f} Gflop/s, "
                           f"median of {r['pairs']} pairs")
            tried = ", ".join(f"{x['asked'] or 'its own choice'} → {x['chosen']} {x['gflops_512']:.0f}"
                              for x in t["library"]["tried"])
            out.append(f"  core types tried (Gflop/s at 512³): {tried}")
    return "\n".join(out)


def main() -> None:
    p = common.parser(__doc__)
    p.add_argument("--task", action="append", choices=CAMPAIGNS + MORE + UNSEEN, help="only this one; may be repeated")
    p.add_argument("--every", action="store_true", help="also the tasks that no example campaign uses")
    p.add_argument("--threads", action="store_true", help="tasks allow threads: winners may use all cores that this command may")
    p.add_argument("--budget", type=int, metavar="N", help="at most so many candidates (default: no limit)")
    p.add_argument("--wall", type=int, help="seconds of search for each task (short 60, long 150)")
    arguments = p.parse_args()
    common.need(arguments.bin, "kevolve", "bench-winner", "bench-versus", "bench-openblas")
    document = common.header("quality", arguments)
    wall = arguments.wall or (150 if arguments.long else 60)
    document["wall_s"] = wall

    def measure(name: str) -> Json:
        with common.scratch() as folder:
            return measure_task(arguments, name, wall, folder)

    common.each(document, arguments.task or CAMPAIGNS + (MORE if arguments.every else []), measure)
    if len(document["tasks"]) == 1:
        document |= {k: document["tasks"][0][k] for k in ("task", "speedup", "library_ratio", "roof_ratio")}
    common.publish(common.close(document), render(document), arguments.json)


def render(document: Json) -> str:
    label = common.interval_label(t["campaign"] for t in document["tasks"])
    rows = [["task", f"against -O3 ({label})", f"against -Ofast ({label})", "best library", "of the roof", "winner", "candidates",
             "to 90 % of it"]]
    rows += [row_of(t) for t in document["tasks"]]
    return common.table(rows) + "\n\n" + details(document["tasks"])


# A page's column for each run, by the second part of its document's name: quality-zen4-again continues quality-zen4.
COLUMNS = {"xeon": "Xeon, AVX-512", "zen5": "Zen 5, AVX-512", "zen4": "Zen 4, AVX-512", "zen3": "Zen 3, AVX2",
           "threads": "Zen 5, both cores", "unseen": "Zen 5, AVX-512"}


def page_table(documents: dict[str, Json]) -> str:
    """Returns a table with the newest figures of each task on each machine, and gemm beside OpenBLAS."""
    machines: dict[str, dict[str, Json]] = {}
    for name, d in documents.items():
        machines.setdefault(COLUMNS[name.split("-")[1]], {}).update({t["task"]: t for t in d["tasks"]})
    tasks = list(dict.fromkeys(name for measured in machines.values() for name in measured))
    rows = [["task", *machines], *([name, *(page_cell(m.get(name)) for m in machines.values())] for name in tasks)]
    libraries = [["gemm beside OpenBLAS", "its core type", "shape", "ours, Gflop/s", "OpenBLAS, Gflop/s", "ratio of times"]]
    for machine, measured in machines.items():
        if library := measured.get("gemm", {}).get("library"):
            libraries += [[machine, library["core_type"], f"{r['m']}×{r['n']}×{r['k']}", f"{r['ours_gflops']:.0f}",
                           f"{r['openblas_gflops']:.0f}", f"{r['of_library']:.3f}"] for r in library["rows"]]
    text = common.table(rows)
    return text if len(libraries) == 1 else text + "\n\n" + common.table(libraries)


def page_cell(t: Json | None) -> str:
    """Returns the speed-ups over -O3 and -Ofast, and the share of the roof."""
    if not t or not t["campaign"] or not t["campaign"]["winner"]:
        return "-"
    fast = next((r["speedup"] for r in (t["baselines"] or {}).get("rows", []) if r["baseline"] == "reference at -Ofast"), None)
    return f"{t['speedup']:.2f} · {common.number(fast)} · {common.number(t['roof_ratio'])}"


if __name__ == "__main__":
    main()
