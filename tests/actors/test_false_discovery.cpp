#include "actors/campaign/campaign_fold.hpp"
#include "actors/evaluation/false_discovery.hpp"
#include "backends/judge/sequential_test.hpp"
#include "runtime/base/codec.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace kevolve;

TEST_CASE("the shares of the level are positive, fall, and add up to one") {
  double sum = 0.0;
  constexpr uint64_t many = 200'000;
  for (uint64_t t = 1; t <= many; ++t) {
    const auto share = share_of_level(t);
    REQUIRE(share > 0.0);
    REQUIRE(share < (t == 1 ? 1.0 : share_of_level(t - 1)));
    sum += share;
  }
  const auto rest = share_of_level(1) * std::pow(static_cast<double>(many) + 0.5, -0.2) / 0.2; // integral of the tail
  CHECK(sum + rest == doctest::Approx(1.0).epsilon(1e-6));
  CHECK(share_of_level(0) == 0.0);
}

TEST_CASE("levels grow with discoveries and shrink with tests") {
  promotion_ledger ledger;
  const auto first = next_level(0.05, ledger);
  CHECK(first == doctest::Approx(0.05 * share_of_level(1)));
  count_test(ledger, false);
  const auto after_a_miss = next_level(0.05, ledger);
  CHECK(after_a_miss == doctest::Approx(0.05 * share_of_level(2)));
  count_test(ledger, true);
  CHECK(next_level(0.05, ledger) == doctest::Approx(2 * 0.05 * share_of_level(3)));
  CHECK(ledger.tests == 2);
  CHECK(ledger.discoveries == 1);
  // A discovery needs e >= 1 / level.
  CHECK(is_discovery(-std::log(first), first));
  CHECK(!is_discovery(-std::log(first) - 1e-9, first));
  CHECK(!is_discovery(1e9, 0.0));
}

namespace {

struct stream_result {
  double share_of_false = 0.0; // mean over campaigns
  double found = 0.0;          // share of the true gains
};

// Simulates campaigns of confirmations with the judge's own test and its stopping rule. `gain` is in units of a pair's
// standard deviation.
stream_result campaigns(int count, int tests, int one_in, double gain, bool controlled) {
  std::mt19937_64 random{7};
  std::normal_distribution<double> noise{0.0, 1.0};
  stream_result out;
  double gains = 0.0;
  for (int c = 0; c < count; ++c) {
    promotion_ledger ledger;
    double wrong = 0.0;
    for (int t = 0; t < tests; ++t) {
      const bool real = t % one_in == 0;
      const auto level = controlled ? next_level(0.05, ledger) : 0.05;
      sign_test test{0.0};
      while (test.pairs() < 60 && !is_discovery(test.log_e_faster(), level))
        test.add(noise(random) + (real ? gain : 0.0));
      const auto discovery = is_discovery(test.log_e_faster(), level);
      count_test(ledger, discovery);
      wrong += discovery && !real ? 1.0 : 0.0;
      out.found += discovery && real ? 1.0 : 0.0;
      gains += real ? 1.0 : 0.0;
    }
    out.share_of_false += wrong / std::max<double>(1.0, static_cast<double>(ledger.discoveries));
  }
  out.share_of_false /= count;
  out.found /= gains;
  return out;
}

} // namespace

TEST_CASE("the expected share of false promotions of a campaign stays below its bound") {
  const auto controlled = campaigns(200, 200, 20, 3.0, true);
  CHECK(controlled.share_of_false <= 0.05);
  CHECK(controlled.found > 0.9); // large gains are still found late in the campaign
  // With the same level for every test, many confirmations are false discoveries.
  CHECK(campaigns(200, 200, 20, 3.0, false).share_of_false > 0.15);
}

TEST_CASE("a campaign's levels are the fold of its recorded confirmations") {
  auto tell = [](campaign_fold& f, const confirmation_record& r) {
    journal_event e;
    e.sequence = f.last_sequence + 1;
    e.kind = event_kind::node_confirmed;
    e.payload = encode(r);
    fold(f, e);
  };
  evaluation gained;
  gained.result = verdict::pass;
  gained.confirmed = true;
  gained.confirmed_by = "confirm";
  gained.log_e = 6.0;

  campaign_fold live;
  std::vector<confirmation_record> story;
  auto take = [&](const evaluation& e) {
    story.push_back(confirmation_of(live, 0.05, story.size() + 1, e));
    fold_confirmed(live, story.back());
    return story.back();
  };
  auto first = take(gained);
  CHECK(first.test == 1);
  CHECK(first.level == doctest::Approx(next_level(0.05, {})));
  CHECK(first.discovery);

  auto weak = gained; // e = 7 passes no test
  weak.log_e = 2.0;
  CHECK(!take(weak).discovery);
  auto not_faster = gained; // without the judge's decision, the e-value alone does not count
  not_faster.confirmed = false;
  CHECK(!take(not_faster).discovery);
  auto audit = gained; // an audit claims nothing, so it is no test
  audit.confirmed_by = "audit";
  CHECK(take(audit).test == 0);
  CHECK(live.promotions.tests == 3);
  CHECK(live.promotions.discoveries == 1);

  campaign_fold again;
  for (const auto& r : story) {
    tell(again, r);
    tell(again, r); // reported twice
  }
  CHECK(again.mismatch == "");
  CHECK(again.promotions.tests == 3);
  CHECK(again.promotions.discoveries == 1);
  CHECK(next_level(0.05, again.promotions) == next_level(0.05, live.promotions));
}

TEST_CASE("a node is verified by its recorded confirmation or by its baseline's code") {
  struct row {
    const char* name;
    bool recorded;
    const char* rule;
    bool verified;
  };
  for (const auto& r : {row{"raced only", false, "", false}, row{"audited", true, "", true},
                        row{"the baseline's code", false, "same_object", true}}) {
    INFO(r.name);
    campaign_fold f;
    selection_record s;
    s.index = 1;
    s.parents = {0};
    fold_selected(f, s);
    if (r.recorded)
      fold_confirmed(f, {1, "audit", 0, 0.0, 0.0, false});
    node_record n;
    n.index = 1;
    n.result = verdict::pass;
    n.speedup = 9.0;
    n.rule = r.rule;
    fold_finished(f, n);
    CHECK(f.tree.at(1).verified == r.verified);
  }
}
