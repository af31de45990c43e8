// Every nest under tests/transform/nests: what its comments promise holds, and what the moves make of it computes
// what it computes.
#include "tests/support/nest.hpp"

#include "backends/generators/transform/codegen/print.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>

namespace kevolve::test {

using namespace transform;

namespace {

// Returns every 16th nest: the golden corpus holds the sources that the generator makes of all of them.
std::vector<std::string> a_part_of_the_nests() {
  std::vector<std::string> out;
  const auto all = nest_names();
  for (size_t i = 0; i < all.size(); i += 16)
    out.push_back(all[i]);
  return out;
}

// The nest of that name, which is parsed once for all cases.
const nest& parsed(const std::string& name) {
  static std::map<std::string, nest> all;
  const auto found = all.find(name);
  return found != all.end() ? found->second : all.emplace(name, load_nest(name)).first->second;
}

// Applies the moves that each nest's comments name, and compares what the rewritten nest computes.
void check_moves(const std::vector<std::string>& names) {
  if (!have_clang())
    return;
  for (const auto& name : names) {
    const auto& n = parsed(name);
    bench b(n);
    auto reference = read(n);
    auto env = environment_of(n, reference);
    CAPTURE(name);
    CHECK(b.difference(print_program(reference, "")) == std::nullopt);
    CHECK(b.not_cpp(n.source) == std::nullopt);
    for (const auto& text : n.applies) {
      CAPTURE(text);
      auto genome = parse_genome(text);
      REQUIRE(genome);
      CHECK(to_string(*genome) == text);
      auto p = reference;
      for (const auto& m : *genome) {
        auto done = transform::apply(p, m, env);
        CHECK_MESSAGE(done.has_value(), to_string(m), ": ", done ? "" : done.error().detail);
      }
      auto source = print_program(p, "");
      auto wrong = b.difference(source);
      CHECK_MESSAGE(!wrong, wrong.value_or(""), "\n", source);
      if (auto refused = b.not_cpp(source); refused)
        FAIL_CHECK(*refused, "\n", source);
    }
  }
}

// Asks for proposals that grow from one to the next, and compares what each computes with the reference.
void check_proposals(const std::vector<std::string>& names) {
  if (!have_clang())
    return;
  const char* more = std::getenv("KEVOLVE_TRANSFORM_PROPOSALS"); // a longer hunt by hand
  const uint64_t count = more != nullptr ? std::strtoull(more, nullptr, 10) : 4;
  for (const auto& name : names) {
    const auto& n = parsed(name);
    bench b(n);
    auto g = make_generator("transform").value();
    auto c = context_of(n);
    ancestor parent;
    CAPTURE(name);
    for (uint64_t i = 0; i < count; ++i) {
      c.seed = i;
      auto p = g->propose(c);
      REQUIRE_MESSAGE(p, p.error().detail);
      std::vector<std::string> flags;
      if (p->flags == "Ofast")
        flags = {"-ffast-math"};
      auto wrong = b.difference(p->source, flags);
      CHECK_MESSAGE(!wrong, p->genome, ": ", wrong.value_or(""), "\n", p->source);
      // Sequences grow from one proposal to the next.
      parent.genome = p->genome;
      parent.verdict = "pass";
      c.parents = i % 12 == 11 ? std::vector<ancestor>{} : std::vector<ancestor>{parent};
    }
  }
}

} // namespace

TEST_CASE("loops are found independent exactly where the nests say so") {
  if (!have_clang())
    return;
  for (const auto& name : nest_names()) {
    const auto& n = parsed(name);
    auto p = read(n);
    auto env = environment_of(n, p);
    for (const auto& label : n.independent) {
      CAPTURE(name);
      CAPTURE(label);
      REQUIRE(env.facts.count(label) == 1);
      CHECK_MESSAGE(env.facts[label].independent, env.facts[label].reason);
    }
    for (const auto& label : n.carried) {
      CAPTURE(name);
      CAPTURE(label);
      REQUIRE(env.facts.count(label) == 1);
      CHECK_FALSE(env.facts[label].independent);
    }
  }
}

TEST_CASE("moves decline with the reason the nests give") {
  if (!have_clang())
    return;
  for (const auto& name : nest_names()) {
    const auto& n = parsed(name);
    auto reference = read(n);
    auto env = environment_of(n, reference);
    CAPTURE(name);
    for (const auto& [text, reason] : n.declines) {
      CAPTURE(text);
      auto p = reference;
      auto genome = parse_genome(text).value();
      for (size_t i = 0; i + 1 < genome.size(); ++i) // what leads there
        REQUIRE(transform::apply(p, genome[i], env));
      auto done = transform::apply(p, genome.back(), env);
      REQUIRE_FALSE(done);
      CHECK_MESSAGE(done.error().detail.find(reason) != std::string::npos, done.error().detail);
    }
  }
}

TEST_CASE("moves that apply keep the result of a part of the nests") {
  check_moves(a_part_of_the_nests());
}

TEST_CASE("moves that apply keep the result of every nest" * doctest::test_suite("long")) {
  check_moves(nest_names());
}

TEST_CASE("proposals from a part of the nests compute what the reference computes") {
  check_proposals(a_part_of_the_nests());
}

TEST_CASE("proposals from any nest compile and compute what the reference computes" * doctest::test_suite("long")) {
  check_proposals(nest_names());
}

} // namespace kevolve::test
