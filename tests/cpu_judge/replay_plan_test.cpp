// Chooses draws for sanitised replays from input sets without data.
#include "backends/judge/native/replay_findings.hpp"
#include "backends/judge/native/replay_plan.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <cstring>

using namespace kevolve;

namespace {

std::shared_ptr<const input_sets> inputs_of(const std::string& shape, double ns, size_t sets,
                                            edge_kind edge = edge_kind::none, bool held_out = false) {
  auto out = std::make_shared<input_sets>();
  out->shape = shape_of(shape, {}, held_out);
  out->edge = edge;
  out->sets.resize(sets);
  out->reference_ns = {ns};
  return out;
}

} // namespace

TEST_CASE("a replay takes a draw of each group of inputs, then more of those that fit") {
  const auto small = inputs_of("small", 1e4, 32);
  const auto large = inputs_of("large", 1e7, 32);
  const auto zeros = inputs_of("small", 1e4, 6, edge_kind::zeros);
  const auto screen = inputs_of("large", 1e7, 1);
  const auto plan = plan_replay({large, small, zeros, screen}, 1e9, 1e7);
  CHECK(plan.left_out.empty());
  CHECK(plan.draws.size() == 1 + 1 + 32 + 6);
  CHECK(plan.draws.at(0).inputs != large.get());
  CHECK(plan.draws.at(2).inputs != small.get());
  CHECK(describe(plan) == "40 draws on 2 shapes and 1 edge");
}

TEST_CASE("adversarial draws are replayed, and counted apart") {
  const auto small = inputs_of("small", 1e4, 2);
  const auto planned = std::make_shared<input_sets>();
  planned->sets.resize(5);
  planned->reference_ns = {1e4};
  for (auto& set : planned->sets)
    set.draw = "n=3; x all equal to 0";
  const auto plan = plan_replay({small, planned}, 1e9, 1e9);
  CHECK(describe(plan) == "7 draws on 1 shape, 5 of them adversarial");
  CHECK(describe(plan_replay({small, planned}, 1.5 * replay_cost_ns(*small), 0.0)).find("left out: adversarial draws")
        != std::string::npos);
}

TEST_CASE("inputs that are too slow with sanitizers are left out and named") {
  const auto small = inputs_of("small", 1e4, 2);
  const auto slow = inputs_of("slow", 1e9, 2);
  const auto secret = inputs_of("secret", 1e9, 2, edge_kind::large, true);
  const auto plan = plan_replay({slow, secret, small}, 1e9, 1e9);
  CHECK(plan.draws.size() == 2);
  CHECK(describe(plan)
        == "2 draws on 1 shape; too slow with sanitizers, and left out: 'slow', the edge 'large' of a held-out shape");
}

TEST_CASE("a finding is refused by its kind, with the argument that it is beside") {
  wire::replay_finding f = {};
  f.memory = 1;
  f.argument = 3;
  f.behind = 1;
  f.distance = 4;
  std::strcpy(f.key, "heap-buffer-overflow on write 3");
  std::strcpy(f.text, "heap-buffer-overflow on write of 4 bytes");
  const auto memory = refusal_of(poly_task(), f, "no object");
  CHECK(memory.result == verdict::out_of_bounds);
  CHECK(memory.rule == "sanitizer");
  CHECK(memory.detail == "heap-buffer-overflow on write of 4 bytes, 4 bytes after the output 'y'");
  f = {};
  f.line = 12;
  std::strcpy(f.text, "shift exponent 40 is too large\n");
  std::strcpy(f.file, "/a/folder/candidate.c");
  const auto undefined = refusal_of(poly_task(), f, "");
  CHECK(undefined.result == verdict::crashed);
  CHECK(undefined.rule == "undefined_behaviour");
  CHECK(undefined.detail.find("at candidate.c:12") != std::string::npos);
  CHECK(undefined.detail.find('\n') == std::string::npos);
}

TEST_CASE("an object whose symbols cannot be read is not replayed") {
  const auto refused = refuse_evasion("no object", "");
  REQUIRE(refused);
  CHECK(refused->rule == "object_format");
}
