"""Runs the program kevolve_torch in forks of a process that has imported PyTorch, which takes most of a short run."""

import multiprocessing
import os
import resource
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "backends/framework/python"
IMPORTED = ["torch", "torch._dynamo.config", "torch.export._trace", "torch._inductor.compiler_bisector",
            "torch._inductor.sizevars", "kevolve_torch.trace", "kevolve_torch.making", "kevolve_torch.gpu_task"]


def called(words: list[str], folder: str, memory: int) -> None:
    """Becomes the program: its environment, its folder, its memory, and no output."""
    os.chdir(folder)
    os.environ.clear()
    os.environ["PATH"] = "/usr/bin:/bin"
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    sys.argv[1:] = words
    from kevolve_torch import __main__

    sys.exit(__main__.main())


def run(words: list[str], folder: str, memory: int = 0) -> int:
    """Calls it with these arguments and waits for its end; returns its exit status. Memory is of addresses, in bytes."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)  # of no effect once the server runs
    if str(PACKAGE) not in os.environ.get("PYTHONPATH", "").split(":"):
        os.environ["PYTHONPATH"] = f"{PACKAGE}:{os.environ.get('PYTHONPATH', '')}"
    process = context.Process(target=called, args=(words, folder, memory))
    process.start()
    process.join()
    return process.exitcode or 0
