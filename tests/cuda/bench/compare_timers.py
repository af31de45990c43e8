"""Times the cubins of the runner's benchmark with triton.testing.do_bench and prints JSON. Each kernel is timed at
several places of several allocations. The judge moves arrays between calls, and some kernels' times depend on their
places (places.py, spread.py). The first place is the one PyTorch allocates. Run under ncu with --once for the
device's own duration of the same launch.
"""

import argparse
import collections.abc
import dataclasses
import json
import pathlib
import random
import statistics

import cupy
import torch
import triton
import triton.testing

STEP_BYTES = 1_024  # the judge moves arrays by multiples of this
MOST_STEPS = 4_096
PLACES_OF_AN_ALLOCATION = 3  # the allocated pages make a difference as well (spread.py)


@dataclasses.dataclass
class Launch:
    """A launch with the grids, sizes and arguments of the plans for the benchmark's shapes."""

    name: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    floats: tuple[int, ...]  # elements of each array, in the order of the arguments
    sizes: tuple[int, ...]


ROWS, COLS, SIDE = 24_576, 4_096, 2_048
LAUNCHES = (
    Launch("gemm", (SIDE // 32, SIDE // 32), (32, 32), (SIDE * SIDE,) * 3, (SIDE,)),
    Launch("softmax", (ROWS,), (256,), (ROWS * COLS,) * 2, (ROWS, COLS)),
    Launch("transpose", (COLS // 32, 8_192 // 8), (32, 8), (8_192 * COLS,) * 2, (8_192, COLS)),
    Launch("columns", (COLS // 64,), (64,), (8_192 * COLS, COLS), (8_192, COLS)),
    Launch("powers", (6_144 * COLS // 256,), (256,), (6_144 * COLS,) * 2, (6_144, COLS)))


def runs(folder: pathlib.Path, launch: Launch, places: int) -> collections.abc.Iterator[collections.abc.Callable[[], None]]:
    """Returns one function for each place; all launch the kernel on the same values."""
    function = cupy.RawModule(path=str(folder / f"{launch.name}.cubin")).get_function(launch.name)
    stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
    step, draw = STEP_BYTES // 4, random.Random(1)
    for place in range(places):
        if place % PLACES_OF_AN_ALLOCATION == 0:
            memory = None
            torch.cuda.empty_cache()
            junk = torch.empty(draw.randrange(1 << 20, 16 << 30), dtype=torch.uint8, device="cuda")  # other pages
            memory = [torch.randn(n + step * MOST_STEPS, device="cuda") * 4 for n in launch.floats]
            del junk
        moved = [step * draw.randrange(MOST_STEPS) if place else 0 for _ in memory]
        pointers = tuple(m.data_ptr() + 4 * by for m, by in zip(memory, moved))
        arguments = (*pointers, *(cupy.int64(s) for s in launch.sizes))

        def run(arguments: tuple[object, ...] = arguments) -> None:
            with stream:
                function(launch.grid, launch.block, arguments)

        yield run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--once", action="store_true", help="only launch, for a profiler to time")
    parser.add_argument("--places", type=int, default=9, help="places of the arrays, PyTorch's own first")
    arguments = parser.parse_args()
    out: dict[str, object] = {"triton": triton.__version__, "torch": torch.__version__, "device": torch.cuda.get_device_name()}
    for launch in LAUNCHES:
        if arguments.once:
            for run in runs(arguments.folder, launch, arguments.places):
                for _ in range(4):
                    run()
            torch.cuda.synchronize()
            continue
        medians = [triton.testing.do_bench(run, warmup=50, rep=200, return_mode="median")
                   for run in runs(arguments.folder, launch, arguments.places)]
        out[launch.name] = {"median_ms": statistics.median(medians), "pytorchs_place_ms": medians[0], "places_ms": medians}
        torch.cuda.empty_cache()
    print(json.dumps(out))


if __name__ == "__main__":
    main()
