"""Files that were clean are not looked at again, and words that break a rule are found."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[2] / "tools" / "lib"
LINT = str(LIBRARY / "lint_words.py")
sys.path.insert(0, str(LIBRARY))

import comments
import lint
import word_rules


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


def comment_texts(path: str, text: str) -> list[tuple[int, str]]:
    """Returns number and text of each comment line that has a text."""
    return [(line.number, line.text) for line in comments.of(path, text) if line.text]


class Comments(unittest.TestCase):
    """The comments that each language's scanner finds, and no text that only looks like one."""

    def test_cpp_literals_hold_no_comment(self) -> None:
        text = """auto a = "http:// What"; // one
auto b = R"x(// no " no)x"; auto c = '"'; // two
auto d = 1'000'000; // three
/* four
 * five */ auto e = "\\"; // six
"""
        self.assertEqual(
            comment_texts("a.cpp", text), [(1, "one"), (2, "two"), (3, "three"), (4, "four"), (5, "five"), (5, "six")]
        )

    def test_typescript_templates_and_regular_expressions_hold_no_comment(self) -> None:
        text = """const a = `// no ${b /* one */ + `${{ c: 1 }.c} // no`} // no`; // two
const d = e.replace(/["'`/]\/\//g, "'"); // three
const f = g / 2; // four / 5
"""
        self.assertEqual(comment_texts("a.ts", text), [(1, "one"), (1, "two"), (2, "three"), (3, "four / 5")])

    def test_a_lone_quote_in_jsx_ends_with_its_line(self) -> None:
        text = """const a = <p>It's here</p>; // one
// two
const b = <p>{/* three */}</p>;
"""
        self.assertEqual(comment_texts("a.tsx", text), [(2, "two"), (3, "three")])

    def test_python_comments_and_docstrings_are_found_and_other_strings_are_not(self) -> None:
        text = '''#!/usr/bin/env python3
"""One.

Two."""
a = "# no"  # three


def f():
    """Four."""
    b = """# no"""
'''
        self.assertEqual(comment_texts("a.py", text), [(2, "One."), (4, "Two."), (5, "three"), (9, "Four.")])

    def test_a_docstring_that_is_a_launch_plan_is_data(self) -> None:
        self.assertEqual(comments.of("a.py", '"""launch plan\n[[configuration]]"""\n'), [])

    def test_a_python_source_with_an_error_has_no_comments(self) -> None:
        self.assertEqual(comments.of("a.py", "def (  # What\n"), [])

    def test_a_hash_in_quotes_or_in_a_word_begins_no_comment(self) -> None:
        text = """#!/bin/sh
a="# no" # one
b=${c#no}; d=$#
# two
"""
        self.assertEqual(comment_texts("a.sh", text), [(2, "one"), (4, "two")])
        self.assertEqual(comment_texts("CMakeLists.txt", "set(a) # one\n"), [(1, "one")])

    def test_prose_of_a_document_leaves_out_code_tables_headings_and_addresses(self) -> None:
        text = """# No

One `no
no` [two](no.md).
- three

| no |
```sh
no
```
"""
        prose = [(line.number, line.text) for line in comments.of_markdown(text) if line.text]
        self.assertEqual(prose, [(3, "One code"), (4, "[two]."), (5, "three")])

    def test_an_unknown_language_has_no_comments(self) -> None:
        self.assertEqual(comments.of("a.txt", "# What\n"), [])


