// Moves against a candidate's bottleneck, on the loops that take its time.
#include "tests/support/nest.hpp"

#include "backends/generators/transform/checked_reference.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/plans/emphasis.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

namespace kevolve::test {

using namespace transform;

namespace {

// Returns the line, from 1, that holds the text.
uint32_t line_of(const std::string& source, const std::string& text) {
  std::istringstream in{source};
  std::string line;
  for (uint32_t i = 1; std::getline(in, line); ++i)
    if (line.find(text) != std::string::npos)
      return i;
  return 0;
}

// Returns how many of so many children of a candidate add a move of that name.
int children_with(synthesis_context c, const std::string& name, int children) {
  int out = 0;
  auto maker = make_generator("transform").value();
  for (int i = 0; i < children; ++i) {
    c.seed = static_cast<uint64_t>(i);
    if (const auto p = maker->propose(c))
      out += p->genome.find(name + "(") != std::string::npos ? 1 : 0;
  }
  return out;
}

} // namespace

TEST_CASE("the lines of loops are those of the printed program") {
  if (!have_clang())
    return;
  const auto n = load_nest("gemm");
  auto p = read(n);
  const auto env = environment_of(n, p);
  for (const auto* genome : {"", "vectorise(L1,16); jam(L0,2)", "tile(L2,64)", "unroll(L2,4)"}) {
    auto made = p;
    const auto moves = parse_genome(genome).value_or(transform::genome{});
    for (const auto& m : moves)
      REQUIRE(transform::apply(made, m, env));
    const auto text = print_program(made, "/* one\n   two */\n");
    const auto loops = lines_of_loops(made, text);
    REQUIRE_FALSE(loops.empty());
    std::vector<std::string> lines{""};
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);)
      lines.push_back(line);
    for (const auto& l : loops) {
      CAPTURE(l.label);
      REQUIRE(l.last < lines.size());
      CHECK(lines[l.first].find("for (") != std::string::npos);
      CHECK(lines[l.last].find('}') != std::string::npos);
    }
  }
  CHECK(lines_of_loops(p, "another text").empty());
}

TEST_CASE("moves against the bottleneck are emphasised on the loops around the hot line alone") {
  if (!have_clang())
    return;
  const auto n = load_nest("gemm");
  const auto p = read(n);
  const auto text = print_program(p, "");
  move_emphasis wanted;
  wanted.factor = 3.0;
  wanted.bound = "latency_chain"; // split_accumulators, jam, reassociate, unroll
  const auto everywhere = emphasis_of(wanted, p, p, text, "");
  CHECK(everywhere.factor_of({"unroll", {"L2", "4"}}) == 3.0);
  CHECK(everywhere.factor_of({"tile", {"L2", "64"}}) == 1.0);
  CHECK(everywhere.factor_of({"reassociate", {}}) == 3.0);
  const auto loops = lines_of_loops(p, text);
  REQUIRE(loops.size() == 3);
  wanted.line = static_cast<uint32_t>(loops[1].first);
  const auto outer = emphasis_of(wanted, p, p, text, "");
  CHECK(outer.factor_of({"jam", {loops[0].label, "2"}}) == 3.0);
  CHECK(outer.factor_of({"jam", {loops[1].label, "2"}}) == 3.0);
  CHECK(outer.factor_of({"unroll", {loops[2].label, "4"}}) == 1.0);
  // In a source that keeps the reference as written, behind a header.
  const auto written = line_of(n.source, "for (");
  wanted.line = written + 2;
  const auto as_written = emphasis_of(wanted, p, p, "/*\n*/\n" + n.source, "/*\n*/\n");
  CHECK(as_written.factor_of({"jam", {loops[0].label, "2"}}) == 3.0);
  CHECK(as_written.factor_of({"unroll", {loops[2].label, "4"}}) == 1.0);
  wanted.factor = 1.0;
  CHECK(emphasis_of(wanted, p, p, text, "").factor_of({"unroll", {"L2", "4"}}) == 1.0);
}

TEST_CASE("a generator draws emphasised moves more often, and the same ones for the same seed") {
  if (!have_clang())
    return;
  const auto n = load_nest("softmax");
  auto c = context_of(n);
  c.seed = 1;
  auto maker = make_generator("transform").value();
  const auto first = maker->propose(c).value();
  ancestor parent;
  parent.genome = first.genome;
  parent.source = first.source;
  parent.verdict = "pass";
  parent.speedup = 2.0;
  c.parents = {parent};
  constexpr int children = 150;
  const auto before = children_with(c, "unroll", children);
  c.emphasis.bound = "latency_chain";
  c.emphasis.factor = 1.0;
  CHECK(children_with(c, "unroll", children) == before);
  c.emphasis.factor = 20.0;
  const auto more = children_with(c, "unroll", children);
  CAPTURE(before);
  CHECK(more > before);
  CHECK(children_with(c, "unroll", children) == more);
}

TEST_CASE("a checked reference computes the same, and needs an assertion that unlocks its loop") {
  if (!have_clang())
    return;
  const auto n = load_nest("gather");
  auto task = n.task;
  const auto source = [&](const nest& of, const std::vector<assertion>& all) {
    auto t = of.task;
    t.assertions = all;
    return checked_reference(t, of.source, of.tree);
  };
  assertion a;
  a.loop = "i";
  const auto scatter = load_nest("scatter");
  const auto checked = source(scatter, {a});
  REQUIRE(checked);
  // Reads of x and of the index are checked as well as the write.
  CHECK(checked->find("kevolve_touch(0, &bins[") != std::string::npos);
  CHECK(checked->find("kevolve_touch(0, &x[i], 0)") != std::string::npos);
  CHECK(checked->find("kevolve_next(0);") != std::string::npos);
  // A loop whose iterations stay apart runs to its end and gives what it gave.
  const auto free_one = load_nest("gemm");
  a.loop.clear();
  a.line = line_of(free_one.source, "for (");
  const auto same = source(free_one, {a});
  REQUIRE(same);
  bench judge{free_one};
  CHECK_FALSE(judge.difference(*same));
  const auto opaque = load_nest("opaque");
  a.line = line_of(opaque.source, "for (");
  const auto refused = source(opaque, {a});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().detail.find("unlocks nothing") != std::string::npos);
}

} // namespace kevolve::test
