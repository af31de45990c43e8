#include "actors/campaign/profile_choice.hpp"
#include "actors/campaign/replay.hpp"
#include "actors/search/axes.hpp"
#include "runtime/base/codec.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace kevolve;

namespace {

// A campaign with one candidate made from the reference and one from that, both of which passed.
struct play {
  campaign_fold fold;
  campaign_spec spec;
  std::vector<journal_event> events;

  play() {
    spec.generators = {{"transform", 1.0}};
    spec.profile = {0.1, 2.0, 3.0};
    select({0});
    finish(1, 2.0);
  }
  void event(event_kind kind, std::string payload) {
    journal_event e;
    e.sequence = events.size() + 1;
    e.kind = kind;
    e.payload = std::move(payload);
    events.push_back(std::move(e));
  }
  selection_record select(std::vector<uint64_t> parents) {
    selection_record r;
    r.index = fold.tree.size();
    r.parents = std::move(parents);
    r.memory = "parent";
    note_emphasis(r, fold, spec);
    fold_selected(fold, r);
    r.tree_hash = fold.tree.hash();
    event(event_kind::node_selected, encode(r));
    return r;
  }
  void finish(uint64_t index, double speedup) {
    node_record r;
    r.index = index;
    r.result = speedup > 0.0 ? verdict::pass : verdict::wrong_result;
    r.speedup = speedup;
    r.confirmed = true;
    fold_finished(fold, r);
    r.tree_hash = fold.tree.hash();
    event(event_kind::node_finished, encode(r));
  }
  void profile(uint64_t index, const std::string& bound, double seconds, const std::string& failure = {}) {
    profiling_record r;
    r.index = index;
    r.bound = bound;
    r.line = 12;
    r.diagnosis = "a digest";
    r.seconds = seconds;
    r.failure = failure;
    fold_profile_begun(fold, r);
    event(event_kind::profile_begun, encode(r));
    fold_profiled(fold, r);
    event(event_kind::candidate_profiled, encode(r));
  }
  void promote(uint64_t index) { fold.champion.index = index; }
};

} // namespace

TEST_CASE("a campaign profiles its best, within its share of the time and once") {
  play p;
  CHECK_FALSE(next_profile(p.fold, p.spec, 1000.0)); // there is no best yet, and nothing is improved often
  p.promote(1);
  CHECK(next_profile(p.fold, p.spec, 1000.0) == 1);
  CHECK_FALSE(next_profile(p.fold, p.spec, 19.0)); // two of 19 seconds are more than a tenth
  p.profile(1, "latency_chain", 50.0);
  CHECK_FALSE(next_profile(p.fold, p.spec, 1000.0));
  p.select({1});
  p.finish(2, 3.0);
  p.promote(2);
  CHECK_FALSE(next_profile(p.fold, p.spec, 999.0)); // the last one took 50 seconds
  CHECK(next_profile(p.fold, p.spec, 1000.0) == 2);
  CHECK(profile_allowance(p.fold, p.spec, 1000.0) == doctest::Approx(50.0));
}

TEST_CASE("with a share of 0, or where nothing reads a profile, no candidate is profiled") {
  play p;
  p.promote(1);
  auto none = p.spec;
  none.profile.share = 0.0;
  CHECK_FALSE(next_profile(p.fold, none, 1e6));
  auto unread = p.spec;
  unread.profile.move_factor = 1.0;
  CHECK_FALSE(next_profile(p.fold, unread, 1e6));
  unread.search.policies = {{"evolution", 1.0}}; // its cells read what bounds a candidate
  CHECK(next_profile(p.fold, unread, 1e6) == 1);
  unread.evolution.axes = {"vector_bits", "code_bytes"};
  CHECK_FALSE(next_profile(p.fold, unread, 1e6));
  unread.search.policies = {{"uct", 1.0}};
  unread.generators.push_back({"llm", 1.0});
  CHECK(next_profile(p.fold, unread, 1e6) == 1);
}

TEST_CASE("a wall budget lets the first profile come as soon as its share has room for it") {
  play p;
  p.promote(1);
  p.spec.budget.wall_s = 30.0;
  CHECK(next_profile(p.fold, p.spec, 0.5) == 1);
  CHECK_FALSE(next_profile(p.fold, p.spec, 28.5)); // no step would follow from it
  p.spec.budget.candidates = 1;
  CHECK_FALSE(next_profile(p.fold, p.spec, 0.5)); // no step is left
  p.spec.budget.candidates = 2;
  CHECK(next_profile(p.fold, p.spec, 0.5) == 1);
  p.spec.budget.wall_s = 19.0;
  CHECK_FALSE(next_profile(p.fold, p.spec, 10.0));
}

