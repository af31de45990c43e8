#include "actors/campaign/pinned_results.hpp"
#include "actors/evaluation/retention.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

node_record ended(std::vector<id128> evaluations, bool confirmed = false) {
  node_record r;
  r.evaluations = std::move(evaluations);
  r.confirmed = confirmed;
  return r;
}

const id128 a{0, 1};
const id128 b{0, 2};
const id128 c{0, 3};
const id128 d{0, 4};
const id128 e{0, 5};

} // namespace

TEST_CASE("the oldest unpromoted nodes lose their samples, a promoted one's stay") {
  sample_ledger ledger;
  count_node(ledger, ended({a, b}));
  count_node(ledger, ended({b, c}, true)); // shares b with the first
  count_node(ledger, ended({}));           // nothing was judged
  count_node(ledger, ended({d}));
  count_node(ledger, ended({e}));
  auto kept = ledger;
  CHECK(take_stale(kept, 3, 100).empty());
  CHECK(take_stale(ledger, 1, 1) == std::vector<id128>{a}); // one node at a time
  CHECK(take_stale(ledger, 1, 100) == std::vector<id128>{d});
  CHECK(take_stale(ledger, 1, 100).empty());
  CHECK(take_stale(ledger, 0, 100) == std::vector<id128>{e});
}

TEST_CASE("released records are kept until a running search for references has ended") {
  pinned_results held;
  const auto is = [&](const std::string& key) {
    return held.while_held([&](const auto& is_held) { return is_held(key); });
  };
  for (const auto& key : {"one", "both"})
    held.hold(a, 1, key);
  held.hold(a, 2, "both");
  held.keep(true);
  held.release(a, 1);
  CHECK(is("one"));
  held.keep(false);
  CHECK_FALSE(is("one"));
  CHECK(is("both"));
  held.release(a, 2);
  CHECK_FALSE(is("both"));
}

TEST_CASE("thinned samples leave their medians and derived figures") {
  evaluation_record r;
  r.stage = "race";
  shape_timing t;
  t.shape = "n=1";
  t.speedup = 2.0;
  t.baseline_ns = {40, 10, 30, 20};
  t.candidate_ns = {9, 5, 7, 8};
  r.outcome.timings = {t};
  r.outcome.evidence = {{"discarded.1", "1 pair, ratio 2"}, {"discarded.1.samples.n=1", "20/10"}};
  auto final_one = r;
  final_one.stage = "final";
  CHECK(!thin(final_one));
  CHECK(final_one.outcome.timings[0].baseline_ns.size() == 4);

  CHECK(thin(r));
  CHECK(r.outcome.timings[0].baseline_ns == std::vector<double>{25});
  CHECK(r.outcome.timings[0].candidate_ns == std::vector<double>{7.5});
  CHECK(r.outcome.timings[0].speedup == 2.0);
  CHECK(r.outcome.evidence.at("thinned.n=1") == "4 pairs");
  CHECK(r.outcome.evidence.contains("discarded.1"));
  CHECK_FALSE(r.outcome.evidence.contains("discarded.1.samples.n=1"));
  CHECK(!thin(r)); // a second pass finds nothing
}
