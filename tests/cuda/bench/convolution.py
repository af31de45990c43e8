"""Times conv1d of config/tasks/gpu/conv1d_*.task.toml with triton.testing.do_bench and prints JSON, for comparison with
the runner's figures of the same reference.
"""

import json

import torch
import torch.nn.functional as F
from triton.testing import do_bench

COMPILED = (512, 2048)  # batches that are compiled, since compiling takes long


def median_ms(run: object) -> float:
    return float(do_bench(run, warmup=50, rep=200, return_mode="median"))


def times(dtype: torch.dtype, batch: int) -> dict[str, float]:
    x = torch.randn(batch, 96, 200, device="cuda", dtype=dtype) * 0.041105 + 0.006413
    w = torch.randn(96, 96, 3, device="cuda", dtype=dtype) * 0.04787
    b = torch.randn(96, device="cuda", dtype=dtype) * 0.033662
    with torch.inference_mode():
        out = {"eager": median_ms(lambda: F.conv1d(x, w, b, padding=1))}
        if batch in COMPILED:
            torch._dynamo.reset()
            compiled = torch.compile(lambda x, w, b: F.conv1d(x, w, b, padding=1), mode="max-autotune-no-cudagraphs",
                                     dynamic=False)
            out["compiled"] = median_ms(lambda: compiled(x, w, b))
    return out


def main() -> None:
    print(json.dumps({f"{dtype} {batch}": times(dtype, batch) for dtype in (torch.float16, torch.float32)
                      for batch in (64, 128, 256, 512, 1024, 2048)}))


if __name__ == "__main__":
    main()
