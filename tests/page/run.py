"""Runs the page's tests: run.py MODULE…. Prints results in the format that tools/lib/summarise_tests.py counts."""

from __future__ import annotations

import sys
import time
import unittest
from typing import Any


class Result(unittest.TextTestResult):
    """Prints each case while running: its name, with its time or the reason for skipping it."""

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._begun = time.monotonic()
        print(f"TEST CASE:  {test.id().rsplit('.', 1)[1].removeprefix('test_').replace('_', ' ')}", flush=True)

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        print(f"  {time.monotonic() - self._begun:.1f} s", flush=True)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        print(f"MESSAGE: skipped: {reason}", flush=True)

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        print(self.errors[-1][1], flush=True)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        print(self.failures[-1][1], flush=True)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            print(subtest.id(), (self.failures + self.errors)[-1][1], flush=True)


def main() -> int:
    suite = unittest.TestLoader().loadTestsFromNames(sys.argv[1:])
    with open("/dev/null", "w") as quiet:
        result = unittest.TextTestRunner(stream=quiet, resultclass=Result).run(suite)  # type: ignore[arg-type]
    failed = len(result.failures) + len(result.errors)
    total = max(result.testsRun, failed)
    print(f"[doctest] test cases: {total} | {total - failed} passed | {failed} failed | 0 skipped")
    return 1 if failed or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
