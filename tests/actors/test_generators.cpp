// Tests what a campaign's fold keeps of its generators: repeats, yields, and the bandit's choice in a replay.
#include "actors/campaign/campaign_fold.hpp"
#include "actors/campaign/replay.hpp"
#include "actors/evaluation/plan.hpp"
#include "runtime/base/codec.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace kevolve;

namespace {

// A campaign of two generators whose bandit chooses, with one draft after the other.
struct campaign_of_two {
  campaign_spec spec;
  campaign_fold f;
  std::vector<journal_event> events;

  campaign_of_two() {
    spec.target = "cpu";
    spec.generators = {{"transform", 1.0}, {"configurations", 1.0}};
    spec.generator_choice = "bandit";
    spec.draft_candidates = 1'000;
    spec.selection_rules = current_selection_rules;
  }
  void event(event_kind kind, std::string payload) {
    journal_event e;
    e.sequence = events.size() + 1;
    e.kind = kind;
    e.payload = std::move(payload);
    events.push_back(std::move(e));
  }
  // Selects the next candidate as the campaign does, among the generators that may be asked.
  selection_record select(const std::vector<bool>& may = {true, true}) {
    selection_record r;
    r.index = f.tree.size();
    r.seed = node_seed(spec.seed, r.index);
    auto s = kevolve::select(f.tree, policy_of(spec), r.seed);
    r.parents = s.parents;
    r.policy = s.policy;
    r.memory = s.memory;
    r.statistics = s.statistics;
    r.draft = s.draft;
    const auto arms = bandit_arms(f, spec);
    r.statistics["generator"] = static_cast<double>(*pick_arm(arms, may));
    note_scores(r, arms, may);
    CHECK(fold_selected(f, r));
    r.tree_hash = f.tree.hash();
    event(event_kind::node_selected, encode(r));
    return r;
  }
  // Ends it; a speed-up above 1 is a gain.
  node_record end(uint64_t index, double speedup, const std::string& object, uint64_t duplicate_of = 0) {
    node_record r;
    r.index = index;
    r.result = verdict::pass;
    r.set_speedup({speedup, speedup, speedup});
    r.confirmed = speedup > 1.0;
    r.judge_ns = 1'000'000'000;
    r.object = object;
    r.proposal.candidate = {index, 1};
    r.normalised = {index, 2};
    r.duplicate_of = duplicate_of;
    CHECK(fold_finished(f, r));
    r.tree_hash = f.tree.hash();
    event(event_kind::node_finished, encode(r));
    return r;
  }
  recording record() const {
    recording out;
    out.spec = spec;
    out.events = events;
    out.tree_hash = f.tree.hash();
    return out;
  }
};

} // namespace

TEST_CASE("a judged candidate is known by its bytes, its normalised source and its object; a repeat is counted") {
  campaign_of_two c;
  const auto first = c.select().index;
  c.end(first, 1.1, "code");
  CHECK(known_as(c.f, {first, 1}) == first);
  CHECK(known_as(c.f, {first, 2}) == first);
  CHECK(known_as(c.f, object_id("code")) == first);
  CHECK(known_as(c.f, object_id("other code")) == 0);
  node_record twin;
  twin.object = "code";
  CHECK(twin_of(c.f, twin) == 0); // not judged
  twin.result = verdict::pass;
  CHECK(twin_of(c.f, twin) == first);
  const auto second = c.select();
  c.end(second.index, 1.1, "code", first);
  CHECK(known_as(c.f, {second.index, 2}) == 0); // the first stands for both
  const auto s = status_of(c.f, c.spec);
  CHECK(s.repeated == 1);
  REQUIRE(s.generators.size() == 2);
  CHECK(s.generators[chosen_generator(second)].repeated == 1);
  CHECK(s.generators[0].share + s.generators[1].share == doctest::Approx(1.0));
}

