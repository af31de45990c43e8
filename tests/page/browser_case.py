"""The base of the browser's tests: a browser for each case, one node for each module, and a check of the console."""

from __future__ import annotations

import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import real_node
from webdriver import Browser, NotHere, browser_programs


class BrowserCase(unittest.TestCase):
    """Skips with a reason if there is no browser or no built node. Checks the console at the end."""

    browser: Browser
    # Messages that a case provokes on purpose.
    expected_messages: tuple[str, ...] = ()
    width = 1280
    dark = False

    def setUp(self) -> None:
        try:
            browser_programs()
        except NotHere as e:
            self.skipTest(str(e))
        if not (real_node.BIN / "kevolved").exists():
            self.skipTest(f"no kevolved in {real_node.BIN}")
        self._folder = TemporaryDirectory(prefix="kevolve-page-")
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)
        self.browser = self.enterContext(Browser(self.width, 900, self.dark))

    def check_console(self) -> None:
        """Checks that nothing violated the content policy and nothing failed, except for expected messages."""
        for line in self.browser.log():
            if not any(x in line for x in self.expected_messages):
                self.assertNotIn("SEVERE", line)
                self.assertNotIn("Content Security Policy", line)
                self.assertNotIn("violat", line)

    def check_no_sideways_scrolling(self) -> None:
        wide = self.browser.run("return [document.documentElement.scrollWidth, innerWidth]")
        self.assertLessEqual(wide[0], wide[1], self.browser.url())

    def go(self, route: str) -> None:
        self.browser.run("location.hash = arguments[0]", route)
