#include "tests/knowledge/documents.hpp"

#include "backends/profile/bound_class.hpp"
#include "runtime/base/verdict.hpp"

using namespace kevolve;
using namespace kevolve::testing;
using namespace kevolve::knowledge;

namespace {

const std::string keys = "category = \"guidance\"\ntargets = [\"cpu\"]\nsignals = [\"bound:scalar_code\"]";

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a document is read with its keys, sections, sources and examples") {
  const auto d = read("cpu/a", "+++\n"
                               "title = \"Float sums\"\n"
                               "category = \"hardware\"\n"
                               "targets = [\"cpu\", \"any\"]\n"
                               "languages = [\"c\"]\n"
                               "hardware = [\"zen3\"]\n"
                               "phases = [\"draft\", \"refine\"]\n"
                               "signals = [\"bound:scalar_code\", \"family:reduction\"]\n"
                               "checked = 2026-11-30\n"
                               "[sources]\n"
                               "sdm = \"A manual\"\n"
                               "own = \"our own run\"\n"
                               "+++\n"
                               "## A sum waits for itself\n"
                               "See [src/a.c#sum] and [a link](x.md#y).\n"
                               "```c\n"
                               "# define X 1\n"
                               "```\n"
                               "Source: sdm; own\n"
                               "\n"
                               "## Second\n"
                               "Text.\n"
                               "Source: own\n");
  CHECK(d.title == "Float sums");
  CHECK(d.category == category::hardware);
  CHECK(d.hardware == std::vector<std::string>{"zen3"});
  CHECK(d.signals == std::vector<signal>{{signal_kind::bound, "scalar_code"}, {signal_kind::family, "reduction"}});
  CHECK(d.checked == "2026-11-30");
  CHECK(d.sources.at("sdm") == "A manual");
  REQUIRE(d.sections.size() == 2);
  CHECK(d.sections[0].heading == "A sum waits for itself");
  CHECK(d.sections[0].line == 14);
  CHECK(d.sections[0].sources == std::vector<std::string>{"sdm", "own"});
  CHECK(d.sections[0].text == "See [src/a.c#sum] and [a link](x.md#y).\n```c\n# define X 1\n```\n");
  REQUIRE(d.sections[0].examples.size() == 1);
  CHECK(d.sections[0].examples[0].language == "c");
  CHECK(d.sections[0].examples[0].text == "# define X 1\n");
  CHECK(d.sections[0].examples[0].line == 17);
  CHECK(d.sections[0].references == std::vector<code_reference>{{"src/a.c", "sum", 15, 5}});
  CHECK(d.sections[1].references.empty());
}

TEST_CASE("every error of a document is named at once, with its line, its key and what to do") {
  const auto errors = errors_of("+++\n"
                                "title = 3\n"
                                "category = \"guidanse\"\n"
                                "targets = [\"gpu\"]\n"
                                "signals = [\"bound:scalar_cod\", \"verdikt:crashed\", \"phase:draft\"]\n"
                                "checked = \"2026-11-30\"\n"
                                "kind = \"x\"\n"
                                "[sources]\n"
                                "book = \"A book\"\n"
                                "unused = \"Another\"\n"
                                "+++\n"
                                "## One\n"
                                "Text.\n"
                                "Source: book; bok\n"
                                "## Two\n"
                                "Text.\n");
  CAPTURE(errors);
  for (const auto* part :
       {"a.md:2:9: title: expected text, found an integer", "a.md:3:12: category:", "did you mean 'guidance'?",
        "a.md:4:12: targets[0]:",
        "a.md:5:12: signals[0]: 'scalar_cod' is no value of 'bound'; did you mean 'scalar_code'?",
        "signals[1]: 'verdikt:crashed' is no signal: write kind:value; did you mean 'verdict'?",
        "signals[2]: 'phase:draft' is no signal", "a.md:6:11: checked: expected a day without quotes",
        "a.md:7:8: kind: no document has the key 'kind'",
        "a.md:14:15: Source: 'bok' is no key of [sources]; did you mean 'book'?",
        "a.md:15:1: Source: section 'Two' ends without a line 'Source: KEY; KEY'",
        "a.md:10:1: sources.unused: no section names this source"}) {
    CAPTURE(part);
    CHECK(holds(errors, part));
  }
}

