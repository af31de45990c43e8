// Steps between candidates with open places, and the same steps at other places.
#include "tests/support/nest.hpp"

#include "backends/generators/transform/plans/schematic.hpp"
#include "backends/generators/transform/plans/suggested.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace kevolve::test {

using namespace transform;

namespace {

genome moves_of(const std::string& text) {
  return parse_genome(text).value();
}

distilled_moves distilled(const nest& n, const std::string& parent, const std::string& child) {
  return make_generator("transform").value()->distil(context_of(n), parent, child).value();
}

move_suggestion suggestion_of(const distilled_moves& step, double weight = 0.5, bool is_trial = false) {
  return {"skill 1a2b3c4d", step.moves, step.pattern, weight, is_trial};
}

} // namespace

TEST_CASE("the difference of two genomes is what the child has and its parent lacks") {
  const auto d = difference_of(moves_of("tile(L0,4); jam(L1,2); math"),
                               moves_of("tile(L0,4); vectorise(L1,8); math; unroll(L2,4)"));
  CHECK(to_string(d.common) == "tile(L0,4); math");
  CHECK(to_string(d.added) == "vectorise(L1,8); unroll(L2,4)");
  CHECK(to_string(difference_of({}, moves_of("jam(L0,2); jam(L0,2)")).added) == "jam(L0,2); jam(L0,2)");
  CHECK(difference_of(moves_of("jam(L0,2); math"), moves_of("math")).added.empty());
}

TEST_CASE("a step is distilled with places in the order of their use, and what they look like") {
  if (!have_clang())
    return;
  const auto n = load_nest("gemm");
  const auto step = distilled(n, "", "tile(L1,16); interchange(L0,L1t); pack(L0,b,L1); vectorise(L1,8); flags(O3)");
  CHECK(step.moves == "tile(_1,16); interchange(_2,_1t); pack(_2,_a1,_1); vectorise(_1,8); flags(O3)");
  CHECK(step.pattern
        == "scalar; _1: middle independent map contiguous; _2: outermost independent map mixed; _a1: input f32 1d; _1 "
           "in _2");
  const auto later = distilled(n, "vectorise(L1,8)", "vectorise(L1,8); jam(L0,2)");
  CHECK(later.moves == "jam(_1,2)");
  CHECK(later.pattern.starts_with("vectors; _1: outermost"));
  const auto nothing = make_generator("transform").value()->distil(context_of(n), "jam(L0,2); math", "math");
  REQUIRE(!nothing);
  CHECK(nothing.error().code == errc::unsupported);
}

TEST_CASE("a distilled step is found again where it comes from") {
  if (!have_clang())
    return;
  const auto n = load_nest("gemm");
  const auto reference = read(n);
  const auto env = environment_of(n, reference);
  for (const auto& text : n.applies) {
    INFO(text);
    const auto steps = suggested_steps({suggestion_of(distilled(n, "", text))}, reference, env);
    REQUIRE(!steps.empty());
    const bool is_there =
        std::any_of(steps.begin(), steps.end(), [&](const auto& s) { return to_string(s.moves) == text; });
    CHECK(is_there);
  }
}

TEST_CASE("a step from one operator applies to loops of its kind in another") {
  if (!have_clang())
    return;
  const auto from = load_nest("softmax");
  const auto to = load_nest("linear");
  const auto step = distilled(from, "", "vectorise(L2,16)");
  const auto reference = read(to);
  const auto steps = suggested_steps({suggestion_of(step)}, reference, environment_of(to, reference));
  REQUIRE(!steps.empty());
  CHECK(steps.front().name == "skill 1a2b3c4d");
  CHECK(to_string(steps.front().moves).starts_with("vectorise(L"));
  double all = 0.0;
  for (const auto& s : steps)
    all += s.weight;
  CHECK(all == doctest::Approx(0.5));
}

TEST_CASE("a step for scalar programs is not tried on one that runs in vectors") {
  if (!have_clang())
    return;
  const auto n = load_nest("gemm");
  auto p = read(n);
  const auto env = environment_of(n, p);
  const auto step = distilled(n, "", "jam(L0,2)");
  CHECK(!suggested_steps({suggestion_of(step)}, p, env).empty());
  REQUIRE(transform::apply(p, {"vectorise", {"L1", "8"}}, env));
  CHECK(suggested_steps({suggestion_of(step)}, p, env).empty());
}

TEST_CASE("nonsense suggests nothing") {
  if (!have_clang())
    return;
  const auto n = load_nest("gemm");
  const auto p = read(n);
  const auto env = environment_of(n, p);
  for (const auto* moves : {"", "vectorise(", "explode(_1)", "tile(_1,0)", "vectorise(L9,8)", "jam(_b1,2)"})
    CHECK(suggested_steps({{"skill 00000000", moves, "scalar; _1: outermost", 1.0, false}}, p, env).empty());
}

