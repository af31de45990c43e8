#include "actors/campaign/injection.hpp"
#include "runtime/base/codec.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace kevolve;

namespace {

// Applies steering as the campaign does and keeps the events that it would store.
struct play {
  campaign_fold live;
  std::vector<journal_event> events;
  id128 campaign = derive_id("test", "steered");

  void event(event_kind kind, std::string payload) {
    journal_event e;
    e.sequence = events.size() + 1;
    e.campaign = campaign;
    e.time_ns = 1'000'000'000 * static_cast<int64_t>(events.size() + 1);
    e.kind = kind;
    e.payload = std::move(payload);
    events.push_back(std::move(e));
  }
  uint64_t node(uint64_t parent, double fitness, bool confirmed = true) {
    selection_record s;
    s.index = live.tree.size();
    s.parents = {parent};
    fold_selected(live, s);
    s.tree_hash = live.tree.hash();
    event(event_kind::node_selected, encode(s));
    end(s.index, fitness, confirmed);
    return s.index;
  }
  void end(uint64_t index, double fitness, bool confirmed = true) {
    node_record r;
    r.index = index;
    r.result = fitness > 0.0 ? verdict::pass : verdict::wrong_result;
    r.speedup = fitness;
    r.ci_low = r.ci_high = fitness;
    r.confirmed = confirmed;
    fold_finished(live, r);
    r.tree_hash = live.tree.hash();
    event(event_kind::node_finished, encode(r));
  }
  steering_record steer(steer_action action, uint64_t index = 0,
                        const std::function<void(steering_record&)>& set = {}) {
    steering_record r;
    r.action = action;
    r.by = "alice";
    r.index = index;
    if (set)
      set(r);
    r = record_change(live.steered, std::move(r));
    r.tree_hash = live.tree.hash();
    event(event_kind::campaign_steered, encode(r));
    return r;
  }
  void finish(end_reason reason) {
    finish_record f;
    f.state = campaign_phase::finished;
    f.stop_reason = reason;
    event(event_kind::campaign_finished, encode(f));
  }
  campaign_fold folded() const {
    campaign_fold f;
    for (const auto& e : events)
      fold(f, e);
    return f;
  }
};

candidate some_candidate() {
  return {"c", "int x;\n", "O3", "inject", "", "injected by alice"};
}

} // namespace

TEST_CASE("steering changes are restored from the journal, with matching hashes") {
  play p;
  p.node(0, 1.5);
  p.steer(steer_action::priority, 0, [](steering_record& r) { r.priority = 250; });
  p.steer(steer_action::budget, 0, [](steering_record& r) { r.budget = {70, 600.0, 30.0}; });
  p.steer(steer_action::pin, 1);
  auto second = p.node(1, 2.0);
  p.steer(steer_action::ban, second);
  auto given = inject_candidate(p.live, p.campaign, 7, 1, some_candidate(), "inject", false);
  p.event(event_kind::node_selected, encode(given.selection));
  p.steer(steer_action::inject, given.record.index,
          [](steering_record& r) { r.candidate = candidate_id(some_candidate()); });
  auto f = p.folded();
  CHECK(f.mismatch == "");
  CHECK(f.steered.priority == 250);
  CHECK(f.steered.pinned == std::set<uint64_t>{1});
  CHECK(f.steered.banned == std::set<uint64_t>{2});
  CHECK(f.steered.injected.at(3).by == "alice");
  CHECK(f.steered.injected.at(3).candidate == candidate_id(some_candidate()));
  CHECK(hash_of(f.steered) == hash_of(p.live.steered));
  CHECK(f.open.contains(3));
  campaign_spec spec;
  spec.budget.candidates = 10;
  auto s = status_of(f, spec);
  CHECK(s.priority == 250);
  CHECK(s.budget_candidates == 70);
  CHECK(s.budget_wall_s == 600.0);
  CHECK(s.budget_device_s == 30.0);
  CHECK(s.pinned == std::vector<uint64_t>{1});
  CHECK(s.banned == std::vector<uint64_t>{2});
  CHECK(rules_of(spec, f.steered).candidates == 70);
  p.steer(steer_action::unpin, 1);
  p.steer(steer_action::unban, 2);
  CHECK(p.folded().steered.pinned.empty());
  CHECK(p.folded().steered.banned.empty());
}

