#include "actors/knowledge/documents.hpp"
#include "actors/synthesis/memory_report.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

using namespace kevolve;
using namespace kevolve::synthesis;

TEST_CASE("a Markdown file is split into its sections") {
  const auto s =
      split_sections("a.md", "intro\n# One\ntext\n```c\n# no heading\n```\n## Two\n\n#nospace\nmore\n# Empty\n\n");
  REQUIRE(s.size() == 3);
  CHECK(s[0].title == "a.md");
  CHECK(s[0].text == "intro\n");
  CHECK(s[1].title == "a.md: One");
  CHECK(s[1].text == "text\n```c\n# no heading\n```\n");
  CHECK(s[2].title == "a.md: Two");
  CHECK(split_sections("a.md", "").empty());
}

TEST_CASE("sections are found by their titles before their text") {
  const section_source source{{{"Caches", "Blocking keeps tiles of a matrix in the cache."},
                               {"Memory bandwidth", "Stream what is not read again."},
                               {"Debugging", "A crash is an index."},
                               {"Prose", "memory memory memory memory memory memory memory"}}};
  const auto found = source.find({"memory bandwidth", "blocking"}, 1'000);
  REQUIRE(found.size() == 3);
  CHECK(found[0].title == "Memory bandwidth");
  CHECK(found[1].title == "Prose");
  CHECK(found[2].title == "Caches");
  CHECK(source.find({"nothing of this"}, 1'000).empty());
  CHECK(source.find({}, 1'000).empty());
  CHECK(source.find({"crashes"}, 1'000).size() == 1); // matches other endings of a word
}

TEST_CASE("sections beyond the budget are skipped") {
  const section_source source{{{"Vectors one", std::string(4'000, 'x') + " vectors"}, {"Other", "vectors too"}}};
  const auto found = source.find({"vectors"}, 50);
  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "Other");
  CHECK(source.find({"vectors"}, 2'000).size() == 2);
}

TEST_CASE("the processor's own document covers every diagnosis") {
  const auto* root = std::getenv("KEVOLVE_SOURCE");
  REQUIRE_MESSAGE(root != nullptr, "run this test through ctest");
  std::ifstream in{std::string{root} + "/backends/cpu/tactics.md"};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  const section_source source{split_sections("tactics.md", text)};
  std::vector<report_facts> all;
  for (auto v = static_cast<uint8_t>(verdict::compile_error); v <= static_cast<uint8_t>(last_value(verdict::none)); ++v)
    all.emplace_back().result = static_cast<verdict>(v);
  for (const auto& r : {roofline_facts{1e9, 1e6, 0.2, 1e10, 1e10}, roofline_facts{1e6, 1e9, 0.2, 1e10, 1e10},
                        roofline_facts{1e6, 1e6, 0.2, 1e10, 1e10}}) {
    all.emplace_back().result = verdict::pass;
    all.back().roofline = r;
  }
  for (const auto& f : all) {
    const auto report = make_report(f);
    REQUIRE_FALSE(report.findings.empty());
    CAPTURE(report.findings.front().problem);
    CHECK_FALSE(source.find(search_topics(report), 2'000).empty());
  }
}
