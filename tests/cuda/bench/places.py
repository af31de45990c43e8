"""Measures how a kernel's time depends on the places of its arrays: the same launch at several places of one block of
memory. torch.cuda allocates at multiples of 2 MiB. A judge that moves arrays, or a program with its own allocator,
uses other places. Run from the repository's root, on a machine with a GPU, nvcc and PyTorch.
"""

import ctypes
import pathlib
import random
import statistics
import subprocess
import tempfile

import torch

SWEPT_BYTES = 256 << 20
CALLS = 160
WARM_UP = 10
KERNELS = (("columns", 8_192, 4_096, (64, 1), (64, 1)),  # rows, cols, grid, block
           ("softmax", 24_576, 4_096, (24_576, 1), (256, 1)),
           ("transpose", 8_192, 4_096, (128, 1_024), (32, 8)))


def load(driver: ctypes.CDLL, name: str, folder: str) -> ctypes.c_void_p:
    cubin = f"{folder}/{name}.cubin"
    source = pathlib.Path(__file__).parent / f"{name}.cu"
    subprocess.run(["nvcc", "-arch=native", "-cubin", "-o", cubin, source], check=True)
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    assert driver.cuModuleLoad(ctypes.byref(module), cubin.encode()) == 0
    assert driver.cuModuleGetFunction(ctypes.byref(function), module, name.encode()) == 0
    return function


def main() -> None:
    torch.zeros(1, device="cuda")  # makes the context
    driver = ctypes.CDLL("libcuda.so.1")
    swept = torch.empty(SWEPT_BYTES // 4, dtype=torch.int, device="cuda")
    draw = random.Random(1)

    def measure(what: str, function: ctypes.c_void_p, shape: tuple, places: list[int], base: int) -> None:
        rows, cols, grid, block = shape
        events = []
        for call in range(CALLS):
            x = base + places[call % len(places)]
            values = (ctypes.c_void_p(x), ctypes.c_void_p(x + 4 * rows * cols + 1024), ctypes.c_longlong(rows),
                      ctypes.c_longlong(cols))
            pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
            swept.zero_()
            torch.cuda._sleep(200_000)  # until everything is queued
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            begin.record()
            assert driver.cuLaunchKernel(function, *grid, 1, *block, 1, 0, stream, pointers, None) == 0
            end.record()
            events.append((begin, end))
        torch.cuda.synchronize()
        times = sorted(begin.elapsed_time(end) * 1e3 for begin, end in events[WARM_UP:])
        tenth = len(times) // 10
        print(f"{what:45} median {statistics.median(times):8.2f} us, {times[tenth]:8.2f} to {times[-tenth - 1]:8.2f}")

    with tempfile.TemporaryDirectory() as folder:
        for name, rows, cols, grid, block in KERNELS:
            function = load(driver, name, folder)
            memory = torch.randn(2 * rows * cols + (2 << 20), device="cuda")
            shape = (rows, cols, grid, block)
            for place in (0, 1_024, 2_048, 4_096, 65_536, 1 << 20, *(1_024 * draw.randrange(4_096) for _ in range(3))):
                measure(f"{name}, {place} bytes on", function, shape, [place], memory.data_ptr())
            many = [1_024 * draw.randrange(4_096) for _ in range(16)]
            measure(f"{name}, sixteen places in turn", function, shape, many, memory.data_ptr())
            del memory
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
