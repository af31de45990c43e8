"""Measures the spread of do_bench's own figure of one kernel: other allocations, values and ways to sweep the cache.
Smaller differences between two clocks mean nothing. Run from the repository's root, on a machine with a GPU, nvcc,
PyTorch, CuPy and Triton.
"""

import argparse
import collections.abc
import pathlib
import random
import statistics
import subprocess
import tempfile

import cupy
import torch
import triton.testing

ROWS, COLS = 8_192, 4_096
CALLS = 160
WARM_UP = 10


def transpose(folder: str) -> cupy.RawModule:
    cubin = f"{folder}/transpose.cubin"
    source = pathlib.Path(__file__).parent / "transpose.cu"
    subprocess.run(["nvcc", "-arch=native", "-cubin", "-o", cubin, source], check=True)
    return cupy.RawModule(path=cubin).get_function("transpose")


def by_events(run: collections.abc.Callable[[], None], sweep: collections.abc.Callable[[], object]) -> float:
    """Returns the median time in microseconds, with a sweep before each call."""
    events = []
    for _ in range(CALLS):
        sweep()
        torch.cuda._sleep(200_000)  # until everything is queued
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        events.append((begin, end))
    torch.cuda.synchronize()
    return statistics.median(begin.elapsed_time(end) * 1e3 for begin, end in events[WARM_UP:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allocations", type=int, default=12)
    allocations = parser.parse_args().allocations
    draw = random.Random(1)
    print(torch.cuda.get_device_name())
    with tempfile.TemporaryDirectory() as folder:
        function = transpose(folder)
        stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
        large = torch.empty(256 << 18, dtype=torch.int, device="cuda")
        small = torch.empty(120 << 18, dtype=torch.int, device="cuda")
        sweeps = {"256 MiB zeroed": large.zero_, "120 MiB filled": lambda: small.fill_(0x7ff1), "256 MiB read": large.sum}
        for number in range(allocations):
            junk = torch.empty(draw.randrange(1 << 20, 20 << 30), dtype=torch.uint8, device="cuda")
            x = torch.randn(ROWS * COLS, device="cuda")
            y = torch.empty(ROWS * COLS, device="cuda")
            sizes = (cupy.int64(ROWS), cupy.int64(COLS))

            def run(pointers: tuple[int, int] = (x.data_ptr(), y.data_ptr())) -> None:
                with stream:
                    function((COLS // 32, ROWS // 8), (32, 8), (*pointers, *sizes))

            told = [f"do_bench {1e3 * triton.testing.do_bench(run, warmup=50, rep=200, return_mode='median'):.1f}"]
            told += [f"{name} {by_events(run, sweep):.1f}" for name, sweep in sweeps.items()]
            x.mul_(4)
            told.append(f"values times 4: {by_events(run, large.zero_):.1f}")
            x.zero_()
            told.append(f"zeros: {by_events(run, large.zero_):.1f}")
            print(f"allocation {number}: " + ", ".join(told))
            del junk, x, y
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
