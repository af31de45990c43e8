"""The comments of a source file in C++, TypeScript, Python, or a language that begins them with #."""

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import PurePath

# C++: literals come before comments at each place, so that a comment's mark inside a literal is none.
CPP = re.compile(
    r"""(?P<line>//[^\n]*)
    | (?P<block>/\*.*?(?:\*/|\Z))
    | R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"
    | "(?:\\.|[^"\\\n])*"
    | (?<![0-9A-Za-z])'(?:\\.|[^'\\\n])*'""",
    re.VERBOSE | re.DOTALL,
)
# TypeScript, without the literals that need the text before them. A lone quote in a text of JSX ends with its line.
TYPESCRIPT = re.compile(
    r"""(?P<line>//[^\n]*)
    | (?P<block>/\*.*?(?:\*/|\Z))
    | "(?:\\.|[^"\\\n])*(?:"|(?=\n)|\Z)
    | '(?:\\.|[^'\\\n])*(?:'|(?=\n)|\Z)
    | (?P<template>`)
    | (?P<brace>[{}])
    | (?P<slash>/)""",
    re.VERBOSE | re.DOTALL,
)
REGEX_LITERAL = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")
BEFORE_REGEX = re.compile(r"(?:[(=,:\[!&|?{};+*%~^]|=>|\breturn|\btypeof|\A)\s*\Z")
TEMPLATE_PART = re.compile(r"(?:\\.|[^`\\$]|\$(?!\{))*(?P<end>`|\$\{|\Z)", re.DOTALL)
# A shell, CMake or TOML comment begins at the line's start or after a space, outside of quotes.
HASH = re.compile(r"""^(?:[^#'"]|'[^']*'|"(?:\\.|[^"\\])*"|(?<=[^\s])\#)*?(?:^|(?<=\s))\#(?P<text>(?!!).*)$""")
HASH_SUFFIXES = (".sh", ".cmake", ".toml")
SUFFIXES = (".cpp", ".hpp", ".py", ".ts", ".tsx", *HASH_SUFFIXES)
# An item of a list in Markdown, and the parts of its text that are code or an address.
ITEM = re.compile(r"(?:[-*]|\d+\.)\s+")
CODE = re.compile(r"`[^`]*`")
ADDRESS = re.compile(r"\]\([^)]*\)")


@dataclass(frozen=True)
class Line:
    """One line of a comment."""

    number: int
    text: str
    whole: bool  # The line has no code, so that the next line's comment may go on with it.
    begins: bool = False  # A block comment or a docstring begins here: it goes on with nothing before it.


def at_lines(text: str, start: int, comment: str, whole: bool) -> list[Line]:
    """Returns the lines of a block of comment that starts at that offset of the text."""
    first = text.count("\n", 0, start) + 1
    lines = [raw.strip() for raw in comment.split("\n")]
    stripped = [raw[1:].strip() if at > 0 and raw.startswith("*") else raw for at, raw in enumerate(lines)]
    return [Line(first + at, line, whole or at > 0, at == 0) for at, line in enumerate(stripped)]


def of_match(text: str, match: re.Match[str]) -> list[Line]:
    """The comment's lines, if the match is a comment."""
    if match.lastgroup not in ("line", "block"):
        return []
    before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    # A comment of JSX stands in braces.
    whole = not before.strip().strip("{")
    if match["line"] is not None:
        number = text.count("\n", 0, match.start()) + 1
        return [Line(number, match["line"].lstrip("/<").strip(), whole)]
    return at_lines(text, match.start(), match["block"].removesuffix("*/").lstrip("/*"), whole)


def of_cpp(text: str) -> list[Line]:
    """Returns the comments of a C++ source."""
    return [line for match in CPP.finditer(text) for line in of_match(text, match)]


def of_typescript(text: str) -> list[Line]:
    """Returns the comments of a TypeScript source, those in the expressions of templates among them."""
    out: list[Line] = []
    depths = [0]  # The open braces in each open expression of a template, the innermost last.
    at = 0
    while match := TYPESCRIPT.search(text, at):
        at = match.end()
        in_template = match["template"] is not None
        if match["slash"] is not None and BEFORE_REGEX.search(text, 0, match.start()):
            literal = REGEX_LITERAL.match(text, match.start())
            at = literal.end() if literal else at
        elif match["brace"] == "{":
            depths[-1] += 1
        elif match["brace"] == "}":
            in_template = depths[-1] == 0 and len(depths) > 1
            if in_template:
                depths.pop()
            else:
                depths[-1] = max(0, depths[-1] - 1)
        out += of_match(text, match)
        if in_template and (part := TEMPLATE_PART.match(text, at)):
            at = part.end()
            if part["end"] == "${":
                depths.append(0)
    return out


def of_python(text: str) -> list[Line]:
    """Returns the comments and docstrings of a Python source, by line. A docstring that is a launch plan is data."""
    out = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            number, column = token.start
            out.append(Line(number, token.string.lstrip("#").strip(), not token.line[:column].strip()))
    nodes: list[ast.AST] = [ast.parse(text)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring and not docstring.startswith("launch plan"):
                first = node.body[0].lineno
                for at, line in enumerate(docstring.split("\n")):
                    out.append(Line(first + at, line.rstrip(), True, at == 0))
        nodes += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt | ast.ExceptHandler)]
    return sorted(out, key=lambda line: line.number)


def of_hash(text: str) -> list[Line]:
    """The comments of a language that begins them with #."""
    out = []
    for number, line in enumerate(text.split("\n"), 1):
        if match := HASH.match(line):
            out.append(Line(number, match["text"].lstrip("#").strip(), not line[: match.start("text") - 1].strip()))
    return out


def of_markdown(text: str) -> list[Line]:
    """Returns the prose of a document by line, without headings, tables and code. A word stands for each code span."""
    out = []
    fenced = False

    def word(span: re.Match[str]) -> str:
        """Returns a word and the ends of lines of a span, which may go on in the next line of its paragraph."""
        return span[0] if "\n\n" in span[0] else "code" + "\n" * span[0].count("\n")

    spans = CODE.sub(word, text.replace("```", "~~~"))
    for number, line in enumerate(spans.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("~~~"):
            fenced = not fenced
        elif not fenced and not stripped.startswith(("#", "|", "<!--")):
            item = ITEM.match(stripped)
            prose = stripped[item.end() :] if item else stripped
            out.append(Line(number, ADDRESS.sub("]", prose), True, bool(item)))
    return out


def of(path: str, text: str) -> list[Line]:
    """Returns the comment lines of a file, in order; none if its language is unknown or it is no Python."""
    name = PurePath(path)
    if name.suffix in (".cpp", ".hpp"):
        return of_cpp(text)
    if name.suffix in (".ts", ".tsx"):
        return of_typescript(text)
    if name.suffix == ".py":
        try:
            return of_python(text)
        except (SyntaxError, tokenize.TokenError):
            return []
    if name.suffix in HASH_SUFFIXES or name.name == "CMakeLists.txt":
        return of_hash(text)
    return []