TEST_CASE("drafts and children follow suggestions, and say which") {
  if (!have_clang())
    return;
  const auto n = load_nest("gemm");
  auto c = context_of(n);
  c.plans = false;
  c.draft = true;
  c.suggestions = {suggestion_of(distilled(n, "", "tile(L1,16); interchange(L0,L1t); vectorise(L1,8); jam(L0,3)"))};
  const auto g = make_generator("transform").value();
  const auto followed = [&] {
    int out = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      c.seed = seed;
      const auto p = g->propose(c).value();
      out += p.summary == "applies skill 1a2b3c4d" ? 1 : 0;
    }
    return out;
  };
  CHECK(followed() == 40);
  c.draft_index = 1;
  c.suggestions.front().is_trial = true;
  CHECK(followed() == 40);
  c.draft = false;
  ancestor parent;
  parent.genome = "vectorise(L1,8)";
  parent.verdict = "pass";
  c.parents = {parent};
  c.suggestions = {suggestion_of(distilled(n, "vectorise(L1,8)", "vectorise(L1,8); jam(L0,2)"))};
  CHECK(followed() == 40);
  c.seen = {genome_fingerprint("vectorise(L1,8); jam(L0,2)")};
  for (c.seed = 0; c.seed < 10; ++c.seed) // in the tree: it is not tried again
    CHECK(g->propose(c).value().genome != "vectorise(L1,8); jam(L0,2)");
  c.parents.front().verdict = "wrong_result";
  CHECK(followed() == 0);
}

TEST_CASE("drafts try suggestions in the order of their promise, each once") {
  if (!have_clang())
    return;
  const auto n = load_nest("gemm");
  auto c = context_of(n);
  c.plans = false;
  c.draft = true;
  auto small = suggestion_of(distilled(n, "", "jam(L0,2)"), 0.1);
  auto large = suggestion_of(distilled(n, "", "tile(L1,16); interchange(L0,L1t); vectorise(L1,8); jam(L0,3)"), 0.9);
  small.name = "skill 00000001";
  c.suggestions = {small, large};
  const auto g = make_generator("transform").value();
  std::vector<std::string> followed;
  while (followed.size() < 10) {
    c.seed = followed.size();
    const auto p = g->propose(c).value();
    const auto print = genome_fingerprint(p.genome);
    CHECK(!std::binary_search(c.seen.begin(), c.seen.end(), print));
    c.seen.insert(std::upper_bound(c.seen.begin(), c.seen.end(), print), print);
    followed.push_back(p.summary);
  }
  // One has at most four places. Those of the large one come first; then the search goes on by itself.
  const auto is_small = [](const std::string& s) { return s == "applies skill 00000001"; };
  const auto first_small = std::find_if(followed.begin(), followed.end(), is_small);
  REQUIRE(first_small != followed.end());
  CHECK(first_small != followed.begin());
  CHECK(std::all_of(followed.begin(), first_small, [](const auto& s) { return s == "applies skill 1a2b3c4d"; }));
  CHECK(std::find(first_small, followed.end(), "applies skill 1a2b3c4d") == followed.end());
  CHECK(std::count_if(followed.begin(), followed.end(), is_small) <= 4);
}

TEST_CASE("a step is drawn by the square of its weight, and the greatest weight is the most promising") {
  const suggested_step light{"light", {}, 1.0};
  const suggested_step heavy{"heavy", {}, 3.0};
  const std::vector<const suggested_step*> both{&light, &heavy};
  CHECK(most_promising(both) == &heavy);
  splitmix64 random{1};
  int heavier = 0;
  for (int i = 0; i < 1'000; ++i)
    heavier += drawn(both, random) == &heavy ? 1 : 0;
  CHECK(heavier > 860); // 900 are expected, with a standard deviation of 10
  CHECK(heavier < 940);
}

TEST_CASE("without suggestions a proposal is what it was before there were any") {
  if (!have_clang())
    return;
  const auto n = load_nest("softmax");
  auto c = context_of(n);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    c.seed = seed;
    c.suggestions.clear();
    const auto without = make_generator("transform").value()->propose(c).value();
    c.suggestions = {{"skill 00000000", "explode(_1)", "scalar", 1.0, false}}; // fits nowhere
    const auto with = make_generator("transform").value()->propose(c).value();
    CHECK(with.genome == without.genome);
    CHECK(with.source == without.source);
  }
}

} // namespace kevolve::test
