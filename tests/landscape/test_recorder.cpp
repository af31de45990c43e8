// The recorder with the real generator, compiler and judge, on a tiny shape.
#include "tools/bench/landscape/recorder.hpp"

#include "tests/landscape/made_up.hpp"
#include "tools/bench/landscape/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>

using namespace kevolve;
using namespace kevolve::bench;

TEST_CASE("a record goes on where it was stopped, and the fastest are measured again") {
  record_options o;
  o.bin = environment("KEVOLVE_BIN");
  o.task = environment("KEVOLVE_SOURCE") + "/config/tasks/softmax_rows.task.toml";
  o.out = "landscape-test-recorded";
  o.sizes = {{"rows", 16}, {"cols", 64}};
  o.seconds = 300.0;
  o.candidates = 2;
  o.again = 1;
  o.compilers = 1;
  std::remove((o.out + ".part").c_str());
  const auto first = record_landscape(o);
  if (!first && first.error().code == errc::unsupported) {
    MESSAGE("skipped: ", first.error().detail);
    return;
  }
  REQUIRE(first);
  CHECK(*first == 2);
  const auto two = read_landscape(o.out);
  REQUIRE(two);
  o.candidates = 4;
  REQUIRE(record_landscape(o));
  const auto four = read_landscape(o.out);
  REQUIRE(four);
  REQUIRE(four->nodes.size() == 5);
  for (size_t i = 1; i <= 4; ++i) {
    const auto& n = four->nodes[i];
    CHECK(n.kind == step_kind::draft);
    CHECK_FALSE(n.genome.empty());
    CHECK(n.compile_s > 0.0);
    if (n.result == verdict::pass && n.same_as == 0)
      CHECK(n.pairs.front().baseline_ns.size() >= 2);
    if (i <= 2)
      CHECK(node_line(n) == node_line(two->nodes[i]));
    for (size_t k = 1; k < i; ++k)
      CHECK(n.genome != four->nodes[k].genome);
  }
  CHECK(std::any_of(four->nodes.begin(), four->nodes.end(), [](const auto& n) { return !n.again.empty(); }));
  CHECK(four->shapes == std::vector<std::string>{"cols=64 rows=16"});

  o.keep_finished = true;
  o.candidates = 6;
  const auto kept = record_landscape(o);
  REQUIRE(kept);
  CHECK(*kept == 4);
  CHECK(to_text(read_landscape(o.out).value()) == to_text(*four));
  auto older = *four;
  older.generator = "transform 0";
  REQUIRE(write_landscape(older, o.out));
  const auto refused = record_landscape(o);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::unsupported);
  CHECK(refused.error().detail.find("transform 0") != std::string::npos);
  o.keep_finished = false;

  o.seed = 2; // another record
  const auto other = record_landscape(o);
  REQUIRE_FALSE(other);
  CHECK(other.error().code == errc::conflict);
  o.sizes = {{"row", 16}};
  const auto unknown = record_landscape(o);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().detail.find("no size 'row'") != std::string::npos);
  std::remove(o.out.c_str());
  std::remove((o.out + ".part").c_str());
}
