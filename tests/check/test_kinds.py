"""Names of kinds and rules: each stands in its table, and nobody else compares strings with it."""

import functools
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("actors", "backends", "config", "runtime", "store", "tools")
# Patterns of the places where a rule is given or compared.
RULES = (
    r'verdict::\w+,\s*(?:[^",;(){}]*\?\s*)?"([a-z_]+)"(?:\s*:\s*"([a-z_]+)")?',
    r'\brule\s*=[^;"=(]*"([a-z_]+)"(?:\s*:\s*"([a-z_]+)")?',
    r'\brule\s*[=!]=\s*"([a-z_]+)"',
    r'(?:end_without_candidate|give_up)\(self,(?:\s*index,)?\s*"([a-z_]+)"',
    r'refuse\(self, m, [^,;]+,\s*"([a-z_]+)"',
    r'return object_refusal\{"([a-z_]+)"',
    r'Refused\("([a-z_]+)"',
    r'f"refused ([a-z_]+)',
    r'const char\*\s+(?:\w+_rule|same_object)\s*=\s*"([a-z_]+)"',
)


def table(path: str, pattern: str) -> set[str]:
    """Returns the names that a table of the base declares."""
    return set(re.findall(pattern, (ROOT / path).read_text()))


@functools.cache
def sources() -> dict[Path, str]:
    """Returns the text by path, of every source file of the programs."""
    return {
        path.relative_to(ROOT): path.read_text()
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".cpp", ".hpp", ".py") and "bench" not in path.parts
    }


def rules_in(text: str) -> set[str]:
    """Every rule that the text gives or compares with."""
    return {name for pattern in RULES for m in re.finditer(pattern, text) for name in m.groups() if name}


def lists_of_names(text: str, names: set[str]) -> list[list[str]]:
    """Lists of strings with two of the names or more; those in which a profile pass says what it reads do not count."""
    code = re.sub(r"//.*", "", text)
    found = re.finditer(r'(p\.targets = \{)?"\w*"(?:\s*,\s*"\w*")+', code)
    lists = [re.findall(r'"(\w*)"', m.group(0)) for m in found if not m.group(1)]
    return [x for x in lists if len(names & set(x)) > 1]


