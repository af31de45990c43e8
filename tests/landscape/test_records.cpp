// The six records that are shipped: small ones of real tasks.
#include "tools/bench/landscape/player.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

using namespace kevolve;
using namespace kevolve::bench;

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> shipped() {
  const char* source = std::getenv("KEVOLVE_SOURCE");
  REQUIRE(source != nullptr);
  std::vector<fs::path> out;
  for (const auto& e : fs::directory_iterator{fs::path{source} / "tests" / "landscape" / "records"})
    out.push_back(e.path());
  return out;
}

} // namespace

TEST_CASE("six records are shipped, each of at most 100 KB, with drafts, crossovers and depth") {
  const auto all = shipped();
  CHECK(all.size() == 6);
  for (const auto& path : all) {
    INFO(path.string());
    CHECK(fs::file_size(path) <= 100'000);
    const auto record = read_landscape(path.string());
    REQUIRE(record);
    CHECK(record->nodes.size() > 150);
    const auto of_kind = [&](step_kind k) {
      return std::count_if(record->nodes.begin(), record->nodes.end(), [&](const auto& n) { return n.kind == k; });
    };
    CHECK(of_kind(step_kind::draft) >= 20);
    CHECK(of_kind(step_kind::crossover) >= 10);
    const world on{*record};
    CHECK(on.best() > 1.0);
  }
}

TEST_CASE("the default policy and random parents want few steps on the shipped records that these lack") {
  for (const auto& path : shipped()) {
    const world on{read_landscape(path.string()).value()};
    for (const auto& policies : {policy_options{}.policies, std::map<std::string, double>{{"random", 1.0}}}) {
      uint64_t steps = 0;
      uint64_t lacking = 0;
      for (uint64_t seed = 1; seed <= 10; ++seed) {
        play_options o;
        o.policy.policies = policies;
        o.seed = seed;
        const auto p = play(on, o);
        steps += p.steps;
        lacking += p.lacking;
      }
      INFO(path.string(), " ", policies.begin()->first, " ", lacking, " of ", steps);
      CHECK(20 * lacking < steps);
    }
  }
}
