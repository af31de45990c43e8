#include "actors/knowledge/code_search.hpp"
#include "actors/knowledge/hardware_class.hpp"
#include "actors/knowledge/retrieval.hpp"
#include "tests/knowledge/documents.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace kevolve;
using namespace kevolve::testing;
using namespace kevolve::knowledge;

namespace {

std::string keys(const std::string& targets, const std::string& signals, const std::string& more = {}) {
  return "category = \"guidance\"\ntargets = " + targets + "\nsignals = " + signals + "\n" + more;
}

knowledge_base base() {
  std::vector<document> all;
  all.push_back(read("any/start", document_text(keys("[\"any\"]", R"(["family:reduction"])", "phases = [\"draft\"]"),
                                                {{"First", "Begin a reduction with the plain loop."}})));
  all.push_back(read("cpu/sums", document_text(keys("[\"cpu\"]", R"(["bound:scalar_code", "family:reduction"])"),
                                               {{"Accumulators", "Several independent accumulators hide the latency."},
                                                {"Flags", "A flag set may allow reassociation of additions."}})));
  all.push_back(
      read("cpu/branches", document_text(keys("[\"cpu\"]", R"(["bound:branch_misses", "family:sort_search"])"),
                                         {{"Selects", "Turn a branch into a select."}})));
  all.push_back(read("cuda/sums", document_text(keys("[\"cuda\"]", R"(["bound:scalar_code", "family:reduction"])"),
                                                {{"Shuffles", "Sum over a warp by shuffles."}})));
  all.push_back(read("cpu/zen4", document_text(keys("[\"cpu\"]", R"(["bound:scalar_code"])", "hardware = [\"zen4\"]"),
                                               {{"Wide", "Vectors of 512 bits take two cycles."}})));
  auto out = knowledge_base::of(std::move(all));
  REQUIRE(out);
  return std::move(*out);
}

retrieval_request about(const std::vector<std::string>& signals, const std::string& text = {}) {
  retrieval_request out;
  for (const auto& s : signals) {
    REQUIRE_MESSAGE(parse_signal(s), s);
    out.signals.push_back(*parse_signal(s));
  }
  out.text = text;
  return out;
}

std::vector<std::string> titles(const retrieval& r) {
  std::vector<std::string> out;
  for (const auto& s : r.sections)
    out.push_back(s.title);
  return out;
}

using list = std::vector<std::string>;

} // namespace

TEST_CASE("signals choose the documents, words the sections of these") {
  const auto b = base();
  const auto flags =
      retrieve(b, about({"target:cpu", "phase:refine", "hardware:zen3", "bound:scalar_code"}, "reassociation"));
  CHECK(titles(flags) == list{"cpu/sums: Flags", "cpu/sums: Accumulators"});
  const auto sums =
      retrieve(b, about({"target:cpu", "phase:refine", "hardware:zen3", "bound:scalar_code"}, "accumulators"));
  CHECK(titles(sums) == list{"cpu/sums: Accumulators", "cpu/sums: Flags"});
  CHECK(sums.trace.documents == 5);
  CHECK(sums.trace.admitted == 2);
  CHECK(sums.trace.matched == 1);
  CHECK(sums.trace.sections.front().matched == list{"bound:scalar_code"});
  CHECK(sums.trace.sections.front().text_score > 0.0);
  // A document of no matching signal is not quoted, although it holds the words.
  CHECK(
      titles(retrieve(b, about({"target:cpu", "phase:refine", "hardware:zen3", "bound:branch_misses"}, "accumulators")))
      == list{"cpu/branches: Selects"});
}

TEST_CASE("target, hardware and phase of the step leave out documents for others") {
  const auto b = base();
  const auto draft = retrieve(b, about({"target:cuda", "phase:draft", "family:reduction"}));
  CHECK(titles(draft) == list{"cuda/sums: Shuffles", "any/start: First"});
  CHECK(titles(retrieve(b, about({"target:cuda", "phase:repair", "family:reduction"}))) == list{"cuda/sums: Shuffles"});
  const auto zen4 = titles(retrieve(b, about({"target:cpu", "phase:refine", "hardware:zen4", "bound:scalar_code"})));
  REQUIRE_FALSE(zen4.empty());
  CHECK(zen4.front() == "cpu/zen4: Wide"); // the very hardware comes first
  // Hardware that is unknown leaves nothing out.
  CHECK(retrieve(b, about({"target:cpu", "phase:refine", "bound:scalar_code"})).trace.admitted == 3);
}

TEST_CASE("without a document about any signal the words alone choose") {
  const auto b = base();
  const auto found = retrieve(b, about({"target:cpu", "phase:refine", "verdict:crashed"}, "a branch and a select"));
  CHECK(titles(found) == list{"cpu/branches: Selects"});
  CHECK(found.trace.matched == 0);
  CHECK(titles(retrieve(b, about({"target:cpu", "phase:refine"}, "nothing of this"))).empty());
}

