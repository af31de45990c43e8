"""Compiles the kernel for this machine: python -m NAME build."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import cpu_object
from .plan import PLAN, Kernel


def compilers(kernel: Kernel) -> list[str]:
    """Returns the programs to try: the user's own, then that of the measurement, then any other."""
    names = [os.environ.get("CC", ""), *kernel.compilers, "clang", "gcc", "cc"]
    found = [shutil.which(n) for n in names if n]
    return list(dict.fromkeys(x for x in found if x))


def is_clang(compiler: str) -> bool:
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout
    return "clang" in said


def compile_kernel(kernel: Kernel, compiler: str, out: Path) -> str:
    """Returns what the compiler said against it; empty if the object was made."""
    words = kernel.clang if is_clang(compiler) else kernel.gcc
    cpp = kernel.source.suffix == ".cpp"
    with tempfile.TemporaryDirectory(prefix="kevolve-build-") as folder:
        part = os.path.join(folder, "kernel.o")
        language = ["-x", "c++" if cpp else "c"]
        first = [compiler, *language, *words, "-fPIC", "-include", str(kernel.prelude), "-c", str(kernel.source), "-o", part]
        # The link does not see -ffast-math, which would change the rounding mode of the whole process.
        threads = ["-fopenmp"] if "-fopenmp" in words else []
        exports = Path(folder, "exports")
        exports.write_text(f"{{ global: {PLAN.entry}; local: *; }};\n", encoding="ascii")
        link = [compiler, "-shared", "-Wl,-Bsymbolic", f"-Wl,--version-script={exports}", "-o", str(out), part]
        second = [*link, *kernel.libraries, "-lm", *threads]
        for command in (first, [*second, "-lstdc++"] if cpp else second):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return done.stderr.strip() or f"{compiler} ended with {done.returncode}"
    return ""


def check(path: Path) -> str:
    """Returns the first error of the object on the first judged case; empty if there is none. In a process of its own."""
    program = f"import sys; from {PLAN.name}.build import check_here; sys.exit(check_here({os.fspath(path)!r}))"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    return done.stdout.strip() or f"its check ended with {done.returncode}: {done.stderr.strip()[-400:]}"


def check_here(path: str) -> int:
    from .comparison import errors
    from .guards import CASES
    from .inputs import drawn, model_and_call, reference_class

    kernel = cpu_object.CpuKernel(Path(path))
    reference, call = model_and_call(reference_class(), PLAN.cases[0], 1)
    wrong = errors(reference, call, kernel(drawn(PLAN.cases[0], 1), CASES[0]))
    print("\n".join(wrong))
    return 1 if wrong else 0


def main() -> int:
    kernel = cpu_object.kernel_here()
    if kernel is None:
        print(f"{PLAN.name} has no kernel for processors")
        return 1
    programs = compilers(kernel)
    if not programs:
        print("no C compiler: install clang or gcc, or name one by CC=…")
        return 1
    folder = cpu_object.own_build()
    folder.mkdir(parents=True, exist_ok=True)
    part, message = folder / "cpu.so.part", ""
    for compiler in programs:
        message = compile_kernel(kernel, compiler, part)
        if message:
            continue
        if wrong := check(part):
            part.unlink(missing_ok=True)
            print(f"built by {compiler}, the kernel is wrong on the first judged shape: {wrong}")
            return 1
        built = {"machine": platform.machine(), "features": sorted(cpu_object.processor_features()), "compiler": compiler}
        part.replace(folder / "cpu.so")
        (folder / "built.json").write_text(json.dumps(built), encoding="utf-8")
        print(f"{folder / 'cpu.so'}: built by {compiler}, and right on the first judged shape")
        return 0
    print(f"the kernel cannot be built here: {message}")
    return 1
