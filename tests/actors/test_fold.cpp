#include "actors/campaign/campaign_fold.hpp"
#include "actors/campaign/promotion.hpp"
#include "actors/campaign/tree_page.hpp"
#include "actors/evaluation/plan.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

// Simulates a campaign: applies each step to `live` and keeps the events that it would store.
struct play {
  campaign_fold live;
  std::vector<journal_event> events;
  id128 campaign = derive_id("test", "campaign");

  void event(event_kind kind, std::string payload) {
    journal_event e;
    e.sequence = 10 * (events.size() + 1);
    e.campaign = campaign;
    e.time_ns = 1'000'000'000 * static_cast<int64_t>(events.size() + 1);
    e.kind = kind;
    e.payload = std::move(payload);
    events.push_back(std::move(e));
  }
  void select(std::vector<uint64_t> parents, bool draft) {
    selection_record r;
    r.index = live.tree.size();
    r.node = node_id(campaign, r.index);
    r.parents = std::move(parents);
    r.draft = draft;
    r.memory = "both";
    r.seed = node_seed(1, r.index);
    r.statistics["draft_index"] = static_cast<double>(live.drafts);
    CHECK(fold_selected(live, r));
    r.tree_hash = live.tree.hash();
    event(event_kind::node_selected, encode(r));
  }
  node_record finish(uint64_t index, verdict v, double fitness, std::string rule = "") {
    node_record r;
    r.index = index;
    r.result = v;
    r.rule = std::move(rule);
    r.speedup = fitness;
    r.ci_low = 0.9 * fitness;
    r.ci_high = 1.1 * fitness;
    r.confirmed = fitness > 1.0;
    r.proposal.genome = "genome " + std::to_string(index);
    r.proposal.summary = "summary " + std::to_string(index);
    r.compile_ns = 100 + static_cast<int64_t>(index);
    r.judge_ns = 1'000 + static_cast<int64_t>(index);
    CHECK(fold_finished(live, r));
    r.tree_hash = live.tree.hash();
    event(event_kind::node_finished, encode(r));
    return r;
  }
  void promote(uint64_t index, double speedup) {
    champion_record c;
    c.index = index;
    c.object = "object " + std::to_string(index);
    c.speedup = speedup;
    c.ci_low = 0.9 * speedup;
    c.ci_high = 1.1 * speedup;
    CHECK(fold_champion_changed(live, c));
    c.tree_hash = live.tree.hash();
    event(event_kind::champion_changed, encode(c));
  }

  play() {
    event(event_kind::session_started, encode(session_record{random_id(), 1}));
    preparation p;
    p.toolchain = "clang";
    event(event_kind::campaign_prepared, encode(p));
    select({0}, true);
    select({0}, true);
    select({0}, true);
    finish(2, verdict::pass, 2.0);
    promote(2, 2.0);
    finish(1, verdict::wrong_result, 0.0);
    select({2}, false);
    finish(4, verdict::pass, 1.5);
    select({2, 4}, false);
    finish(5, verdict::none, 0.0, "exhausted");
    promote(2, 1.9); // the same champion, measured again
    select({0}, true);
  }
};

campaign_fold folded(const std::vector<journal_event>& events) {
  campaign_fold f;
  for (const auto& e : events)
    fold(f, e);
  return f;
}

// Returns all state that the campaign's decisions depend on, as text.
std::string picture(const campaign_fold& f) {
  std::string out = to_string(f.tree.hash());
  for (const auto& [index, r] : f.open)
    out += " open " + std::to_string(index) + " " + std::to_string(r.seed);
  out += " champion " + std::to_string(f.champion.index) + f.champion.object + std::to_string(f.champion.speedup) + " "
         + std::to_string(f.champion.ci_low) + " " + std::to_string(f.champion.ci_high);
  out += " since best " + std::to_string(f.valid_since_best) + " exhausted " + std::to_string(f.exhausted_in_a_row)
         + " drafts " + std::to_string(f.drafts) + " compile " + std::to_string(f.compile_ns) + " judge "
         + std::to_string(f.judge_ns);
  f.genomes.each([&](uint64_t, uint64_t genome) { out += " " + std::to_string(genome); });
  f.summaries.each([&](uint64_t, const std::string& summary) { out += " " + summary; });
  return out;
}

} // namespace

