"""python -m NAME build | bench | tune."""

from __future__ import annotations

import argparse
import sys
import warnings


def main() -> int:
    from .plan import PLAN

    parser = argparse.ArgumentParser(prog=f"python -m {PLAN.name}")
    verbs = parser.add_subparsers(dest="verb", required=True)
    if PLAN.device_kernels:
        tune = verbs.add_parser("tune", help="choose a kernel for each judged shape by times on this GPU")
        tune.add_argument("--pairs", type=int, default=9, help="pairs for each kernel and shape (default: 9)")
        tune.add_argument("--json", action="store_true", help="print one JSON document")
    else:
        verbs.add_parser("build", help="compile the kernel for this machine")
    bench = verbs.add_parser("bench", help="time eager, torch.compile and the kernel in alternating pairs")
    bench.add_argument("--pairs", type=int, default=40, help="pairs for each baseline (default: 40)")
    bench.add_argument("--case", type=int, default=0, help="number of the judged shape, from 0")
    bench.add_argument("--without", action="append", default=[], help="leave a baseline out, such as max-autotune")
    bench.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    if options.verb == "build":
        from . import build

        return build.main()
    if options.verb == "tune":
        from . import tune as choosing

        return choosing.main(max(options.pairs, 1), options.json)
    from . import bench as timing

    return timing.main(options.pairs, options.case, options.without, options.json)


if __name__ == "__main__":
    warnings.simplefilter("default")
    sys.exit(main())
