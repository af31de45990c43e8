"""Counts tests from ctest's JUnit file and the steps of tools/check; names the skipped, then the failed and why.

A doctest program counts by its test cases. A case that this machine cannot run says MESSAGE("skipped: reason").
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

CASES = re.compile(r"\[doctest\] test cases:\s*(\d+)\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed")
CASE_NAME = re.compile(r"^TEST CASE:\s+(.*?)\s*$")
SKIP = re.compile(r"MESSAGE: skipped: (.*?)\s*$")
ERROR = re.compile(r"(?:FATAL )?ERROR: (.*?)\s*$")
VALUES = re.compile(r"^\s+values: (.*?)\s*$")
WHOLE_SKIP = re.compile(r"^skipped: (.*?)\s*$", re.MULTILINE)  # before it ends with SKIP_RETURN_CODE
MAX_REASONS = 6  # of one test
MAX_REASON = 400  # characters


@dataclass
class Summary:
    """The counts so far."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    reasons: list[tuple[str, str]] = field(default_factory=list)  # of the failed


def skipped_cases(output: str) -> dict[str, str]:
    """Returns reasons by the name of the case, from a doctest program's output."""
    found: dict[str, str] = {}
    case = ""
    for line in output.splitlines():
        if name := CASE_NAME.match(line):
            case = name[1]
        elif reason := SKIP.search(line):
            found[case] = reason[1]
    return found


def reasons(output: str) -> list[str]:
    """Returns the first failed checks of a doctest program, each with its case; of another program, its last lines."""
    found: list[str] = []
    case = ""
    for line in output.splitlines():
        if name := CASE_NAME.match(line):
            case = name[1]
        elif error := ERROR.search(line):
            found.append(f"{case}: {error[1]}")
        elif (values := VALUES.match(line)) and found:
            found[-1] += f" {values[1]}"
    if not found:
        found = [line for line in output.splitlines() if line.strip()][-MAX_REASONS:]
    return [reason[:MAX_REASON] for reason in found[:MAX_REASONS]]


def add_test(summary: Summary, test: ElementTree.Element) -> None:
    """Counts one ctest entry: its doctest cases if it reports any, else itself."""
    name = test.get("name", "?")
    output = test.findtext("system-out") or ""
    status = test.get("status", "")
    skip = test.find("skipped")
    if skip is not None or status in ("notrun", "disabled"):
        reason = skip.get("message", "") if skip is not None else ""
        # A program that could not be started is no skip: ctest says so in these words.
        if "Unable to find executable" in reason or "Unable to find executable" in output:
            summary.failed.append(f"{name}: not built")
        else:
            said = WHOLE_SKIP.search(output)
            summary.skipped.append((name, said[1] if said else reason or "disabled"))
        return
    # The last report is the program's own; one before it is a child's.
    cases = next(reversed(list(CASES.finditer(output))), None)
    broken = test.find("failure") is not None or status == "fail"
    if broken:
        summary.reasons.extend((name, reason) for reason in reasons(output))
    if cases is None:
        if broken:
            summary.failed.append(name)
        else:
            summary.passed += 1
        return
    skips = skipped_cases(output)
    failed = int(cases[3])
    summary.passed += int(cases[2]) - len(skips)
    summary.skipped.extend((f"{name}: {case}", reason) for case, reason in skips.items())
    if failed:
        summary.failed.append(f"{name}: {failed} of {cases[1]} cases")
        summary.failed.extend([""] * (failed - 1))
    elif broken:
        summary.failed.append(f"{name}: all cases passed, the program did not")


def add_steps(summary: Summary, steps: Path) -> None:
    """Counts the lines STATUS<tab>NAME that tools/check wrote."""
    for line in steps.read_text().splitlines():
        status, name = line.split("\t", 1)
        if status == "passed":
            summary.passed += 1
        else:
            summary.failed.append(name)


def main() -> int:
    junit, steps = Path(sys.argv[1]), Path(sys.argv[2])
    summary = Summary()
    add_steps(summary, steps)
    if junit.exists():
        for test in ElementTree.parse(junit).getroot().iter("testcase"):
            add_test(summary, test)
    else:
        summary.failed.append("ctest wrote no results")
    for name, reason in summary.skipped:
        print(f"skipped: {name}: {reason}")
    for name in filter(None, summary.failed):
        print(f"failed: {name}")
    for name, reason in summary.reasons:
        print(f"  {name}: {reason}")
    print(f"{summary.passed} passed, {len(summary.failed)} failed, {len(summary.skipped)} skipped")
    return 1 if summary.failed else 0


if __name__ == "__main__":
    sys.exit(main())
