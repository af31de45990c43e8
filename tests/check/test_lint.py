"""Files that were clean are not looked at again, and comments without a subject are found."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

import lint
import lint_words


class Cache(unittest.TestCase):
    """The key under which a clean file is remembered."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "store").mkdir()
        (self.root / "a.cpp").write_text('#include "store/b.hpp"\n#include <vector>\n')
        (self.root / "store" / "b.hpp").write_text('#include "store/c.hpp"\n')
        (self.root / "store" / "c.hpp").write_text("int c;\n")

    def key(self, command: str = "g++ a.cpp") -> str:
        return lint.Contents(self.root).key(command, self.root / "a.cpp")

    def test_the_same_files_and_command_have_the_same_key(self) -> None:
        self.assertEqual(self.key(), self.key())

    def test_a_header_of_a_header_changes_the_key(self) -> None:
        before = self.key()
        (self.root / "store" / "c.hpp").write_text("long c;\n")
        self.assertNotEqual(self.key(), before)

    def test_the_command_and_the_checks_change_the_key(self) -> None:
        before = self.key()
        self.assertNotEqual(self.key("g++ -O3 a.cpp"), before)
        (self.root / ".clang-tidy").write_text("Checks: x\n")
        self.assertNotEqual(self.key(), before)

    def test_only_commands_that_passed_are_remembered(self) -> None:
        self.assertEqual(lint.run("true"), (0, ""))
        self.assertEqual(lint.run("echo 'a: error: x'; echo 'a: note: y'; exit 1"), (1, "a: error: x\n"))


class Comments(unittest.TestCase):
    """Comments that begin without a subject."""

    def test_a_missing_noun_is_found_where_the_comment_begins(self) -> None:
        lines = ["// What it is.", "int a; // Whether it is.", "// The pool keeps it. Said by whoever", "// Of it all."]
        self.assertEqual([n for n, _ in lint_words.headless(lines)], [1, 2])

    def test_a_new_sentence_on_a_line_of_its_own_begins_a_comment(self) -> None:
        self.assertEqual([n for n, _ in lint_words.headless(["// The first.", "// Those that follow."])], [2])

    def test_text_in_quotes_is_no_comment(self) -> None:
        self.assertEqual(lint_words.headless(['auto a = "http:// What is it";']), [])


if __name__ == "__main__":
    unittest.main()