TEST_CASE("the bandit turns to the generator that gains, and status shows its share") {
  campaign_of_two c;
  auto best = 1.0;
  for (int i = 0; i < 60; ++i) {
    const auto r = c.select();
    const bool gains = chosen_generator(r) == 1;
    if (gains)
      best *= 1.05;
    c.end(r.index, gains ? best : 0.9, "object " + std::to_string(i));
    if (gains) {
      champion_record now;
      now.index = r.index;
      now.set_speedup({best, best, best});
      fold_champion_changed(c.f, now);
      now.tree_hash = c.f.tree.hash();
      c.event(event_kind::champion_changed, encode(now));
    }
  }
  const auto s = status_of(c.f, c.spec);
  CHECK(s.generators[1].share > 0.7);
  CHECK(s.generators[0].steps >= 3);
  CHECK(s.generators[1].score > 0.0);
  CHECK(replay(c.record()).difference == "");
}

TEST_CASE("a replay asks the bandit again, among those that could be asked, and tells another choice") {
  campaign_of_two c;
  for (int i = 0; i < 6; ++i) {
    const bool first_on_hold = i % 3 == 2;
    const auto r = c.select({!first_on_hold, true});
    if (first_on_hold)
      CHECK(chosen_generator(r) == 1);
    c.end(r.index, 0.9, "object " + std::to_string(i));
  }
  CHECK(replay(c.record()).difference == "");
  auto other = c.record();
  auto forged = *decode_older<selection_record>(other.events[0].payload);
  forged.statistics["generator"] = 1.0;
  other.events[0].payload = encode(forged);
  CHECK(replay(other).difference
        == "event 1 (node_selected): candidate 1 would be made by generator 0; recorded is generator 1");
  other.spec.generator_choice = "weights"; // then no replay can tell
  CHECK(replay(other).difference == "");
}

TEST_CASE("the money of a candidate's calls counts for its generator when it ends") {
  campaign_of_two c;
  const auto r = c.select();
  call_event call;
  call.id.node = r.index;
  call.id.generator = chosen_generator(r);
  call.call.number = 1;
  call.call.money = 2'000'000'000;
  CHECK(fold_called(c.f, call));
  CHECK(c.f.money.at(r.index) == 2'000'000'000);
  node_record n;
  n.index = r.index;
  n.result = verdict::wrong_result;
  n.money = c.f.money.at(r.index);
  CHECK(fold_finished(c.f, n));
  CHECK(bandit_arms(c.f, c.spec)[chosen_generator(r)].ended.money == 2.0);
  CHECK(c.f.money.empty());
}

TEST_CASE("a screening is compared with its parent's sure lead over the baseline") {
  CHECK(parent_lead(1.3, 1.0) == 1.3);
  CHECK(parent_lead(3.0, 2.0) == 1.5);
  CHECK(parent_lead(1.9, 2.0) == 0.0); // the baseline is faster
  CHECK(parent_lead(0.0, 1.0) == 0.0); // nothing is sure
  CHECK(parent_lead(1.3, 0.0) == 0.0);
  const evaluation_ground ground;
  const auto plain = evaluation_id(ground, {1, 1}, stage::screening, {});
  CHECK(evaluation_id(ground, {1, 1}, stage::screening, {}, 0.0) == plain);
  CHECK(evaluation_id(ground, {1, 1}, stage::screening, {}, 1.3) != plain);
  CHECK(evaluation_id(ground, {1, 1}, stage::confirm, {}, 1.3) == evaluation_id(ground, {1, 1}, stage::confirm, {}));
}

TEST_CASE("a step's lead to beat is the low end of its first parent's interval, unless that is an estimate") {
  campaign_of_two c;
  const auto first = c.select().index;
  c.end(first, 1.4, "a");
  selection_record r;
  r.parents = {first};
  CHECK(to_step(c.f, r).parent_low == 1.4);
  r.parents = {0};
  CHECK(to_step(c.f, r).parent_low == 0.0);
  const auto second = c.select().index;
  node_record n;
  n.index = second;
  n.result = verdict::pass;
  n.set_speedup({1.2, 1.2, 1.2});
  n.estimate = true;
  CHECK(fold_finished(c.f, n));
  r.parents = {second};
  CHECK(to_step(c.f, r).parent_low == 0.0);
}