TEST_CASE("folding the journal restores the campaign's state") {
  play p;
  auto f = folded(p.events);
  CHECK(f.mismatch == "");
  CHECK(picture(f) == picture(p.live));
  CHECK(f.prepared);
  CHECK(f.fixed.toolchain == "clang");
  CHECK(f.last_sequence == p.events.back().sequence);
  CHECK(f.open.size() == 2);
  CHECK(f.open.contains(3));
  CHECK(f.open.contains(6));
  CHECK(f.valid_since_best == 1);
  CHECK(f.exhausted_in_a_row == 1);
  CHECK(f.dry == std::map<uint32_t, uint64_t>{{0, 1}});
  CHECK(f.drafts == 4);
}

TEST_CASE("a campaign's results follow from its events alone") {
  play p;
  campaign_spec spec;
  spec.target = "cpu";
  spec.budget.candidates = 40;
  auto at_rest = [&] { return status_at_rest(folded(p.events), spec, p.campaign, "the name"); };
  auto s = at_rest();
  CHECK(s.id == p.campaign);
  CHECK(s.name == "the name");
  CHECK(s.target == "cpu");
  CHECK(s.state == "stopped");
  CHECK(s.reason.find("no process is running it") != std::string::npos);
  CHECK(s.candidates == p.live.tree.finished() - 1); // one step proposed nothing
  CHECK(s.candidates >= 3);
  CHECK(s.valid == 2);
  CHECK(s.best == 2);
  CHECK(s.speedup == 1.9);
  CHECK(s.best_summary == "summary 2");
  CHECK(s.budget_candidates == 40);
  CHECK(s.wall_s == static_cast<double>(p.events.size() - 1)); // one event a second
  CHECK(s.tree_hash == p.live.tree.hash());
  p.event(event_kind::campaign_state, encode(state_record{run_state::paused, "lunch"}));
  CHECK(at_rest().state == "paused");
  CHECK(at_rest().reason == "lunch");
  finish_record end;
  end.state = campaign_phase::finished;
  end.stop_reason = end_reason::budget;
  end.detail = "all spent";
  end.best = 4;
  end.speedup = 1.4;
  p.event(event_kind::campaign_finished, encode(end));
  CHECK(at_rest().state == "finished");
  CHECK(at_rest().stop_reason == end_reason::budget);
  CHECK(at_rest().reason == "all spent");
  CHECK(at_rest().best == 4);
  CHECK(at_rest().speedup == 1.4);
}

TEST_CASE("an event of a newer record version is not taken in, and the refusal names both versions") {
  play p;
  auto events = p.events;
  events.back().version = record_version + 1;
  const auto f = folded(events);
  CHECK(f.mismatch
        == "event " + std::to_string(events.back().sequence) + ": its record is of version "
               + std::to_string(record_version + 1) + ", and this kevolve reads versions up to "
               + std::to_string(record_version));
  events.pop_back();
  CHECK(to_string(f.tree.hash()) == to_string(folded(events).tree.hash()));
}

TEST_CASE("an event told twice changes nothing") {
  play p;
  auto once = folded(p.events);
  // Replays events one by one, and in batches that repeat after a lost acknowledgement.
  for (size_t batch : {1U, 2U, 3U, 7U}) {
    std::vector<journal_event> twice;
    for (size_t i = 0; i < p.events.size(); i += batch) {
      auto from = p.events.begin() + static_cast<std::ptrdiff_t>(i);
      auto to = p.events.begin() + static_cast<std::ptrdiff_t>(std::min(i + batch, p.events.size()));
      twice.insert(twice.end(), from, to);
      twice.insert(twice.end(), from, to);
    }
    auto f = folded(twice);
    CHECK(f.mismatch == "");
    CHECK(f.tree.hash() == once.tree.hash());
    CHECK(f.tree.size() == once.tree.size());
    CHECK(f.compile_ns == once.compile_ns);
    CHECK(f.open.size() == once.open.size());
    CHECK(f.drafts == once.drafts);
  }
}

