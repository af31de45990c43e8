// Products taken in another order, factors taken out of sums, and the blocks that are planned for both.
#include "tests/support/nest.hpp"

#include "backends/generators/transform/plans/plans.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace kevolve::test {

using namespace transform;

namespace {

shape_case shape_of(std::map<std::string, int64_t> sizes) {
  shape_case out;
  out.sizes = std::move(sizes);
  return out;
}

bool offers(const program& p, const environment& env, const std::string& what) {
  const auto all = possible(p, env);
  return std::any_of(all.begin(), all.end(), [&](const choice& c) { return to_string(c.what) == what; });
}

size_t place_of(const std::string& genome, const std::string& what) {
  return genome.find(what);
}

} // namespace

TEST_CASE("another order of products is offered where it takes fewer multiplications at a declared shape") {
  if (!have_clang())
    return;
  auto n = load_nest("reassociated");
  const auto p = read(n);
  CHECK(offers(p, environment_of(n, p), "reassociate(t)")); // nothing is known of the sizes
  n.task.shapes = {shape_of({{"b", 1}, {"n", 64}, {"d", 8}, {"k", 8}})};
  CHECK_FALSE(offers(p, environment_of(n, p), "reassociate(t)"));
  n.task.shapes.push_back(shape_of({{"b", 1}, {"n", 8}, {"d", 64}, {"k", 64}}));
  CHECK(offers(p, environment_of(n, p), "reassociate(t)"));
}

TEST_CASE("sequences begin with the cheaper order of products, and blocks for both of them") {
  if (!have_clang())
    return;
  auto n = load_nest("reassociated");
  const auto p = read(n);
  const auto ideas = plans(p, environment_of(n, p));
  REQUIRE(ideas.size() > 1);
  std::string first;
  for (const auto& g : ideas.front()) {
    CHECK(to_string(g).starts_with("reassociate(t); "));
    first += to_string(g) + "\n";
  }
  // The first product multiplies rows with rows: over a panel that turns them, a tile or all at once, or along the sum.
  CHECK(first.find("interchange(L1,L2t); pack(L1,x,L2); ") != std::string::npos);
  CHECK(first.find("reassociate(t); pack(L1,x,L2); ") != std::string::npos);
  CHECK(first.find("vectorise(L3,16); mask(L3); jam(L2,2); jam(L1,4); ") != std::string::npos);
  CHECK(first.find("vectorise(L5,16)") != std::string::npos);
  CHECK(std::any_of(ideas.begin(), ideas.end(), [](const auto& idea) { // as written, too
    return to_string(idea.front()).find("reassociate") == std::string::npos;
  }));
}

TEST_CASE("loops around two products are joined before these change their order") {
  if (!have_clang())
    return;
  auto n = load_nest("reassociated_batch");
  const auto p = read(n);
  const auto ideas = plans(p, environment_of(n, p));
  REQUIRE(!ideas.empty());
  CHECK(to_string(ideas.front().front()).starts_with("fuse(L0,L4); reassociate(product); "));
}

TEST_CASE("blocks of a convolution share what they load among output channels, within the registers") {
  if (!have_clang())
    return;
  auto n = load_nest("convolution");
  const auto p = read(n);
  const auto known = environment_of(n, p);
  for (const int64_t width : {256, 512}) {
    CAPTURE(width);
    const std::map<std::string, int64_t> hardware{{"vector_bits", width}};
    const environment env{n.task, hardware, known.flag_menu, known.baseline_flags, known.facts};
    const auto ideas = plans(p, env);
    REQUIRE(!ideas.empty());
    for (const auto& g : ideas.front()) {
      const auto text = to_string(g);
      CAPTURE(text);
      const auto channels = place_of(text, "jam(L1,");
      const auto places = place_of(text, "jam(L3,");
      CHECK(place_of(text, "vectorise(L3," + std::to_string(width / 32) + ")") != std::string::npos);
      REQUIRE(channels != std::string::npos);
      REQUIRE(places != std::string::npos);
      CHECK((channels < places) == (width < 512)); // one value a channel at a time, where it needs a register
    }
    for (const auto& idea : ideas)
      for (const auto& g : idea)
        CHECK(place_of(to_string(g), "vectorise(L4,") == std::string::npos); // sums run over it
  }
}

TEST_CASE("factors are offered to be taken out where sums and loops have some") {
  if (!have_clang())
    return;
  auto n = load_nest("factored_sums");
  const auto p = read(n);
  const auto env = environment_of(n, p);
  for (const char* there : {"factor_sum(L1)", "factor_sum(L3)", "factor_sum(L4)", "factor_sum(L5)", "factor_terms(L0)",
                            "factor_terms(L6)", "hoist_products(L3)", "hoist_products(L7)"})
    CHECK_MESSAGE(offers(p, env, there), there);
  for (const char* absent : {"factor_sum(L0)", "factor_sum(L7)", "factor_terms(L4)", "hoist_products(L1)"})
    CHECK_MESSAGE(!offers(p, env, absent), absent);
  const auto gemm = load_nest("gemm");
  const auto product = read(gemm);
  for (const auto& c : possible(product, environment_of(gemm, product)))
    for (const auto* m : {&moves::reassociate, &moves::factor_sum, &moves::factor_terms, &moves::hoist_products})
      CHECK_FALSE(is(c.what, *m));
}

} // namespace kevolve::test
