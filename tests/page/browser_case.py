"""The base of the browser's tests: one browser for each module and size, left clean by each case, and a check of the console."""

from __future__ import annotations

import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import real_node
from webdriver import Browser, NotHere, WebDriverError, browser_programs


class _Browsers:
    """The browsers of the module that runs. A browser takes seconds to start, and each case leaves it as it was."""

    open: dict[tuple[int, bool], Browser] = {}

    @classmethod
    def take(cls, width: int, dark: bool) -> Browser:
        if not cls.open:
            unittest.addModuleCleanup(cls.close)
        if (width, dark) not in cls.open:
            cls.open[width, dark] = Browser(width, 900, dark)
        return cls.open[width, dark]

    @classmethod
    def put_back(cls, width: int, dark: bool) -> None:
        """Removes what a case has left. A browser for which that fails is not used again."""
        try:
            cls.open[width, dark].forget()
        except (WebDriverError, OSError):
            cls.open.pop((width, dark)).close()

    @classmethod
    def close(cls) -> None:
        while cls.open:
            cls.open.popitem()[1].close()


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
        self.browser = _Browsers.take(self.width, self.dark)
        self.addCleanup(_Browsers.put_back, self.width, self.dark)

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