TEST_CASE("a tree hash that does not match is reported with its event") {
  play p;
  for (auto kind : {event_kind::node_selected, event_kind::node_finished, event_kind::champion_changed}) {
    auto events = p.events;
    for (auto& e : events)
      if (e.kind == kind) {
        if (kind == event_kind::node_finished) { // other fields follow its hash
          auto node = decode<node_record>(e.payload).value();
          node.tree_hash.lo ^= 1U;
          e.payload = encode(node);
        } else
          e.payload.back() = static_cast<char>(e.payload.back() ^ 1);
        auto f = folded(events);
        INFO(to_string(kind));
        CHECK(f.mismatch.find("event " + std::to_string(e.sequence)) == 0);
        break;
      }
  }
}

TEST_CASE("a lost event is noticed") {
  play p;
  for (size_t i = 0; i < p.events.size(); ++i) {
    auto kind = p.events[i].kind;
    if (kind != event_kind::node_selected && kind != event_kind::node_finished)
      continue;
    if (i + 1 == p.events.size())
      continue; // its successors do not contain it
    auto events = p.events;
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(i));
    INFO("without event " << i << ", " << to_string(kind));
    CHECK(folded(events).mismatch != "");
  }
}

TEST_CASE("a payload that does not decode is reported, not skipped") {
  play p;
  p.events[2].payload.pop_back();
  auto f = folded(p.events);
  CHECK(f.mismatch.find("event 30: corrupt") == 0);
}

TEST_CASE("measuring the champion again does not end a stall, a new champion does") {
  play p;
  p.live.valid_since_best = 17;
  p.promote(2, 1.8);
  CHECK(p.live.valid_since_best == 17);
  p.promote(4, 2.5);
  CHECK(p.live.valid_since_best == 0);
}

TEST_CASE("pause, resume and end are folded") {
  play p;
  p.event(event_kind::campaign_state, encode(state_record{run_state::paused, "disk"}));
  auto f = folded(p.events);
  CHECK(f.paused);
  CHECK(f.pause_reason == "disk");
  p.event(event_kind::campaign_state, encode(state_record{run_state::running, ""}));
  p.event(event_kind::campaign_finished,
          encode(finish_record{{2.0, 1.8, 2.2}, campaign_phase::finished, end_reason::stall, "no gain", 2, {}}));
  f = folded(p.events);
  CHECK_FALSE(f.paused);
  CHECK(f.ended);
  CHECK(f.finish.stop_reason == end_reason::stall);
  CHECK(f.finish.best == 2);
}