class Words(unittest.TestCase):
    """Places that break a rule of words."""

    def headless(self, text: str, path: str = "a.cpp") -> list[int]:
        return [number for number, _ in word_rules.headless(comments.of(path, text))]

    def long(self, text: str, path: str = "a.cpp") -> list[tuple[int, int]]:
        return [(first, last) for first, last, _ in word_rules.long_sentences(comments.of(path, text))]

    def test_a_missing_noun_is_found_where_the_comment_begins(self) -> None:
        text = "// What it is.\nint a; // Whether it is.\n// The store keeps it. Said by whoever\n// Of it all.\n"
        self.assertEqual(self.headless(text), [1, 2])
        self.assertEqual(self.headless('"""What it is."""\na = 1  # Of it.\n# A line.\n', "a.py"), [1, 2])

    def test_a_new_sentence_on_a_line_of_its_own_begins_a_comment(self) -> None:
        self.assertEqual(self.headless("// The first.\n// Those that follow.\n"), [2])

    def test_a_comment_after_other_code_begins_anew(self) -> None:
        self.assertEqual(self.headless("// The first\nint a;\n// What follows\n"), [3])

    def test_a_clause_with_where_is_a_beginning_only_with_a_main_clause(self) -> None:
        self.assertEqual(self.headless("// Where it lies.\n"), [1])
        self.assertEqual(self.headless("// Where two meet, the first counts.\n"), [])

    def test_a_sentence_has_at_most_25_words_over_all_its_lines(self) -> None:
        words = " ".join(["word"] * 13)
        self.assertEqual(self.long(f"// The\n// {words}\n// {words}.\n"), [(1, 3)])
        self.assertEqual(self.long(f"// {words}.\n// {words}.\n"), [])
        self.assertEqual(self.long(f"// {words}:\n// {words}.\n"), [])
        self.assertEqual(self.long(f"int a; // {words}\nint b; // {words}\n"), [])

    def test_dashes_and_numbers_alone_are_no_words_and_titles_may_be_long(self) -> None:
        words = " ".join(["word"] * 25)
        self.assertEqual(self.long(f"// {words} – =\n"), [])
        self.assertEqual(self.long(f"// As known. Source: {words} word word.\n"), [])
        self.assertEqual(self.long(f"// Source: one. {words} word.\n"), [(1, 1)])
        self.assertEqual(self.long(f"// {words} word\n"), [(1, 1)])

    def test_a_table_is_no_sentence(self) -> None:
        row = "name     " + " ".join(["word"] * 14)
        self.assertEqual(self.long(f'"""Rows.\n\n{row}\n{row}\n"""\n', "a.py"), [])

    def test_a_test_name_without_a_subject_is_found(self) -> None:
        text = """TEST_CASE("what is seen") {}
TEST_CASE("of two, one") {}
TEST_CASE("as few as possible are chosen") {}
TEST_CASE("rejects whatever is wrong") {}
def test_what_is_seen(self):
def test_it_is_what_it_is(self):
"""
        found = word_rules.headless_names(text)
        self.assertEqual(found, [(1, "what is seen"), (2, "of two, one"), (5, "what is seen")])

    def test_a_private_word_is_found_in_names_and_texts_and_an_old_key_is_not(self) -> None:
        text = 'int rival_count;\nconst a = {"rival": 1}; // a Duel\nint arrival; weathered(x);\nreturn lacks(x);\n'
        self.assertEqual(word_rules.private_words(text), [(1, "rival"), (2, "Duel"), (4, "lacks")])


class Findings(unittest.TestCase):
    """The command over a repository of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "store").mkdir()
        self.git("init", "-q")
        self.commit("// What it was.\nint a;\n", "Begin")

    def git(self, *words: str) -> None:
        mine = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *mine, *words], cwd=self.root, check=True, capture_output=True)

    def commit(self, text: str, subject: str) -> None:
        (self.root / "store" / "a.cpp").write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject)

    def lint(self, *words: str) -> tuple[int, list[str]]:
        command = [sys.executable, "-B", LINT, *words]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()

    def test_only_new_lines_count_against_a_revision(self) -> None:
        self.commit("// What it was.\nint a;\nint b; // Whether it is.\n", "Add b")
        found = ["store/a.cpp:3: comment without a subject: Whether it is."]
        self.assertEqual(self.lint("--against", "HEAD~1"), (1, found))
        self.assertEqual(len(self.lint()[1]), 2)

    def test_a_document_is_held_to_the_length_of_sentences(self) -> None:
        (self.root / "README.md").write_text("What it says " + "word " * 25 + ".\n")
        self.commit("int a;\n", "Add a page")
        status, lines = self.lint("--against", "HEAD~1")
        self.assertEqual((status, len(lines)), (1, 1))
        self.assertTrue(lines[0].startswith("README.md:1: sentence of more than 25 words: 28 words: What it says"), lines)

    def test_long_subjects_are_listed(self) -> None:
        self.commit("int a;\n", "A" * 61)
        status, lines = self.lint("--against", "HEAD~1")
        self.assertEqual((status, len(lines)), (1, 1))
        self.assertIn("commit subject of 61 characters", lines[0])

    def test_clean_changes_pass(self) -> None:
        self.commit("int a; // A number.\n", "Say what it is")
        self.assertEqual(self.lint("--against", "HEAD~1"), (0, []))

    def test_counts_of_a_revision_stand_beside_those_of_today(self) -> None:
        self.commit("int rival;\n", "Rename a")
        status, lines = self.lint("--count", "--against", "HEAD~1")
        self.assertEqual(status, 0)
        numbers = {line.split("  ")[-1]: line.split()[:2] for line in lines[1:]}
        self.assertEqual(numbers["comment without a subject"], ["1", "0"])
        self.assertEqual(numbers["private word"], ["0", "1"])


if __name__ == "__main__":
    unittest.main()