class Kinds(unittest.TestCase):
    """Tables of runtime/base against the code."""

    def test_every_rule_of_a_python_program_stands_in_the_table(self) -> None:
        known = table("runtime/base/verdict_rules.def", r"KEVOLVE_RULE\((\w+),")
        self.assertGreater(len(known), 60)
        # Refusals of a user's file by `kevolve new` are no rules of a verdict.
        programs = {p: x for p, x in sources().items() if p.suffix == ".py" and "kevolve_torch" not in p.parts}
        found = {f"{path}: {rule}": rule for path, text in programs.items() for rule in rules_in(text)}
        self.assertGreater(len(found), 5)
        self.assertEqual([place for place, rule in found.items() if rule not in known], [])

    def test_no_rule_is_a_string_in_cpp(self) -> None:
        files = {p: x for p, x in sources().items() if p.suffix != ".py"}
        self.assertGreater(sum("rule_name::" in x for x in files.values()), 15)
        self.assertEqual([f"{path}: {rule}" for path, text in files.items() for rule in rules_in(text)], [])

    def test_a_rule_is_seen_however_it_is_given(self) -> None:
        for text, names in (
            ('return refuse(verdict::timeout, "call_limit",', {"call_limit"}),
            ('rejection{verdict::cheating,\n    spoke ? "early_done" : "late_write",', {"early_done", "late_write"}),
            ('out.rule = bad ? "nonfinite" : "tolerance";', {"nonfinite", "tolerance"}),
            ('if (refused->rule == "exited")', {"exited"}),
            ('raise Refused("no_entry", f"x")', {"no_entry"}),
        ):
            self.assertEqual(rules_in(text), names)

    def test_nobody_names_a_memory_operator_by_a_string(self) -> None:
        operators = table("runtime/base/memory_operators.hpp", r'"(\w+)"')
        self.assertEqual(operators, {"parent", "siblings", "both", "none"})
        named = re.compile(r'\bmemory (?:=|==|!=) "(?:' + "|".join(operators) + r')"')
        self.assertTrue(named.search('if (step.memory != "none")'))
        found = [f"{path}: {m.group(0)}" for path, text in sources().items() for m in named.finditer(text)]
        self.assertEqual(found, [])

    def test_nobody_compares_strings_with_a_word_of_a_cluster(self) -> None:
        words = table("runtime/base/cluster_words.hpp", r'const char\* \w+ = "(\w+)"')
        words |= table("actors/messages/resource_kinds.hpp", r'const char\* \w+ = "(\w+)"')
        self.assertTrue({"home", "judge", "joined", "live", "kevolve_jobs", "compiler"} <= words)
        compared = re.compile(r'[=!]= "(?:' + "|".join(words) + r')"')
        folders = [("actors", "cluster"), ("actors", "evaluation"), ("store", "postgres"), ("runtime", "node")]
        files = {p: x for p, x in sources().items() if p.parts[:2] in folders and p.suffix != ".py"}
        self.assertGreater(len(files), 100)
        found = [f"{path}: {m.group(0)}" for path, text in files.items() for m in compared.finditer(text)]
        self.assertEqual(found, [])

    def test_nobody_compares_strings_with_a_word_of_these_tables(self) -> None:
        tables = {
            "runtime/base/choice_words.hpp": {"bandit", "rank"},
            "runtime/base/edge_names.hpp": {"zeros", "cancellation"},
            "actors/actor_states.hpp": {"idle", "busy"},
            "actors/messages/document_outcomes.hpp": {"quoted"},
            "backends/nvidia/runner/call_phases.hpp": {"arena", "tensor map"},
        }
        for path, some in tables.items():
            self.assertTrue(some <= table(path, r'const char\* \w+ = "([a-z ]+)"'), path)
        words = set().union(*(table(p, r'const char\* \w+ = "([a-z ]+)"') for p in tables)) - {"kernel", "dead"}
        compared = re.compile(r'[=!]= "(?:' + "|".join(words) + r')"')
        self.assertTrue(compared.search('spec.generator_choice == "bandit"'))
        files = {p: x for p, x in sources().items() if p.suffix != ".py" and p.parts[:3] != ("backends", "generators", "transform")}
        found = [f"{path}: {m.group(0)}" for path, text in files.items() for m in compared.finditer(text)]
        self.assertEqual(found, [])

    def test_nobody_compares_a_verdict_with_a_string(self) -> None:
        names = set(re.findall(r'^    "(\w+)",$', (ROOT / "runtime/base/verdict.cpp").read_text(), re.MULTILINE))
        self.assertTrue({"pass", "none", "cheating"} <= names)
        compared = re.compile(r'\bverdict"?[\])]* [=!]= "(?:' + "|".join(names) + r')"')
        for text in ('a.verdict != "pass"', 'text_at(d, "verdict") == "pass"', 'x["verdict"] == "none"'):
            self.assertTrue(compared.search(text), text)
        files = {p: x for p, x in sources().items() if p.suffix != ".py"}
        found = [f"{path}: {m.group(0)}" for path, text in files.items() for m in compared.finditer(text)]
        self.assertEqual(found, [])

    def test_nobody_names_a_distribution_by_a_string(self) -> None:
        names = table("runtime/base/fill_names.hpp", r'const char\* \w+ = "(\w+)"')
        self.assertEqual(len(names), 7)
        named = re.compile(r'\b(?:distribution|d) (?:=|==|!=) "(?:' + "|".join(names) + r')"')
        self.assertTrue(named.search('a.fill.distribution == "lengths"'))
        files = {p: x for p, x in sources().items() if p.suffix != ".py" and p.name != "contract.hpp"}
        found = [f"{path}: {m.group(0)}" for path, text in files.items() for m in named.finditer(text)]
        self.assertEqual(found, [])

    def test_nobody_names_a_fault_by_a_string(self) -> None:
        kinds = table("runtime/base/fault_kinds.hpp", r'const char\* \w+ = "([a-z_]+)"')
        self.assertTrue({"worker_killed", "sandbox_weak", "cancelled"} <= kinds)
        named = re.compile(r'(?:trouble(?:\.kind [!=]=| =)|infra(?:structure)?\(|fault\{|\bf\.kind [!=]=)[^;\n]*?"(?:' + "|".join(kinds) + r')"')
        self.assertTrue(named.search('out.trouble = {"no_space", why, 0};'))
        self.assertTrue(named.search('if (o.trouble.kind == "cancelled")'))
        found = [f"{path}: {m.group(0)}" for path, text in sources().items() if path.suffix != ".py" for m in named.finditer(text)]
        self.assertEqual(found, [])

    def test_nobody_draws_from_the_standard_library(self) -> None:
        drawn = re.compile(r"#include <random>|\bstd::(?:mt19937\w*|minstd_rand0?|\w+_engine|\w+_distribution|random_device|knuth_b|ranlux\w+)\b")
        for text in ("#include <random>", "std::mt19937_64 random{seed};", "std::normal_distribution<float> normal;", "std::random_device{}()"):
            self.assertTrue(drawn.search(text), text)
        self.assertFalse(drawn.search("std::unique_ptr<compile_engine> engine;"))
        paths = [p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*")) if p.suffix in (".cpp", ".hpp", ".cu")]
        self.assertTrue(any("bench" in p.parts for p in paths))
        found = [f"{p.relative_to(ROOT)}: {m.group(0)}" for p in paths for m in drawn.finditer(p.read_text())]
        self.assertEqual(found, [], "draws of a seed come from runtime/base/random.hpp")

    def test_nobody_lists_the_targets_again(self) -> None:
        targets = table("backends/targets.cpp", r'\{"(\w+)", (?:true|false),')
        self.assertTrue({"cpu", "cuda", "triton", "hip"} <= targets)
        self.assertEqual(lists_of_names('IsMember({"cpu", "cuda"})', targets), [["cpu", "cuda"]])
        self.assertEqual(lists_of_names('{"c", "cuda",\n "triton"}', targets), [["c", "cuda", "triton"]])
        self.assertEqual(lists_of_names('p.targets = {"cuda", "triton"};', targets), [])
        found = [f"{path}: {names}" for path, text in sources().items() for names in lists_of_names(text, targets)]
        self.assertEqual(found, [], "a list of target_names() or language_kinds(), copied")

    def test_nobody_compares_strings_with_a_kind(self) -> None:
        kinds = table("runtime/base/kinds.cpp", r'\.name = "([^"]+)"')
        kinds |= table("runtime/base/policy_kinds.def", r"KEVOLVE_POLICY\((\w+)\)")
        kinds |= table("runtime/base/provider_kinds.cpp", r'\.name = "([^"]+)"')
        kinds |= table("runtime/base/reserved.cpp", r'\{reserved_place::\w+, "([^"]+)"') - {"alias", "framework", "cluster"}
        self.assertTrue({"transform", "hip", "uct", "anthropic", "evolution"} <= kinds)
        compared = re.compile(r'[=!]= "(' + "|".join(map(re.escape, sorted(kinds))) + r')"')
        found = []
        for path, text in sources().items():
            if path.suffix == ".py" or path.parts[:3] == ("backends", "generators", "transform"):
                continue  # those names are words of PyTorch, or of the generator, there
            found += [f"{path}: {m.group(0)}" for m in compared.finditer(text)]
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