namespace {

// A campaign's events at given wall-clock seconds.
struct times {
  campaign_fold f;
  void at(int64_t s, event_kind k, std::string payload = {}) {
    journal_event e;
    e.time_ns = s * 1'000'000'000;
    e.kind = k;
    e.payload = std::move(payload);
    fold(f, e);
  }
  void session(int64_t s) { at(s, event_kind::session_started, encode(session_record{})); }
  void state(int64_t s, run_state name) { at(s, event_kind::campaign_state, encode(state_record{name, ""})); }
  void ran(int64_t s, int64_t wall_s) { at(s, event_kind::campaign_ran, encode(run_record{wall_s * 1'000'000'000})); }
  double wall() const { return wall_seconds_at_rest(f); }
};

} // namespace

TEST_CASE_FIXTURE(times, "wall time adds up over sessions, not between them") {
  session(100);
  at(130, event_kind::evaluation_intent);
  CHECK(wall() == 30.0);
  session(1'000);
  at(1'005, event_kind::evaluation_intent);
  CHECK(wall() == 35.0);
  at(1'010, event_kind::campaign_finished,
     encode(finish_record{{}, campaign_phase::finished, end_reason::budget, "", 0, {}}));
  at(1'050, event_kind::evaluation_result);
  CHECK(wall() == 40.0);
}

TEST_CASE_FIXTURE(times, "a pause does not count as wall time, even if the node is killed during it") {
  session(100);
  state(110, run_state::paused);
  CHECK(wall() == 10.0);
  at(112, event_kind::node_finished, encode(node_record{})); // was in flight
  CHECK(wall() == 10.0);
  session(5'000);
  at(5'030, event_kind::evaluation_intent); // still paused
  CHECK(wall() == 10.0);
  state(6'000, run_state::running);
  CHECK(wall() == 10.0);
  at(6'007, event_kind::evaluation_intent);
  CHECK(wall() == 17.0);
}

TEST_CASE_FIXTURE(times, "recorded session time counts instead of event times") {
  session(100);
  ran(100, 0);
  at(150, event_kind::evaluation_intent);
  CHECK(wall() == 0.0);
  ran(160, 9); // its disk was full for the remaining time
  CHECK(wall() == 9.0);
  state(161, run_state::paused);
  state(900, run_state::running);
  at(950, event_kind::evaluation_intent);
  CHECK(wall() == 9.0);
  ran(951, 12);
  ran(160, 9); // reported again
  CHECK(wall() == 12.0);
  session(2'000); // written by an older version
  at(2'004, event_kind::evaluation_intent);
  CHECK(wall() == 16.0);
}

TEST_CASE("values by candidate have gaps and an order, and an index far beyond the others is dropped") {
  by_candidate<std::string> all;
  CHECK(all.find(0) == nullptr);
  all.set(3, "c");
  all.set(1, "a");
  all.set(3, "d");
  all.set(uint64_t{1} << 60U, "lost");
  CHECK_FALSE(all.contains(uint64_t{1} << 60U));
  CHECK_FALSE(all.contains(2));
  REQUIRE(all.contains(1));
  std::string seen;
  all.each([&](uint64_t index, const std::string& x) { seen += std::to_string(index) + x; });
  CHECK(seen == "1a3d");
  seen.clear();
  all.each([&](uint64_t, const std::string& x) { seen += x; }, 3);
  CHECK(seen == "a");
}

TEST_CASE("the clock shows the time run and never goes back") {
  run_clock c{5};
  CHECK(c.spent_ns(100) == 5);
  c.run(100);
  c.run(120); // it is running already
  CHECK(c.spent_ns(130) == 35);
  c.look(130);
  c.look(110); // the machine's clock was set back
  CHECK(c.spent_ns() == 35);
  CHECK(c.spent_ns(90) == 35);
  CHECK(c.spent_ns(131) == 36);
  c.rest(140);
  CHECK(c.spent_ns(500) == 45);
  c.run(200);
  c.forget();
  CHECK(c.spent_ns(500) == 45);
}

TEST_CASE("a step knows earlier siblings and genomes, sorted and without duplicates") {
  play p;
  p.live.genomes.set(1, genome_fingerprint("genome 4")); // occurs twice in the tree
  p.live.genomes.set(6, genome_fingerprint("too late"));
  auto r = p.live.open.at(6);
  r.parents = {2, 4};
  auto s = to_step(p.live, r);
  CHECK(s.siblings == std::vector<uint64_t>{4, 5});
  std::vector<uint64_t> seen{genome_fingerprint("genome 2"), genome_fingerprint("genome 4"),
                             genome_fingerprint("genome 5")};
  std::sort(seen.begin(), seen.end());
  CHECK(s.seen == seen);
  CHECK(s.draft);
  CHECK(s.draft_index == 3);
  CHECK(s.memory == "both");
  CHECK(s.seed == r.seed);
}

TEST_CASE("a step lists its newest siblings, and of these the newest that failed") {
  play p;
  const auto parent = p.live.tree.size();
  p.select({0}, false);
  p.finish(parent, verdict::pass, 2.0);
  std::vector<uint64_t> failed;
  for (int i = 0; i < 100; ++i) {
    const auto index = p.live.tree.size();
    p.select({parent}, false);
    const bool slower = i % 10 == 3;
    p.finish(index, i % 10 == 7 ? verdict::wrong_result : verdict::pass, i % 10 == 7 ? 0.0 : slower ? 1.48 : 2.1);
    if (slower || i % 10 == 7)
      failed.push_back(index);
  }
  selection_record r;
  r.index = p.live.tree.size();
  r.parents = {parent};
  const auto s = to_step(p.live, r);
  CHECK(s.siblings.size() == 64);
  CHECK(s.siblings.back() + 1 == r.index);
  CHECK(s.earlier_siblings == 36);
  CHECK(s.failed == std::vector<uint64_t>{failed.end() - 4, failed.end()});
}

TEST_CASE("islands, behaviours, priors and memory operators come back with the events") {
  play p;
  const auto index = p.live.tree.size();
  selection_record r;
  r.index = index;
  r.parents = {2};
  r.policy = "evolution";
  r.memory = "both";
  r.statistics = {{"island", 2.0}, {"founds", 1.0}};
  fold_selected(p.live, r);
  r.tree_hash = p.live.tree.hash();
  p.event(event_kind::node_selected, encode(r));
  node_record n;
  n.index = index;
  n.result = verdict::pass;
  n.speedup = 1.7;
  n.features = {{"vector_bits", 256.0}, {"prior", 3.0}};
  fold_finished(p.live, n);
  n.tree_hash = p.live.tree.hash();
  p.event(event_kind::node_finished, encode(n));
  const auto f = folded(p.events);
  CHECK(f.mismatch == "");
  const auto& node = f.tree.at(index);
  CHECK(node.island == 2);
  CHECK(node.founds);
  CHECK(node.behaviour[0] == 4);
  CHECK(node.prior == 3.0F);
  CHECK(f.tree.index().progress().yields()[node.memory].steps == 1);
  CHECK(f.tree.at(1).island == 0);

  campaign_spec spec;
  CHECK(status_at_rest(f, spec, p.campaign, "").search.islands.empty());
  spec.search.policies = {{"evolution", 1.0}, {"adaptive", 1.0}};
  const auto s = status_at_rest(f, spec, p.campaign, "").search;
  CHECK(s.phase == "exploit");
  REQUIRE(s.islands.size() == 2);
  CHECK(s.islands[1].began_with == index);
  CHECK(s.islands[1].population == std::vector<uint64_t>{index});
  REQUIRE(s.islands[1].cells.size() == 1);
  CHECK(s.islands[1].cells[0].behaviour
        == "vector_bits 256 to 512, code_bytes unknown, nests_changed unknown, bound unknown");
  CHECK(s.islands[1].cells[0].best == index);
  spec.evolution.axes = {"bound", "vector_bits"};
  const auto by_two = status_at_rest(f, spec, p.campaign, "").search;
  CHECK(by_two.islands[1].cells[0].behaviour == "vector_bits 256 to 512, bound unknown");
}

TEST_CASE("a change of the search's phase is folded once, for the selection that it precedes") {
  play p;
  const switch_record broad{p.live.tree.size(), "exploit", "broaden", "24 candidates without a gain"};
  CHECK(fold_switched(p.live, broad));
  p.event(event_kind::search_switched, encode(broad));
  p.select({2}, false);
  const switch_record back{p.live.tree.size(), "broaden", "exploit", "a gain"};
  CHECK(fold_switched(p.live, back));
  p.event(event_kind::search_switched, encode(back));
  p.select({2}, false);
  CHECK_FALSE(fold_switched(p.live, broad));
  auto twice = p.events;
  twice.insert(twice.end(), p.events.end() - 4, p.events.end());
  for (const auto& events : {p.events, twice}) {
    const auto f = folded(events);
    CHECK(f.mismatch == "");
    CHECK(f.tree.index().progress().phase() == search_phase::exploit);
  }
  p.events.resize(p.events.size() - 2);
  CHECK(folded(p.events).tree.index().progress().phase() == search_phase::broaden);
}

TEST_CASE("campaigns stored before there were selection rules select as they did") {
  campaign_spec before;
  CHECK_FALSE(policy_of(before).spreads);
  CHECK(policy_of(before).stall.restarts == 0.0);
  before.selection_rules = current_selection_rules;
  CHECK(policy_of(before).spreads);
  CHECK(policy_of(before).stall.restarts == 0.3);
}

TEST_CASE("node ids and seeds never change: stored trees depend on them") {
  // Computed independently of this code: SHA-256 of domain, zero byte and little-endian content.
  id128 campaign{0x0123456789abcdefULL, 0xfedcba9876543210ULL};
  CHECK(to_string(node_id(campaign, 1)) == "de1ece066c731198684eb31542c42b71");
  CHECK(to_string(node_id(campaign, 2)) == "eb80bd713df3865110a353ef726b1700");
  CHECK(node_seed(1, 1) == 82004185749207406U);
  CHECK(node_seed(1, 2) == 11196949162241486377U);
  CHECK(node_seed(2, 1) == 5351518544918205470U);
  candidate c{"c", "int x;", "baseline", "transform", "tile 8", "tiles"};
  CHECK(to_string(candidate_id(c)) == "023da7ec092f6d6b448f67fc9b3c1307");
  auto same = c;
  same.generator = "llm";
  same.genome = "";
  same.summary = "";
  CHECK(candidate_id(same) == candidate_id(c)); // its origin is not part of it
  for (auto field : {&candidate::language, &candidate::source, &candidate::flags}) {
    auto other = c;
    other.*field += " ";
    CHECK(candidate_id(other) != candidate_id(c));
  }
}

TEST_CASE("a corrected node changes its figures, and the tree's values follow") {
  play p;
  auto& f = p.live;
  const auto valid = f.tree.valid();
  amendment_record r{{{{9.0, 9.0, 9.0}, verdict::crashed, false}, "signal", "as the baseline of candidate 6"}, 4, {}};
  CHECK(fold_amended(f, r));
  CHECK_FALSE(fold_amended(f, r)); // reported twice
  r.tree_hash = f.tree.hash();
  p.event(event_kind::node_amended, encode(r));
  CHECK(f.tree.at(4).result == verdict::crashed);
  CHECK(f.tree.at(4).speedup == 0.0);
  CHECK_FALSE(f.tree.at(4).confirmed);
  CHECK(f.tree.valid() == valid - 1);
  CHECK(best_allowed(f, {}) == 2);
  CHECK(best_measured(f) == 0);
  amendment_record measured{{{{1.5, 1.4, 1.6}, verdict::pass, false}, "", ""}, 2, {}};
  CHECK(fold_amended(f, measured));
  measured.tree_hash = f.tree.hash();
  p.event(event_kind::node_amended, encode(measured));
  CHECK(best_measured(f) == 2);
  CHECK(best_measured(folded(p.events)) == 2);
  f.steered.banned.insert(2);
  CHECK(best_measured(f) == 0);
  f.steered.banned.clear();
  amendment_record less{{{{0.5, 0.4, 0.6}, verdict::pass, false}, "", "measured"}, 2, {}};
  CHECK(fold_amended(f, less));
  less.tree_hash = f.tree.hash();
  p.event(event_kind::node_amended, encode(less));
  CHECK(f.tree.at(2).value == 0.5);
  CHECK(f.tree.at(0).value == 1.0); // the reference
  CHECK(f.tree.at(2).confirmed);
  CHECK(best_allowed(f, {}) == 0); // a candidate must be shown to be faster than the reference
  const auto again = folded(p.events);
  CHECK(again.mismatch.empty());
  CHECK(picture(again) == picture(f));
  CHECK(promotion_of(f, 2).object == f.objects.at(2));
  CHECK(promotion_of(f, 2).speedup == 0.5);
  amendment_record root{{{{0, 0, 0}, verdict::crashed, false}, "", ""}, 0, {}};
  CHECK_FALSE(fold_amended(f, root));
}

TEST_CASE("the first node of a candidate represents it, and later ones are not promising") {
  play p;
  auto& f = p.live;
  const id128 made{7, 7};
  const auto ends = [&](verdict v, uint64_t duplicate_of) {
    p.select({0}, false);
    node_record r;
    r.index = f.tree.size() - 1;
    r.proposal.candidate = made;
    r.result = v;
    r.speedup = 1.5;
    r.ci_low = 1.4;
    r.ci_high = 1.6;
    r.duplicate_of = duplicate_of;
    CHECK(fold_finished(f, r));
    r.tree_hash = f.tree.hash();
    p.event(event_kind::node_finished, encode(r));
    return r.index;
  };
  ends(verdict::none, 0); // it was not judged
  CHECK(f.judged.empty());
  const auto first = ends(verdict::pass, 0);
  const auto second = ends(verdict::pass, first);
  CHECK(f.judged.at(made) == first);
  CHECK(f.tree.at(second).duplicate_of == first);
  f.steered.banned.insert(first);
  CHECK(most_promising(f) == 0);
  const auto page = page_of_tree(f, false, second, 1);
  CHECK(page.items.front().duplicate_of == first);
  const auto again = folded(p.events);
  CHECK(again.mismatch.empty());
  CHECK(again.judged == f.judged);
}

TEST_CASE("tree and status name the campaign that measured a reused verdict, until it is measured anew") {
  play p;
  auto& f = p.live;
  const result_owner other{{8, 8}, 4};
  p.select({0}, false);
  node_record r;
  r.index = f.tree.size() - 1;
  r.proposal.candidate = {7, 7};
  r.result = verdict::pass;
  r.speedup = 1.5;
  r.reused_from = other;
  CHECK(fold_finished(f, r));
  CHECK(page_of_tree(f, false, r.index, 1).items.front().reused_from == other);
  champion_record best;
  best.index = r.index;
  best.set_speedup(r);
  fold_champion_changed(f, best);
  CHECK(status_of(f, {}).reused_from == other);
  amendment_record a;
  a.index = r.index;
  a.set_measurement(r);
  a.speedup = 1.6;
  CHECK(fold_amended(f, a));
  CHECK_FALSE(page_of_tree(f, false, r.index, 1).items.front().reused_from);
  CHECK_FALSE(status_of(f, {}).reused_from);
  f.ended = true;
  f.finish.best = r.index;
  f.finish.reused_from = other;
  CHECK(status_of(f, {}).reused_from == other);
}

TEST_CASE("an unconfirmed faster candidate may be confirmed once, and becomes the best if it passes") {
  play p;
  auto& f = p.live;
  const auto looks = [&](double fitness, double ci_low, bool estimate) {
    p.select({0}, false);
    node_record r;
    r.index = f.tree.size() - 1;
    r.result = verdict::pass;
    r.speedup = fitness;
    r.ci_low = ci_low;
    r.ci_high = 2 * fitness;
    r.estimate = estimate;
    CHECK(fold_finished(f, r));
    r.tree_hash = f.tree.hash();
    p.event(event_kind::node_finished, encode(r));
    return r.index;
  };
  CHECK(most_promising(f) == 0); // confirmed candidates are excluded
  looks(1.4, 0.9, false);
  looks(1.5, 1.2, true);
  const auto second = looks(1.2, 1.05, false);
  const auto first = looks(1.3, 1.1, false);
  CHECK(most_promising(f) == first);
  f.steered.banned.insert(first);
  CHECK(most_promising(f) == second);
  f.steered.banned.clear();
  const confirmation_record c{first, "confirm", f.promotions.tests + 1, 0.01, 3.0, false};
  CHECK(fold_confirmed(f, c));
  p.event(event_kind::node_confirmed, encode(c));
  CHECK(most_promising(f) == second); // a proposal from it is under way
  const confirmation_record half_told{second, to_string(stage::final_confirm), f.promotions.tests + 1, 0.01, 9.0, true};
  CHECK(fold_confirmed(f, half_told));
  p.event(event_kind::node_confirmed, encode(half_told));
  CHECK(most_promising(f) == second); // a crash came before its figures, which must not count against it
  for (uint64_t i = 1; i < second; ++i)
    if (f.tree.at(i).confirmed) {
      amendment_record gone{{{{0, 0, 0}, verdict::crashed, false}, "signal", ""}, i, {}};
      CHECK(fold_amended(f, gone));
      gone.tree_hash = f.tree.hash();
      p.event(event_kind::node_amended, encode(gone));
    }
  CHECK(best_allowed(f, {}) == 0);
  amendment_record shown{{{{1.15, 1.1, 1.2}, verdict::pass, false}, "", ""}, second, {}, true};
  CHECK(fold_amended(f, shown));
  shown.tree_hash = f.tree.hash();
  p.event(event_kind::node_amended, encode(shown));
  CHECK(best_allowed(f, {}) == second);
  CHECK(best_measured(f) == second);
  const auto again = folded(p.events);
  CHECK(again.mismatch.empty());
  CHECK(picture(again) == picture(f));
}

TEST_CASE("a campaign is exported from the export of a batch until its import or its end") {
  play p;
  auto f = p.live;
  batch_record r;
  r.batch = {1, 2};
  r.action = batch_action::exported;
  r.candidates = 1;
  fold_batch(f, r);
  REQUIRE(f.away);
  CHECK(away_text(*f.away).starts_with("exported as batch 00000000 of 1 candidate:"));
  auto other = r;
  other.batch = {3, 4};
  other.action = batch_action::cancelled; // an older one
  fold_batch(f, other);
  CHECK(f.away);
  r.action = batch_action::imported;
  fold_batch(f, r);
  CHECK_FALSE(f.away);
  CHECK(f.batches.size() == 2);
  CHECK(f.tree.hash() == p.live.tree.hash());
}

TEST_CASE("a node awaits judgement if it has a candidate and no verdict") {
  campaign_fold f;
  selection_record s;
  s.index = 1;
  s.parents = {0};
  fold_selected(f, s);
  CHECK_FALSE(awaits_judgement(f, 1));
  f.summaries.set(1, "a step");
  CHECK(awaits_judgement(f, 1));
  CHECK(awaiting_judgement(f) == 1);
  node_record n;
  n.index = 1;
  n.result = verdict::pass;
  fold_finished(f, n);
  CHECK(awaiting_judgement(f) == 0);
}

TEST_CASE("campaign keys are found by the first digits of their ids") {
  const auto id = derive_id("campaign", "one");
  const auto digits = to_string(id);
  for (size_t n = 0; n <= digits.size(); ++n)
    CHECK(keys::status(id).starts_with(keys::statuses(digits.substr(0, n))));
  CHECK(keys::statuses(digits) == keys::status(id));
  CHECK(keys::statuses(digits.substr(0, 5)).size() == keys::statuses("").size() + 2);
  CHECK(keys::statuses("zz") == keys::statuses(""));
}

TEST_CASE("a row with its baseline's figure shows no interval, and at most the best") {
  play p;
  node_record same;
  same.index = 3;
  same.result = verdict::pass;
  same.rule = rule_name::same_object;
  same.speedup = same.ci_low = same.ci_high = 2.0; // its baseline's, which was measured again since
  same.estimate = true;
  REQUIRE(fold_finished(p.live, same));
  auto screened = same;
  screened.index = 6;
  screened.rule = "screened";
  screened.ci_low = 1.8;
  screened.ci_high = 2.2;
  REQUIRE(fold_finished(p.live, screened));
  const auto rows = page_of_tree(p.live, false, 0, 100).items;
  CHECK(rows[3].speedup == 1.9);
  CHECK(rows[3].ci_low == 0.0);
  CHECK(rows[3].ci_high == 0.0);
  CHECK(rows[6].ci_low == 1.8);
  CHECK(rows[6].ci_high == 2.2);
}

TEST_CASE("nodes in flight at a campaign's end are abandoned") {
  play p;
  CHECK(page_of_tree(p.live, false, 6, 1).items[0].state == "in_flight");
  finish_record end;
  end.state = campaign_phase::finished;
  end.stop_reason = end_reason::cancelled;
  p.event(event_kind::campaign_finished, encode(end));
  const auto f = folded(p.events);
  CHECK(page_of_tree(f, false, 6, 1).items[0].state == "abandoned");
  CHECK(page_of_tree(f, false, 5, 1).items[0].state == "finished");
}

TEST_CASE("a step is given the skills that its selection recorded, also after a restart") {
  play p;
  selection_record r;
  r.index = p.live.tree.size();
  r.parents = {0};
  r.memory = "both";
  offered_skill s;
  s.id = {7, 7};
  s.step.moves = "vectorise(_1,16)";
  s.weight = 0.25;
  r.skills = {s};
  REQUIRE(fold_selected(p.live, r));
  r.tree_hash = p.live.tree.hash();
  p.event(event_kind::node_selected, encode(r));
  campaign_fold again;
  for (const auto& e : p.events)
    fold(again, e);
  CHECK(again.mismatch.empty());
  const auto step = to_step(again, again.open.at(r.index));
  CHECK(step.skills == r.skills);
  // A record of before has none.
  auto older = encode(r);
  older.resize(older.size() - encode(r.skills).size());
  const auto read = decode_older<selection_record>(older);
  REQUIRE(read);
  CHECK(read->skills.empty());
  CHECK(read->tree_hash == r.tree_hash);
}