TEST_CASE("the trace says what the budget and the limits have cut") {
  const auto b = base();
  auto wanted = about({"target:cpu", "phase:draft", "bound:scalar_code", "family:reduction"}, "accumulators");
  const auto all = retrieve(b, wanted);
  CHECK(all.sections.size() == 4);
  wanted.tokens = all.trace.sections.front().tokens;
  const auto small = retrieve(b, wanted);
  REQUIRE(small.sections.size() == 1);
  CHECK(small.sections.front().title == all.sections.front().title);
  CHECK(small.trace.sections.front().outcome == "quoted");
  for (size_t i = 1; i < small.trace.sections.size(); ++i)
    CHECK(small.trace.sections[i].outcome == "budget");
  wanted.tokens = 6'000;
  wanted.most_sections = 2;
  CHECK(retrieve(b, wanted).trace.sections.back().outcome == "enough");
  wanted.most_sections = 4;
  wanted.most_per_document = 1;
  const auto one_each = retrieve(b, wanted).trace.sections;
  CHECK(std::count_if(one_each.begin(), one_each.end(), [](const auto& s) { return s.outcome == "document"; }) == 1);
}

TEST_CASE("a search by words finds other endings, and takes any text") {
  const auto b = base();
  CHECK(search(b, "hide latencies", {}, 1'000).front().title == "cpu/sums: Accumulators");
  CHECK(search(b, "shuffle", {{signal_kind::target, "cpu"}}, 1'000).empty());
  CHECK(search(b, "\" OR (NEAR * - ^ ;", {}, 1'000).empty());
  CHECK(search(b, "", {}, 1'000).empty());
  CHECK(search(b, "accumulators", {}, 1).empty()); // larger than the budget
}

TEST_CASE("a bad document of an operator's folder is named, and the others are served") {
  const auto folder = std::filesystem::temp_directory_path() / ("knowledge-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream{folder / "good.md"} << document_text(keys("[\"cpu\"]", R"(["family:sparse"])"),
                                                     {{"Rows", "Short rows."}});
  std::ofstream{folder / "bad.md"} << document_text(keys("[\"cpu\"]", R"(["family:sparce"])"),
                                                    {{"Rows", "Short rows."}});
  std::ofstream{folder / "Bad Name.md"} << "x";
  const auto b = knowledge_base::load({folder.string(), (folder / "missing").string()});
  std::filesystem::remove_all(folder);
  REQUIRE(b);
  CHECK(b->find("own/good") != nullptr);
  CHECK(b->find("own/bad") == nullptr);
  const auto problems = to_string(b->problems());
  CAPTURE(problems);
  CHECK(problems.find("bad.md:6:12: signals[0]: 'sparce' is no value of 'family'; did you mean 'sparse'?")
        != std::string::npos);
  CHECK(problems.find("joined by hyphens") != std::string::npos);
  CHECK(problems.find("knowledge.folders: cannot be read") != std::string::npos);
}

TEST_CASE("the code that a reference names is quoted with its section") {
  const auto folder = std::filesystem::temp_directory_path() / ("references-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "own");
  std::filesystem::create_directories(folder / "code");
  std::ofstream{folder / "own/a.md"} << document_text(
      keys("[\"cpu\"]", R"(["family:sparse"])"), {{"Rows", "As in [rows.c#short_rows]."}, {"Gone", "[rows.c#gone]"}});
  std::ofstream{folder / "code/rows.c"} << "int first;\nvoid short_rows(void) {\n  first = 1;\n}\nint last;\n";
  const auto code = code_roots::open({(folder / "code").string()});
  REQUIRE(code);
  const auto b = knowledge_base::load({(folder / "own").string()}, &*code);
  std::filesystem::remove_all(folder);
  REQUIRE(b);
  const auto* d = b->find("own/a");
  REQUIRE(d != nullptr);
  CHECK(quoted(*d, d->sections[0]).text
        == "As in [rows.c#short_rows].\nThe code that it names:\nrows.c:2\nvoid short_rows(void) {\n  first = 1;\n}\n");
  CHECK(quoted(*d, d->sections[1]).text == "[rows.c#gone]\n");
}

TEST_CASE("a diagnosis looks up sections by words alone, and nothing is quoted twice") {
  const auto b = base();
  auto wanted =
      about({"target:cpu", "phase:refine", "hardware:zen3", "bound:scalar_code"}, "turn a branch into a select");
  wanted.words_alone = true;
  CHECK(titles(retrieve(b, wanted)) == list{"cpu/branches: Selects"});
  wanted.known = {"cpu/branches: Selects"};
  const auto again = retrieve(b, wanted);
  CHECK(again.sections.empty());
  CHECK(again.trace.sections.front().outcome == "known");
}

TEST_CASE("hardware classes are read from what a target says about its machine") {
  const auto milan = "machine: AMD EPYC (family 25, model 1), Linux 6.1, x86_64";
  CHECK(hardware_classes(milan) == list{"x86-64", "zen3"});
  CHECK(hardware_classes("machine: AMD EPYC 9654 (family 25, model 17), Linux 6.1, x86_64") == list{"x86-64", "zen4"});
  CHECK(hardware_classes("machine: Intel (family 6, model 106), Linux 6.1, x86_64") == list{"x86-64", "icelake"});
  CHECK(hardware_classes("toolchain: nvcc 13.0 for sm_90a") == list{"sm_90"});
  CHECK(hardware_classes("a machine that nobody knows").empty());
}
