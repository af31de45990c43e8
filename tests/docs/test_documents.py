"""The documents: their commands run, their verbs, flags and links exist. The checker itself is tested first."""

from __future__ import annotations

import functools
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path

import documents

SOURCE = Path(os.environ.get("KEVOLVE_SOURCE", Path(__file__).resolve().parents[2]))
BIN = Path(os.environ.get("KEVOLVE_BIN", SOURCE / "build" / "bin")).resolve()
LIMIT_S = 1200
README_LINES = 140
INTERFACE = documents.Interface(BIN)


def pages() -> list[Path]:
    """Returns the documents that readers of the project are sent to."""
    return [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").glob("*.md"))]


def all_pages() -> list[Path]:
    """Returns also the pages of single folders, and the results."""
    folders = ["actors", "backends", "runtime", "store", "tests", "tools"]
    return [*pages(), *sorted((SOURCE / "docs" / "results").glob("*.md")),
            *sorted(page for folder in folders for page in (SOURCE / folder).rglob("README.md")
                    if "node_modules" not in page.parts)]


def run_blocks_of(test: unittest.TestCase, page: Path) -> None:
    """Runs the commands of a page in a shell of its own."""
    begin = time.monotonic()
    status, said = documents.run_blocks(page, BIN, SOURCE, LIMIT_S)
    print(f"{page.name}: exit status {status}, {time.monotonic() - begin:.1f} s", flush=True)
    print("".join(f"  {line}\n" for line in said.splitlines() if line.startswith("skipped: ")), end="", flush=True)
    test.assertEqual(status, 0, f"{page.name}:\n{said}")


class Checker(unittest.TestCase):
    """Small documents, each with one fault."""

    def page(self, text: str) -> Path:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "page.md"
        path.write_text("# Title\n\n" + text)
        return path

    def errors(self, text: str) -> str:
        return "\n".join(documents.parse_errors(self.page(text), INTERFACE))

    def run_page(self, text: str, limit: float = 20) -> tuple[int, str]:
        return documents.run_blocks(self.page(text), BIN, SOURCE, limit)

    def test_accepts_a_call_that_fits(self) -> None:
        self.assertEqual(self.errors("```gpu\nkevolve run a.toml --data d --set x=1 --set=y=2 # --no-flag\n```\n"), "")

    def test_rejects_a_flag_that_does_not_exist(self) -> None:
        self.assertIn("line 4: 'kevolve run' has no option --sett", self.errors("```model\nkevolve run a --sett x=1\n```\n"))

    def test_rejects_a_verb_that_does_not_exist(self) -> None:
        self.assertIn("no verb 'bach'", self.errors("```gpu\nkevolve bach export --out f\n```\n"))
        self.assertIn("no verb 'batch exprot'", self.errors("```cluster\nkevolve batch exprot --out f\n```\n"))

    def test_rejects_a_call_without_what_is_required(self) -> None:
        self.assertIn("needs 2 words, here are 1", self.errors("```gpu\nkevolve eval task.toml\n```\n"))
        self.assertIn("needs --out", self.errors("```gpu\nkevolve bundle 1a2b\n```\n"))

    def test_reads_calls_inside_others_and_over_lines(self) -> None:
        self.assertIn("'kevolve list' has no option --id", self.errors('```gpu\nkevolve status "$(kevolve list --id)"\n```\n'))
        self.assertIn("line 4: 'kevolve run' has no option --bad", self.errors("```gpu\nkevolve run a \\\n  --bad\n```\n"))
        self.assertIn("has no option --bad", self.errors("```gpu\nFOO=1 build/bin/kevolved k.toml --bad &\n```\n"))

    def test_reads_commands_of_consoles_and_of_prose(self) -> None:
        self.assertIn("has no option --bad", self.errors("```console\n$ kevolve list --bad\nkevolve list --other\n```\n"))
        self.assertIn("no verb 'lst'", self.errors("Ask `kevolve lst` for it.\n"))
        self.assertEqual(self.errors("Ask `kevolve status ID` or `kevolve pause|resume ID` for it.\n"), "")

    def test_rejects_unknown_tags_and_open_blocks(self) -> None:
        self.assertIn("the tag 'shell' is none of ours", self.errors("```shell\ntrue\n```\n"))
        with self.assertRaises(ValueError):
            self.errors("```sh\ntrue\n")

    def test_leaves_here_documents_alone(self) -> None:
        self.assertEqual(self.errors("```sh\ncat > a <<'END'\nkevolve run --bad 'it\nEND\ntrue\n```\n"), "")

    def test_finds_links_to_files_that_are_not_there(self) -> None:
        page = self.page("[a](page.md#title) [b](https://example.org/x) [c](missing.md)\n")
        self.assertEqual(documents.broken_links(page), ["line 3: missing.md is not there"])

    def test_finds_files_that_are_not_there(self) -> None:
        page = self.page("`tests/docs/documents` `tests/docs/` `tests/docs/gone.py` `tests/gone/` `tools/check --all`\n")
        self.assertEqual(documents.missing_files(page, SOURCE),
                         ["line 3: tests/docs/gone.py is not there", "line 3: tests/gone/ is not there"])

    def test_runs_blocks_in_order_in_one_shell_and_skips_others(self) -> None:
        status, said = self.run_page("```sh\nx=1; touch a\n```\n\n```gpu\nfalse\n```\n\n```sh\ntest -e a; echo x=$x; ls config\n```\n")
        self.assertEqual(status, 0, said)
        self.assertIn("x=1", said)
        self.assertIn("tasks", said)

    def test_a_command_that_fails_ends_the_page_with_its_line(self) -> None:
        status, said = self.run_page("```sh\ntrue\n```\n\n```sh\nkevolve fsck none\necho on\n```\n")
        self.assertEqual(status, 3)
        self.assertIn("line 8: exit status 3: kevolve fsck none", said)
        self.assertNotIn("\non\n", said)

    def test_the_limit_ends_a_page_and_its_processes(self) -> None:
        status, said = self.run_page("```sh\nmkfifo f\ncat f &\necho before\ncat f\necho after\n```\n", limit=0.5)
        self.assertEqual((status, said), (124, "before\n"))


class Documents(unittest.TestCase):
    """The documents as they are."""

    def test_verbs_flags_and_tags(self) -> None:
        for page in pages():
            with self.subTest(page.relative_to(SOURCE)):
                self.assertEqual(documents.parse_errors(page, INTERFACE), [])

    def test_links(self) -> None:
        for page in all_pages():
            with self.subTest(page.relative_to(SOURCE)):
                self.assertEqual(documents.broken_links(page), [])

    def test_files_that_are_named(self) -> None:
        for page in all_pages():
            with self.subTest(page.relative_to(SOURCE)):
                self.assertEqual(documents.missing_files(page, SOURCE), [])

    def test_the_readme_is_short(self) -> None:
        self.assertLessEqual(len((SOURCE / "README.md").read_text().splitlines()), README_LINES)


class Blocks(unittest.TestCase):
    """The commands of each page that has some: test_tutorial of docs/tutorial.md. Those of pytorch*.md need PyTorch."""


for each in pages():
    if any(b.tag in documents.RUN for b in documents.blocks_of(each.read_text())):
        setattr(Blocks, "test_" + each.stem.lower().replace("-", "_"), functools.partialmethod(run_blocks_of, each))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main(verbosity=1)
