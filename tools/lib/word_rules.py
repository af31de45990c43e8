"""The rules of CONTRIBUTING.md, "Words", that a program can check: how comments and names of tests begin, how long
sentences are, and which words are private."""

import re
from collections.abc import Iterator, Sequence

from comments import Line

LONGEST_SENTENCE = 25
HEADLESS = ("What", "Whether", "Of", "Who", "Whoever", "Whatever", "Whose", "Those", "How", "Why", "Which", "Whom")
# An open question asked of a value (`// Why it is on hold; empty: it is not`) is headless, too.
# "Where it lies" is headless, and "Where two meet, the first counts" is not: it goes on with a main clause.
# "As few as possible are chosen" has its subject.
BEGINNING = rf"^(?:(?:{'|'.join(HEADLESS)})\b|As\b(?! few\b| many\b)|Where\b[^,]*$)"
STARTS = re.compile(BEGINNING)
NAME_STARTS = re.compile(BEGINNING, re.IGNORECASE)  # names of tests are in lower case
TEST_NAME = re.compile(r'\b(?:TEST_CASE|SUBCASE|TEST_CASE_FIXTURE|SCENARIO)\((?:\w+,\s*)?"([^"]*)"|\bdef test_(\w+)')
SENTENCE_END = re.compile(r"""(?<!\be\.g)(?<!\bi\.e)[.?!]["')\]`*]*\s+|:\s+""")
ITEM = re.compile(r"(?:[-*|•]|\d+[.)])\s|.*\S\s{3,}\S|[\w.-]+ {2,}\S|```")

# Words that the field does not know, with the glossary's. A part of an identifier counts as a word.
PRIVATE = {
    r"courts?": "judge_context",
    r"duels?|duelling": "paired_comparison",
    r"contestants?": "sandboxed_process",
    r"rivals?": "baseline",
    r"complaints?|setbacks?": "rejection, evaluation_error, or message",
    r"lineups?": "test_set",
    r"weather": "noise_monitor, or noise",
    r"cards?": "actor_status",
    r"process_sight": "procfs",
    r"spares": "warm_workers",
    r"dismiss(?:es|ed|ing)?": "terminate, or stop",
    r"replenish(?:es|ed)?": "refill",
    r"get_to_know": "query_device",
    r"crown(?:s|ed|ings?)?|dethroned?": "promote, champion_changed, superseded",
    r"held_results": "pinned_results",
    r"node_ground": "campaign_dependencies",
    r"misread(?=\()|lacks(?=\()": "lint_candidate, missing_requirements",
    r"take_told|told_of": "append_feedback, feedback_evaluations",
    r"own_session": "scheduling_priority",
    r"gives?_back|child_words": "return, message_parser",
}
PRIVATE_WORD = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(PRIVATE)})(?![A-Za-z])", re.IGNORECASE)
# Names in JSON and events of versions before, which are read for good, and written one version longer.
OLD_NAMES = re.compile(
    r'"(?:evidence: )?(?:launches\.|comparison\.|samples\.)?rival(?:_ns|_excess_ns|_failed)?"|champion_crowned'
)


def headless(lines: Sequence[Line]) -> list[tuple[int, str]]:
    """Returns numbers and texts of comments that begin without a subject. A comment of several lines begins once."""
    out = []
    continues = False
    at = 0
    for line in lines:
        follows = continues and line.whole and not line.begins and line.number == at + 1
        if line.text and not follows and STARTS.match(line.text):
            out.append((line.number, line.text))
        # The next whole-line comment goes on with this one, unless this one ended its sentence.
        continues = line.whole and not line.text.endswith((".", ":", ";", ")"))
        at = line.number
    return out


def paragraphs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Yields the lines of each comment, apart where it has an empty line, or a line of a list or a table."""
    part: list[Line] = []
    for line in lines:
        follows = part and part[-1].whole and line.whole and not line.begins and line.number == part[-1].number + 1
        if part and (not follows or not line.text or ITEM.match(line.text.strip())):
            yield part
            part = []
        if line.text:
            part.append(line)
    if part:
        yield part


def long_sentences(lines: Sequence[Line]) -> list[tuple[int, int, str]]:
    """Returns line, end line and text of sentences with too many words; a part before a colon counts as one. The list
    after "Source:" may be long, and so may a line of a table."""
    out = []
    for part in paragraphs(lines):
        words = [(line.number, word) for line in part for word in line.text.split()]
        text = " ".join(word for _, word in words)
        if ITEM.match(part[0].text.strip()):
            continue
        at = 0
        titles = False
        for sentence in SENTENCE_END.sub(lambda m: m[0].rstrip() + "\n", text).split("\n"):
            count = len(sentence.split())
            counted = sum(1 for word in sentence.split() if re.search(r"\w", word))
            if counted > LONGEST_SENTENCE and not titles:
                out.append((words[at][0], words[at + count - 1][0], f"{counted} words: {sentence}"))
            titles = bool(re.fullmatch(r"Sources?:", sentence))
            at += count
    return out


def headless_names(text: str) -> list[tuple[int, str]]:
    """Returns lines and names of tests that begin without a subject, so that they claim nothing."""
    out = []
    for match in TEST_NAME.finditer(text):
        name = match[1] or (match[2] or "").replace("_", " ")
        if NAME_STARTS.match(name):
            out.append((text.count("\n", 0, match.start()) + 1, name))
    return out


def private_words(text: str) -> list[tuple[int, str]]:
    """Returns lines and private words of a text, code and comments alike."""
    masked = OLD_NAMES.sub(lambda m: " " * len(m[0]), text)
    return [(text.count("\n", 0, m.start()) + 1, m[0]) for m in PRIVATE_WORD.finditer(masked)]