TEST_CASE("text outside of front matter and sections is refused") {
  CHECK(holds(errors_of("# Title\n"), "a.md:1:1: a document begins with a line +++"));
  CHECK(holds(errors_of("+++\ntitle = \"x\"\n"), "the front matter does not end"));
  CHECK(holds(errors_of(document_text(keys, {})), "no section"));
  CHECK(errors_of(document_text(keys, {{"One", "Text."}})) == "");
  const auto with = [](const std::string& body) { return errors_of(document_text(keys, {{"One", body}})); };
  CHECK(holds(with("Text.\n# Larger"), "a.md:12:1: a section begins with ##"));
  CHECK(holds(with("```\nint x;\n```"), "a fence needs a language"));
  CHECK(holds(with("```c\nint x;"), "a.md:11:1: a fence is not closed"));
  CHECK(holds(with("Text.\nSource: book\nmore"), "text after the Source line"));
}

TEST_CASE("a reference to code that cannot be one is an error, and other brackets are none") {
  const auto with = [](const std::string& body) { return errors_of(document_text(keys, {{"One", body}})); };
  for (const auto* wrong : {"[src/a.c#x-y]", "[/src/a.c#x]", "[../a.c#x]", "[a.c#1st]", "[src/a b.c#x]", "[a.c#]"}) {
    CAPTURE(wrong);
    CHECK(holds(with("See " + std::string{wrong} + "."),
                "a.md:11:5: " + std::string{wrong} + ": is no reference to code: write [file#symbol]"));
  }
  for (const auto* other : {"[issue #3]", "[C#]", "[a link](x.md#1-y)", "[a.c#x]", "x[i]"}) {
    CAPTURE(other);
    CHECK(with("See " + std::string{other} + ".") == "");
  }
}

TEST_CASE("errors of the sections are named beside those of the keys, and the sections are read") {
  std::vector<document_section> sections;
  const auto d = read_document("+++\ntitle = 3\n+++\n# One\nSee [src/a.c#sum].\n", "a.md", "own/a", &sections);
  REQUIRE_FALSE(d);
  CHECK(holds(to_string(d.error()), "a.md:2:9: title:"));
  CHECK(holds(to_string(d.error()), "a.md:4:1: a section begins with ##"));
  REQUIRE(sections.size() == 1);
  CHECK(sections[0].references == std::vector<code_reference>{{"src/a.c", "sum", 5, 5}});
  const auto broken = read_document("+++\ntitle = \n+++\n# One\n", "a.md", "own/a");
  REQUIRE_FALSE(broken);
  CHECK(holds(to_string(broken.error()), "a.md:4:1: a section begins with ##"));
}

TEST_CASE("the vocabulary has the names of the enumerations, and nothing else") {
  for (auto v = static_cast<uint8_t>(verdict::compile_error); v <= static_cast<uint8_t>(last_value(verdict::none)); ++v)
    CHECK(parse_signal("verdict:" + kevolve::to_string(static_cast<verdict>(v))));
  for (const auto& bound : bound_texts)
    CHECK(static_cast<bool>(parse_signal("bound:" + std::string{bound})) == (bound != "unknown"));
  CHECK_FALSE(parse_signal("verdict:pass"));
  CHECK(parse_signal("dtype:boolean"));
  CHECK(parse_signal("error:constexpr"));
  CHECK_FALSE(parse_signal("bound"));
  CHECK_FALSE(parse_signal("colour:red"));
  for (const auto& row : vocabulary()) {
    CHECK(row.kind == vocabulary()[static_cast<size_t>(row.kind)].kind);
    CHECK((row.weight == 0.0) == is_filter(row.kind));
    for (const auto& value : row.values) {
      const auto s = parse_signal(kevolve::to_string(row.kind) + ":" + value);
      REQUIRE(s);
      CHECK(to_string(*s) == kevolve::to_string(row.kind) + ":" + value);
    }
  }
}
