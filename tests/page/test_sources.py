"""Tests that the page's sources avoid dangerous constructs."""

from __future__ import annotations

import json
import re
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "runtime" / "node" / "page"

# Constructs that turn text into markup or code, or store or send data that must stay in the tab.
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|dangerouslySetInnerHTML|insertAdjacentHTML|createContextualFragment|DOMParser|srcdoc|setHTML"
    r"|document\.write|\beval\(|new Function|javascript:|localStorage|document\.cookie|indexedDB|importScripts"
    r"|https?://(?!www\.w3\.org/2000/svg)"
)


class Sources(unittest.TestCase):
    def test_no_source_can_turn_a_text_into_markup_or_reach_outside(self) -> None:
        for file in sorted((PAGE / "src").iterdir()):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                with self.subTest(file=file.name, line=number):
                    self.assertIsNone(FORBIDDEN.search(line), line)

    def test_the_rule_finds_what_it_forbids(self) -> None:
        for bad in ("x.innerHTML = y", "dangerouslySetInnerHTML={{}}", "eval(x)", "fetch('https://a.example')"):
            self.assertIsNotNone(FORBIDDEN.search(bad), bad)

    def test_index_has_neither_inline_script_nor_inline_style(self) -> None:
        index = (PAGE / "built" / "index.html").read_text()
        self.assertNotRegex(index, r"<style|style=|\son\w+=|<script(?![^>]*\ssrc=)")
        for address in re.findall(r'(?:src|href)="([^"]*)"', index):
            self.assertRegex(address, r"^/page/[a-z]+\.[a-z]+$")

    def test_versions_are_pinned_and_the_lock_names_no_host_to_fetch_from(self) -> None:
        package = json.loads((PAGE / "package.json").read_text())
        for name, version in {**package["dependencies"], **package["devDependencies"]}.items():
            self.assertRegex(version, r"^\d+\.\d+\.\d+$", name)
        lock = json.loads((PAGE / "package-lock.json").read_text())
        for name, entry in lock["packages"].items():
            self.assertNotIn("resolved", entry, name)
            self.assertTrue(name == "" or entry["integrity"].startswith("sha512-"), name)
