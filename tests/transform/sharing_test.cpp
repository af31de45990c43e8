// Programs share what no move has changed: a copy must never see what a move does to another one.
#include "tests/support/nest.hpp"

#include "backends/generators/transform/codegen/print.hpp"

#include <doctest/doctest.h>

namespace kevolve::test {

using namespace transform;

TEST_CASE("a list copies its items when a copy of it is to be changed") {
  shared_list<expr> a{expr{}, expr{}};
  auto b = a;
  CHECK(&a[0] == &b[0]);
  b.change()[0].text = "changed";
  CHECK(a[0].text.empty());
  CHECK(b[0].text == "changed");
  const auto* mine = &b[0];
  CHECK(&b.change()[0] == mine); // nobody else has them: no copy
  CHECK(a.take().size() == 2);
  CHECK(a.empty());
  CHECK(b.size() == 2);
}

TEST_CASE("a move of a copy leaves the programs before it unchanged") {
  if (!have_clang())
    return;
  for (const auto& name : nest_names()) {
    auto n = load_nest(name);
    auto reference = read(n);
    auto env = environment_of(n, reference);
    CAPTURE(name);
    for (const auto& text : n.applies) {
      CAPTURE(text);
      std::vector<std::pair<program, std::string>> steps{{reference, print_program(reference, "")}};
      const auto moves = parse_genome(text).value();
      for (const auto& m : moves) {
        auto p = steps.back().first;
        REQUIRE(transform::apply(p, m, env));
        steps.emplace_back(p, print_program(p, ""));
      }
      for (const auto& [p, printed] : steps)
        CHECK(print_program(p, "") == printed);
    }
  }
}

TEST_CASE("a program that would grow too long is left as it was") {
  if (!have_clang())
    return;
  auto n = load_nest("gemm");
  auto p = read(n);
  auto env = environment_of(n, p);
  const auto moves = parse_genome("jam(L0,6); jam(L1,3)").value();
  for (const auto& m : moves)
    REQUIRE(transform::apply(p, m, env));
  auto before = print_program(p, "");
  for (const auto* text : {"jam(L0,64)", "vectorise(L2,32)"}) { // copies of the body; loads lane by lane
    CAPTURE(text);
    auto done = transform::apply(p, parse_genome(text)->front(), env);
    REQUIRE_FALSE(done);
    CHECK(done.error().detail.find("too long") != std::string::npos);
    CHECK(print_program(p, "") == before);
  }
}

} // namespace kevolve::test
