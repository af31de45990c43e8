"""Tests the scopes that the pass gpu.proton adds to kernels, and how it reads Proton's tree. Needs neither Triton nor a device."""

import ast
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "backends" / "triton" / "profile"))
import triton_scopes  # noqa: E402

CANDIDATE = '''"""launch plan
[[kernel]]
"""
import triton
import triton.language as tl


@triton.jit
def helper(x):
    for i in range(4):
        x += i
    return x


@triton.jit
def rows(x, n, BLOCK: tl.constexpr):
    if n == 0:
        return
    total = 0.0
    for i in range(0, n, BLOCK):
        for j in range(2):
            total += tl.load(x + i + j)
    if n > 4:
        while total > 1.0:
            total /= 2
    tl.store(x, total)
'''


def scopes_of(text: str, name: str) -> list[str]:
    """Returns the words and scopes of a function, in the order of the text."""
    function = next(f for f in ast.parse(text).body if isinstance(f, ast.FunctionDef) and f.name == name)
    calls = [n for n in ast.walk(function) if isinstance(n, ast.Call) and "_scope" in ast.unparse(n.func)]
    calls.sort(key=lambda n: (n.lineno, n.col_offset))
    return [f"{ast.unparse(n.func).split('.')[-1].removesuffix('_scope')} {n.args[0].value}" for n in calls]  # type: ignore[attr-defined]


class Scopes(unittest.TestCase):
    def test_outermost_loops_have_a_scope_with_the_lines_of_the_candidate(self) -> None:
        text = triton_scopes.with_scopes(CANDIDATE, {"rows"})
        self.assertEqual(scopes_of(text, "rows"),
                         ["enter whole", "exit whole", "enter 20-22", "exit 20-22", "enter 24-25", "exit 24-25", "exit whole"])

    def test_functions_that_no_plan_launches_stay_as_they_are(self) -> None:
        self.assertEqual(scopes_of(triton_scopes.with_scopes(CANDIDATE, {"rows"}), "helper"), [])

    def test_the_text_stays_a_module_with_its_plan_first(self) -> None:
        text = triton_scopes.with_scopes(CANDIDATE, {"rows"})
        self.assertIn("launch plan", ast.get_docstring(ast.parse(text)) or "")
        self.assertIn("import triton.profiler.language as kevolve_scopes", text)

    def test_a_kernel_that_returns_last_ends_its_whole_once(self) -> None:
        text = triton_scopes.with_scopes("@triton.jit\ndef k(x):\n    x += 1\n    return\n", {"k"})
        self.assertEqual(scopes_of(text, "k"), ["enter whole", "exit whole"])


class Tree(unittest.TestCase):
    def test_cycles_are_summed_by_kernel_and_loop(self) -> None:
        def node(name: str, cycles: int, *children: dict[str, object]) -> dict[str, object]:
            return {"frame": {"name": name, "type": "function"}, "metrics": {"cycles": cycles}, "children": list(children)}

        tree = node("ROOT", 0, node("rows", 0, node("whole", 400, node("19-21", 100), node("23-24", 40))), node("rows", 0, node("whole", 20)))
        self.assertEqual(triton_scopes.result_of(tree, {"rows"}), {"kernels": [{"kernel": "rows", "cycles": 420, "loops": [
            {"line": 19, "last": 21, "cycles": 100}, {"line": 23, "last": 24, "cycles": 40}]}]})


class Numbers(unittest.TestCase):
    def test_bits_become_the_number_that_the_launch_passes(self) -> None:
        for bits, width, kind, wanted in [(7, 8, "i64", 7), (2**64 - 3, 8, "i64", -3), (2**32 - 1, 4, "i32", -1), (255, 1, "u8", 255),
                                          (0x3FC00000, 4, "fp32", 1.5), (0x3FF8000000000000, 8, "fp64", 1.5)]:
            with self.subTest(kind=kind, bits=bits):
                self.assertEqual(triton_scopes.number_of({"bits": bits, "bytes": width}, kind), wanted)


if __name__ == "__main__":
    unittest.main()
