"""Lays out a bundle's Python package for a GPU from the templates, with a plan that needs no compiler."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).resolve().parents[2] / "tools/kevolve/bundle/python"
FILL = {"distribution": "normal", "mean": 0.0, "std": 1.0, "low": 0, "high": 1, "of": "", "hit": 0}
REFERENCE = '''def iterate(x, w):
    """What the fake driver's kernel computes."""
    for k in range(256):
        x = x * 0.5 + w[k & 7]
    return x
'''


def argument(name: str, role: str, shape: list[str], origin: str | None) -> dict[str, Any]:
    return {"name": name, "role": role, "dtype": "i64" if role == "size" else "f32", "shape": shape, "origin": origin, "align": 64,
            "value": None, "fill": FILL, "tolerance": {"mode": "absrel", "relative": 1e-4, "absolute": 1e-5, "limit": 0}}  # fmt: skip


def parameter(kind: str, name: str = "", value: str = "0", dtype: str = "i64") -> dict[str, str]:
    return {"kind": kind, "name": name, "value": value, "dtype": dtype}


def launch(name: str, *more: dict[str, str], **others: Any) -> dict[str, Any]:
    given = [parameter("buffer", "x"), parameter("buffer", "w"), parameter("buffer", "y"), parameter("argument", "n"), *more]
    return {"name": name, "grid": ["ceildiv(n, 256)", "1", "1"], "block": ["256", "1", "1"], "cluster": ["1", "1", "1"],
            "shared": "0", "cooperative": False, "arguments": given, **others}  # fmt: skip


def launches(*kernels: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {"sizes": [], "scratch": [], "tensor_maps": [], "kernels": list(kernels), **others}


def kernel(plan: dict[str, Any], candidate: int = 1) -> dict[str, Any]:
    return {"device": "cuda", "architecture": "sm_90a", "candidate": candidate, "language": "cuda", "flags": "O3",
            "source": "source/kernel_0.cu", "modules": ["kernels/0.0.cubin"], "plan": plan}  # fmt: skip


def lay_out(folder: Path, name: str, kernels: list[dict[str, Any]], cases: list[tuple[int, int | None]]) -> None:
    """Writes the package. `cases` holds sizes, each with the number of its kernel; None: the reference."""
    arguments = [argument("x", "input", ["n"], "input 0"), argument("w", "input", ["8"], "input 1"),
                 argument("y", "output", ["n"], "output 0"), argument("n", "size", [], None)]  # fmt: skip
    plan = {
        "name": name, "version": "0.1.0+test.1", "entry": "iterate", "module": {"entry": "iterate", "kind": "function", "training": False},
        "any_size": False, "arguments": arguments, "derived": [],
        "cases": [{"name": f"n={n}", "sizes": {"n": n}, "held_out": False, "kernel": k} for n, k in cases],
        "kernels": kernels, "measured": {"campaign": "0123456789abcdef", "candidate": 1},
    }  # fmt: skip
    for file in TEMPLATES.rglob("*"):
        if file.suffix in (".py", ".toml"):
            to = folder / file.relative_to(TEMPLATES).as_posix().replace("package/", name + "/")
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(file.read_text(encoding="utf-8").replace("kevolve_package", name), encoding="utf-8")
    for file, text in (("plan.json", json.dumps(plan)), ("reference.py", REFERENCE), ("kernels/0.0.cubin", "code"), ("source/kernel_0.cu", "")):
        (folder / name / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / name / file).write_text(text, encoding="utf-8")
