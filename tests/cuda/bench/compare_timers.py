"""Times the cubins that the runner's bench left behind with triton.testing.do_bench, in JSON on stdout.

Run under ncu with --once for the device's own duration of the very same launch.
"""

import argparse
import json
import pathlib

import cupy
import torch
import triton
import triton.testing


def launches(folder: pathlib.Path) -> dict[str, object]:
    """The same grids and sizes as the plans give for the bench's shapes."""
    m, cols = 2048, 4096
    stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
    a = torch.randn(m, m, device="cuda")
    b = torch.randn(m, m, device="cuda")
    c = torch.empty(m, m, device="cuda")
    x = torch.randn(24_576, cols, device="cuda") * 4
    y = torch.empty_like(x)

    def kernel(name: str) -> object:
        return cupy.RawModule(path=str(folder / f"{name}.cubin")).get_function(name)

    gemm = kernel("gemm")

    def run_gemm() -> None:
        with stream:
            arguments = (a.data_ptr(), b.data_ptr(), c.data_ptr(), cupy.int64(m))
            gemm(((m + 31) // 32, (m + 31) // 32), (32, 32), arguments)

    def of_matrix(name: str, rows: int, grid: tuple[int, ...], block: tuple[int, ...]) -> object:
        function = kernel(name)

        def run() -> None:
            with stream:
                function(grid, block, (x.data_ptr(), y.data_ptr(), cupy.int64(rows), cupy.int64(cols)))

        return run

    return {"gemm": run_gemm,
            "softmax": of_matrix("softmax", 24_576, (24_576,), (256,)),
            "transpose": of_matrix("transpose", 8_192, (cols // 32, 8_192 // 8), (32, 8)),
            "columns": of_matrix("columns", 8_192, (cols // 64,), (64,)),
            "powers": of_matrix("powers", 6_144, (6_144 * cols // 256,), (256,))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--once", action="store_true", help="only launch, for a profiler to time")
    arguments = parser.parse_args()
    out: dict[str, object] = {"triton": triton.__version__, "torch": torch.__version__}
    for name, run in launches(arguments.folder).items():
        if arguments.once:
            for _ in range(12):
                run()
            torch.cuda.synchronize()
            continue
        quantiles = [0.5, 0.1, 0.9]
        median, low, high = triton.testing.do_bench(run, warmup=100, rep=1000, quantiles=quantiles)
        out[name] = {"median_ms": median, "p10_ms": low, "p90_ms": high}
    print(json.dumps(out))


if __name__ == "__main__":
    main()