TEST_CASE(
    "whatever profiles take, a campaign with the default share never spends more than a tenth of its time on them") {
  play p;
  CHECK(profile_spec::usual_share == 0.1);
  p.spec.profile.share = profile_spec::usual_share;
  std::mt19937_64 random{1};
  std::uniform_real_distribution<double> stretch{0.2, 40.0}; // of a profile's budget, on a busy machine
  double wall_s = 0.0;
  size_t profiles = 0;
  for (uint64_t i = 2; i < 400; ++i) {
    p.select({1});
    p.finish(i, 2.0);
    p.promote(i); // a new best each time, so that there is always a candidate to profile
    wall_s += 3.0;
    if (const auto index = next_profile(p.fold, p.spec, wall_s)) {
      // The allowance is the profile's limit: what is not done by then is stopped.
      const auto took = std::min(stretch(random) * p.spec.profile.budget_s, profile_allowance(p.fold, p.spec, wall_s));
      p.profile(*index, "latency_chain", took);
      wall_s += took;
      ++profiles;
    }
    CHECK(p.fold.profile_s <= 0.1 * wall_s);
  }
  CHECK(profiles >= 3);
}

TEST_CASE("a parent that is improved often is profiled, and a banned one is not") {
  play p;
  for (size_t i = 0; i < improved_often; ++i) {
    CHECK_FALSE(next_profile(p.fold, p.spec, 1e6));
    p.select({1});
  }
  CHECK(next_profile(p.fold, p.spec, 1e6) == 1);
  p.fold.steered.banned.insert(1);
  CHECK_FALSE(next_profile(p.fold, p.spec, 1e6));
}

TEST_CASE("a candidate whose profile never ends is tried twice, and three failures end all profiles") {
  play p;
  p.promote(1);
  for (uint32_t i = 0; i < profile_attempts; ++i) {
    CHECK(next_profile(p.fold, p.spec, 1e6) == 1);
    profiling_record begun;
    begun.index = 1;
    fold_profile_begun(p.fold, begun);
  }
  CHECK_FALSE(next_profile(p.fold, p.spec, 1e6));
  play q;
  for (uint64_t i = 2; i < 2 + profile_failures; ++i) {
    q.select({0});
    q.finish(i, 1.5);
    q.promote(i);
    CHECK(next_profile(q.fold, q.spec, 1e6) == i);
    q.profile(i, "", 1.0, "the sandbox allows nothing");
  }
  q.promote(1);
  CHECK_FALSE(next_profile(q.fold, q.spec, 1e6));
  const auto brief = brief_of_profiling(q.fold, q.spec);
  CHECK(brief.failed == profile_failures);
  CHECK(brief.seconds == doctest::Approx(3.0));
}

TEST_CASE("a step carries what bounded its parent when it was selected, also after the fold of a restart") {
  play p;
  const auto before = p.select({1});
  CHECK(to_step(p.fold, before).emphasis.factor == 1.0);
  p.profile(1, "latency_chain", 2.0);
  CHECK(to_step(p.fold, before).emphasis.bound.empty()); // it was selected before there was a profile
  const auto r = p.select({1});
  const auto step = to_step(p.fold, r);
  CHECK(step.emphasis.bound == "latency_chain");
  CHECK(step.emphasis.line == 12);
  CHECK(step.emphasis.factor == 3.0);
  CHECK(step.diagnosis == "a digest");
  campaign_fold again;
  for (const auto& e : p.events)
    fold(again, e);
  CHECK(again.mismatch.empty());
  CHECK(again.profile_s == 2.0);
  const auto same = to_step(again, again.open.at(r.index));
  CHECK(same.emphasis.bound == step.emphasis.bound);
  CHECK(same.diagnosis == step.diagnosis);
  CHECK(again.tree.at(1).behaviour[bound_axis] == bin_of_bound("latency_chain"));
}

TEST_CASE("a replay follows the recorded profiles, and tells of a selection that follows another one") {
  play p;
  p.spec.draft_candidates = 0;
  p.events.clear();
  p.fold = campaign_fold();
  const auto choose = [&] {
    const auto seed = node_seed(p.spec.seed, p.fold.tree.size());
    const auto s = select(p.fold.tree, policy_of(p.spec, p.fold.steered), seed);
    selection_record r;
    r.index = p.fold.tree.size();
    r.parents = s.parents;
    r.policy = s.policy;
    r.memory = s.memory;
    r.statistics = s.statistics;
    r.draft = s.draft;
    r.seed = seed;
    note_emphasis(r, p.fold, p.spec);
    fold_selected(p.fold, r);
    r.tree_hash = p.fold.tree.hash();
    p.event(event_kind::node_selected, encode(r));
    return r;
  };
  size_t steered = 0;
  for (uint64_t i = 1; i < 40; ++i) {
    steered += choose().statistics.contains("profile.bound") ? 1U : 0U;
    p.finish(i, 40.0 - static_cast<double>(i)); // the first is the best, and often the parent
    if (i == 1)
      p.profile(1, "latency_chain", 2.0);
  }
  REQUIRE(steered > 0);
  recording r;
  r.spec = p.spec;
  r.events = p.events;
  r.tree_hash = p.fold.tree.hash();
  const auto same = replay(r).difference;
  CHECK(same.find("another profile") == std::string::npos);
  profiling_record other;
  other.index = 1;
  other.bound = "port_pressure";
  for (auto& e : r.events)
    if (e.kind == event_kind::candidate_profiled)
      e.payload = encode(other);
  const auto differs = replay(r).difference;
  CAPTURE(same);
  CHECK(differs.find("would follow another profile of candidate 1") != std::string::npos);
}
