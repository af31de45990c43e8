// Configurations of a plan as candidates of their own.
#include "backends/generators/configurations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace kevolve;

namespace {

const std::string source = "\"\"\"launch plan\n[[configuration]]\nB = 1\n\n  [[configuration]] # wide\nB = 2  # more\n"
                           "num_warps = 8\n[sizes]\nt = 'B'\n[[configuration]]\nB = 3\n\"\"\"\nimport triton\n";

synthesis_context around(const std::string& text) {
  synthesis_context c;
  c.form.language = "triton";
  ancestor parent;
  parent.source = text;
  parent.flags = "default";
  c.parents = {parent};
  return c;
}

} // namespace

TEST_CASE("each further configuration becomes a candidate in which it comes first") {
  const auto maker = make_configurations_generator();
  auto context = around(source);
  const auto first = maker->propose(context);
  REQUIRE(first.has_value());
  CHECK(first->source
        == "\"\"\"launch plan\n  [[configuration]] # wide\nB = 2  # more\nnum_warps = 8\n[[configuration]]\nB = 1\n\n"
           "[sizes]\nt = 'B'\n[[configuration]]\nB = 3\n\"\"\"\nimport triton\n");
  CHECK(first->summary == "configuration: B = 2, num_warps = 8");
  CHECK(first->language == "triton");
  CHECK(first->flags == "default");
  context.seen = {genome_fingerprint(first->genome)};
  const auto second = maker->propose(context);
  REQUIRE(second.has_value());
  CHECK(second->source.starts_with("\"\"\"launch plan\n[[configuration]]\nB = 3\n[[configuration]]\nB = 1\n"));
  context.seen.push_back(genome_fingerprint(second->genome));
  std::sort(context.seen.begin(), context.seen.end());
  CHECK(maker->propose(context).error().code == errc::unsupported);
  // A candidate made so is not taken apart again.
  auto child = around(first->source);
  child.parents[0].genome = first->genome;
  CHECK(maker->propose(child).error().code == errc::unsupported);
}

TEST_CASE("steps under way at once begin with different configurations") {
  const auto maker = make_configurations_generator();
  auto context = around(source);
  std::set<std::string> made;
  for (context.seed = 0; context.seed < 3; ++context.seed)
    made.insert(maker->propose(context).value().genome);
  CHECK(made.size() == 2); // as many as there are
}

TEST_CASE("a source without further configurations has nothing to try") {
  const auto maker = make_configurations_generator();
  for (const auto* text : {"", "x", "[[configuration]]", "[[configuration]]\nB = 1\n", "int a[[]];\n"})
    CHECK_MESSAGE(maker->propose(around(text)).error().code == errc::unsupported, text);
  CHECK(maker->propose({}).error().code == errc::unsupported);
  CHECK(with_configuration("x", 0).empty());
  CHECK(with_configuration(source, 0) == source);
}