TEST_CASE("a repeated change has no effect, and a lost one is noticed") {
  play p;
  p.node(0, 1.5);
  p.steer(steer_action::pin, 1);
  p.steer(steer_action::unpin, 1);
  p.steer(steer_action::priority, 0, [](steering_record& r) { r.priority = 7; });
  campaign_fold twice;
  for (const auto& e : p.events) {
    fold(twice, e);
    fold(twice, e);
  }
  CHECK(twice.mismatch == "");
  CHECK(hash_of(twice.steered) == hash_of(p.live.steered));
  for (size_t i = 0; i + 1 < p.events.size(); ++i) {
    if (p.events[i].kind != event_kind::campaign_steered)
      continue;
    auto lacking = p;
    lacking.events.erase(lacking.events.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK(lacking.folded().mismatch != "");
  }
}

TEST_CASE("a reopened campaign continues without the time between") {
  play p;
  p.event(event_kind::session_started, encode(session_record{}));
  p.node(0, 1.5);
  p.finish(end_reason::budget);
  auto ended = p.folded();
  REQUIRE(ended.ended);
  auto wall = wall_seconds_at_rest(ended);
  p.steer(steer_action::budget, 0, [](steering_record& r) { r.budget = {99, 0.0, 0.0}; });
  p.steer(steer_action::reopen);
  auto f = p.folded();
  CHECK_FALSE(f.ended);
  CHECK(f.finish.stop_reason == end_reason::none);
  CHECK(f.mismatch == "");
  CHECK(wall_seconds_at_rest(f) == wall);
  p.event(event_kind::session_started, encode(session_record{}));
  CHECK(wall_seconds_at_rest(p.folded()) == wall);
}

TEST_CASE("a journal from before steering folds unchanged, with the defaults") {
  play p;
  p.node(0, 1.5);
  p.finish(end_reason::target);
  auto f = p.folded();
  CHECK(f.mismatch == "");
  CHECK(f.steered.serial == 0);
  campaign_spec spec;
  spec.budget.candidates = 10;
  CHECK(status_of(f, spec).budget_candidates == 10);
  CHECK(status_of(f, spec).priority == default_priority);
}

TEST_CASE("a status stored before steering can be decoded") {
  campaign_status s;
  s.id = derive_id("test", "old");
  s.name = "old";
  s.state = "finished";
  s.candidates = 12;
  s.speedup = 3.5;
  // The fields that were added later, as encoded when they are empty.
  auto later = encode(default_priority) + encode(0.0) + encode(id128{}) + encode(uint64_t{0})
               + encode(std::vector<uint64_t>{}) + encode(std::vector<uint64_t>{}) + encode(std::string{})
               + encode(model_spending{}) + encode(int64_t{0}) + encode(0.0) + encode(uint64_t{0})
               + encode(std::string{}) + encode(id128{}) + encode(result_owner{}) + encode(interval_basis{})
               + encode(outputs_figures{}) + encode(baseline_figures{}) + encode(search_brief{}) + encode(uint64_t{0})
               + encode(std::vector<generator_brief>{}) + encode(profiling_brief{});
  auto bytes = encode(s);
  REQUIRE(bytes.ends_with(later));
  bytes.resize(bytes.size() - later.size());
  CHECK_FALSE(decode<campaign_status>(bytes));
  auto old = decode_older<campaign_status>(bytes);
  REQUIRE(old);
  CHECK(old->name == "old");
  CHECK(old->candidates == 12);
  CHECK(old->speedup == 3.5);
  CHECK(old->priority == default_priority);
  CHECK(encode(*old) == encode(s));
}

TEST_CASE("an injected candidate begins as proposed and does not count as a draft") {
  play p;
  auto n = inject_candidate(p.live, p.campaign, 7, 0, some_candidate(), "inject", false);
  CHECK(n.record.state == candidate_state::proposed);
  CHECK(n.record.proposal.source == sha256_hex("int x;\n"));
  CHECK(n.record.proposal.candidate == candidate_id(some_candidate()));
  CHECK(n.selection.policy == "inject");
  CHECK(n.selection.tree_hash == p.live.tree.hash());
  p.live.steered.injected[n.record.index] = {"alice", {}};
  campaign_spec spec;
  spec.draft_candidates = 3;
  std::vector<uint64_t> drafts;
  for (int i = 0; i < 3; ++i) {
    auto s = select(p.live.tree, policy_of(spec, p.live.steered), 1);
    REQUIRE(s.draft);
    drafts.push_back(s.draft_index);
    p.live.tree.add({0}, true);
  }
  CHECK(drafts == std::vector<uint64_t>{0, 1, 2});
  CHECK_FALSE(select(p.live.tree, policy_of(spec, p.live.steered), 1).draft);
}

TEST_CASE("a banned node and its descendants are never selected again, a pinned one stays eligible") {
  play p;
  auto a = p.node(0, 2.0);
  auto b = p.node(a, 2.5);
  auto c = p.node(0, 1.2);
  policy_options o;
  o.drafts = 0;
  o.memory = {{"parent", 1.0}};
  o.combine = 1.0;
  o.widening = 0.5; // uct descends to the leaves
  for (const auto* policy : {"greedy", "uct", "random"}) {
    CAPTURE(policy);
    o.policies = {{policy, 1.0}};
    std::set<uint64_t> before;
    for (uint64_t seed = 0; seed < 200; ++seed)
      for (auto parent : select(p.live.tree, o, seed).parents)
        before.insert(parent);
    CHECK(before.contains(b));
    auto banning = o;
    banning.banned = {a};
    for (uint64_t seed = 0; seed < 200; ++seed)
      for (auto parent : select(p.live.tree, banning, seed).parents)
        CHECK((parent == 0 || parent == c));
  }
  // After three steps without a proposal, a candidate is skipped unless it is pinned.
  for (int i = 0; i < 3; ++i) {
    auto index = p.live.tree.add({b}, false);
    p.live.tree.finish(index, {});
  }
  o.policies = {{"greedy", 1.0}};
  o.combine = 0.0;
  CHECK(select(p.live.tree, o, 1).parents.front() == a);
  o.pinned = {b};
  CHECK(select(p.live.tree, o, 1).parents.front() == b);
}
