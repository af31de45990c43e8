"""Takes each block to a drop-in by one call, tries the block's own test on it, and times it: `python faster.py`.

It needs PyTorch, and kevolve's Python package (tools/python) and programs; docs/python.md says how they are found.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import blocks
import kevolve
import test_blocks
import torch


def taken(name, budget, pairs):
    """Returns the figures of one block: seconds of the call, the winner's, and those of the package's own comparison."""
    module, x = blocks.example(name)
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        try:
            faster = kevolve.optimize(module, x, budget=budget, folder=folder, progress=False)
        except kevolve.KevolveError as error:
            return {"block": name, "seconds": time.monotonic() - begun, "refused": str(error)}
        seconds = time.monotonic() - begun
        with torch.no_grad():
            difference = float((faster(x) - module(x)).abs().max())
        package = sys.modules[type(faster).__module__.partition(".")[0]]
        served = package.model.JUDGED.state.holds(faster) and package.model.operator_arguments(faster, (x,), {}) is not None
        test_blocks.check(name, faster)  # raises where the drop-in is wrong
        best = faster.kevolve_status["best"]
        out = {"block": name, "seconds": seconds, "over_reference": best.get("speedup"), "baselines": best.get("baselines", []),
               "against_the_best": best.get("speedup_vs_best_baseline"), "difference": difference, "served": served, "own_test": "passed"}
        if pairs == 0:
            return out
        words = [sys.executable, "-m", package.__name__, "bench", "--pairs", str(pairs), "--json"]
        done = subprocess.run(words, cwd=Path(folder) / "bundle", capture_output=True, text=True, check=False)
        out["bench"] = json.loads(done.stdout) if done.stdout.startswith("{") else {"error": done.stderr[-400:]}
        return out


def line(found):
    if "refused" in found:
        return f"{found['block']}: after {found['seconds']:.0f} s: {found['refused']}"
    judged = "; ".join(b.get("note") or f"{b['speedup']:.2f} times {b['name']} ({b['candidate_ns'] / 1e3:.0f} and {b['time_ns'] / 1e3:.0f} us)"
                       for b in found["baselines"])
    own = f"; the package's own comparison: {found['bench'].get('headline', found['bench'])}" if "bench" in found else ""
    return (f"{found['block']}: {found['seconds']:.0f} s, {found['over_reference']:.2f} times the C function, own test {found['own_test']}, "
            f"served by the kernel: {found['served']}; by the judge {judged or 'no baseline'}{own}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budget", default="60s", help="of each search")
    parser.add_argument("--pairs", type=int, default=40, help="of the package's own comparison; 0 leaves it out")
    parser.add_argument("--only", action="append", choices=list(test_blocks.DEFINITIONS))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    document = {"budget": given.budget, "torch": torch.__version__, "load_before": os.getloadavg()[0], "blocks": []}
    for name in given.only or list(test_blocks.DEFINITIONS):
        document["blocks"].append(taken(name, given.budget, given.pairs))
        print(line(document["blocks"][-1]), file=sys.stderr if given.json else sys.stdout, flush=True)
    document["load_after"] = os.getloadavg()[0]
    if given.json:
        print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
