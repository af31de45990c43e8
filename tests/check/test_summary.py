"""Tests which results tools/check counts as passed, failed and skipped."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIB = Path(__file__).resolve().parents[2] / "tools" / "lib"
sys.path.insert(0, str(LIB))

import lint_commands

DOCTEST = """TEST CASE:  needs a disk
file:1: MESSAGE: skipped: needs root
TEST CASE:  adds
file:7: ERROR: CHECK( a + b == 3 ) is NOT correct!
  values: CHECK( 4 == 3 )
[doctest] test cases:  5 |  4 passed | 1 failed | 0 skipped
"""


def summarise(junit: str, steps: str = "passed\tformat\n") -> tuple[int, list[str]]:
    """Returns exit status and output lines of summarise_tests.py for these results."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "t.xml").write_text(f"<testsuite>{junit}</testsuite>")
        (Path(folder) / "steps").write_text(steps)
        run = subprocess.run(
            [sys.executable, str(LIB / "summarise_tests.py"), f"{folder}/t.xml", f"{folder}/steps"],
            capture_output=True,
            text=True,
            check=False,
        )
    return run.returncode, run.stdout.splitlines()


class Summary(unittest.TestCase):
    """Tests the last line, the names above it and the exit status."""

    def test_doctest_cases_are_counted_and_skips_named(self) -> None:
        status, lines = summarise(
            f'<testcase name="t" status="fail"><failure/><system-out>{DOCTEST}</system-out></testcase>'
        )
        self.assertEqual(status, 1)
        self.assertEqual(lines, ["skipped: t: needs a disk: needs root", "failed: t: 1 of 5 cases",
                                 "  t: adds: CHECK( a + b == 3 ) is NOT correct! CHECK( 4 == 3 )",
                                 "4 passed, 1 failed, 1 skipped"])

    def test_a_program_without_cases_ends_with_its_last_words(self) -> None:
        out = "\n".join(f"line {i}" for i in range(20)) + "\n"
        _, lines = summarise(f'<testcase name="t" status="fail"><failure/><system-out>{out}</system-out></testcase>')
        self.assertEqual(lines[1:-1], [f"  t: line {i}" for i in range(14, 20)])

    def test_a_program_without_cases_counts_as_one(self) -> None:
        self.assertEqual(summarise('<testcase name="t" status="run"/>'), (0, ["2 passed, 0 failed, 0 skipped"]))
        status, lines = summarise('<testcase name="t" status="fail"><failure/></testcase>')
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_a_program_that_dies_after_its_cases_has_failed(self) -> None:
        out = DOCTEST.replace("4 passed | 1 failed", "5 passed | 0 failed")
        status, lines = summarise(
            f'<testcase name="t" status="fail"><failure/><system-out>{out}</system-out></testcase>'
        )
        self.assertEqual((status, lines[-1]), (1, "5 passed, 1 failed, 1 skipped"))

    def test_the_report_of_a_program_s_child_is_not_its_own(self) -> None:
        out = DOCTEST + DOCTEST.replace("4 passed | 1 failed", "5 passed | 0 failed")
        status, lines = summarise(f'<testcase name="t" status="run"><system-out>{out}</system-out></testcase>')
        self.assertEqual((status, lines[-1]), (0, "5 passed, 0 failed, 1 skipped"))

    def test_a_program_that_was_not_built_is_no_skip(self) -> None:
        status, lines = summarise(
            '<testcase name="t" status="notrun"><skipped message="Unable to find executable: t"/></testcase>'
        )
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_a_program_that_skips_itself_gives_its_own_reason(self) -> None:
        out = "skipped: it may mount nothing\n"
        status, lines = summarise(
            f'<testcase name="t" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>{out}</system-out></testcase>'
        )
        self.assertEqual((status, lines), (0, ["skipped: t: it may mount nothing", "1 passed, 0 failed, 1 skipped"]))

    def test_every_skip_of_a_case_is_one_that_is_counted(self) -> None:
        tests = LIB.parents[1] / "tests"
        wrong = [str(p) for p in tests.rglob("*.cpp") if re.search(r'cout\s*<<\s*"skipped', p.read_text(errors="replace"))]
        self.assertEqual(wrong, [])

    def test_a_failed_step_fails_the_check(self) -> None:
        self.assertEqual(summarise("", "failed\tformat\n"), (1, ["failed: format", "0 passed, 1 failed, 0 skipped"]))


class Commands(unittest.TestCase):
    """Tests the conversion of the build's command to those of g++ and clang."""

    def test_outputs_and_parsed_headers_go_and_flags_stay(self) -> None:
        entry = {
            "file": "/r/a.cpp",
            "directory": "/r/build",
            "command": ("/usr/bin/cmake -E env CCACHE_SLOPPINESS=x /usr/bin/ccache /usr/bin/clang++-19 -I/r -Wall "
                        "-Winvalid-pch -Xclang -include-pch -Xclang h.pch -Xclang -include -Xclang h.hxx "
                        "-MD -MT a.o -MF a.d -o a.o -c /r/a.cpp"),
        }
        lines = lint_commands.lint_commands(entry, Path("/r"), {Path("/r/a.cpp")})
        self.assertEqual(lines, ["cd /r/build && g++ -I/r -Wall -fsyntax-only /r/a.cpp",
                                 ("cd /r/build && clang-tidy-19 --quiet --config-file=/r/.clang-tidy "
                                  "'--checks=-clang-analyzer-*' /r/a.cpp -- -I/r -Wall "
                                  "-Wno-unknown-warning-option -fno-caret-diagnostics")])
        self.assertEqual(lint_commands.lint_commands(entry, Path("/r"), set()), [])
        test = {key: value.replace("/r/a.cpp", "/r/tests/a.cpp") for key, value in entry.items()}
        lines = lint_commands.lint_commands(test, Path("/r"), {Path("/r/tests/a.cpp")})
        self.assertEqual(lines, ["cd /r/build && g++ -I/r -Wall -fsyntax-only /r/tests/a.cpp"])

    def test_a_header_is_what_is_compiled_of_it(self) -> None:
        stub = lint_commands.as_compiled("store/record.hpp", Path("/r"), Path("/r/build"))
        self.assertEqual(stub, Path("/r/build/headers/store_record.hpp.cpp"))
        entry = {"file": str(stub), "directory": "/r/build", "command": f"clang++ -I/r -c {stub}"}
        lines = lint_commands.lint_commands(entry, Path("/r"), {stub})
        self.assertEqual(len(lines), 1)
        self.assertIn("clang++-19 -I/r", lines[0])

    def test_sources_compiled_as_one_are_checked_one_by_one(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            joint = Path(folder) / "Unity" / "unity_a.cxx"
            joint.parent.mkdir()
            joint.write_text('/* generated */\n\n#include "/r/tests/a.cpp"\n\n#include "/r/tests/b.cpp"\n')
            entry = {"file": str(joint), "directory": "/r/build", "command": f"clang++ -I/r -o a.o -c {joint}"}
            lines = lint_commands.lint_commands(entry, Path("/r"), {Path("/r/tests/a.cpp"), Path("/r/tests/b.cpp")})
        self.assertEqual([line.split()[-1] for line in lines], ["/r/tests/a.cpp", "/r/tests/b.cpp"])
        self.assertNotIn("unity_a", lines[0])


if __name__ == "__main__":
    unittest.main()
