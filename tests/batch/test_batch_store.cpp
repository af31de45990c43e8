// Tests a campaign's export and import at the level of the store. The tests supply the judgements.
#include "actors/campaign/campaign_fold.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/batch/batch.hpp"
#include "tests/support/temporary_store.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

using namespace kevolve;

namespace {

const auto who = derive_id("test", "campaign");

// A campaign and its store, changed as its actors would.
struct desk {
  temporary_store place;
  store& data = *place.data;

  campaign_fold fold_of() {
    campaign_fold f;
    auto events = data.read_events(who, 1, 1'000);
    REQUIRE(events);
    for (const auto& e : *events)
      fold(f, {e.campaign_sequence, e.campaign, e.time_ns, static_cast<event_kind>(e.kind), e.payload, e.version});
    return f;
  }
  void put(event_kind kind, std::string payload, std::vector<write_op> writes = {}) {
    event_record e;
    e.campaign = who;
    e.time_ns = 5;
    e.kind = static_cast<uint16_t>(kind);
    e.version = record_version;
    e.payload = std::move(payload);
    transaction t{{e}, std::move(writes)};
    REQUIRE(data.commit({&t, 1}));
  }
  void submit() {
    campaign_submission s;
    s.name = "gemm";
    campaign_spec spec;
    spec.target = "cpu";
    s.spec = encode(spec);
    put(event_kind::campaign_submitted, encode(s), {write_op::put(table::index, keys::campaign(who), encode(s))});
  }
  node_record record(uint64_t index) {
    auto bytes = data.get(table::nodes, keys::node(who, index));
    REQUIRE(bytes);
    REQUIRE(*bytes);
    return *decode_older<node_record>(**bytes);
  }
  void put_node(event_kind kind, std::string payload, const node_record& r, const std::string& blob) {
    put(kind, std::move(payload),
        {write_op::put(table::nodes, keys::node(who, r.index), encode(r)), write_op::put_blob(blob)});
  }
  void select(uint64_t index) {
    auto f = fold_of();
    selection_record s;
    s.index = index;
    s.parents = {0};
    fold_selected(f, s);
    s.tree_hash = f.tree.hash();
    put(event_kind::node_selected, encode(s));
  }
  void propose(uint64_t index) {
    const auto source = "int x" + std::to_string(index) + ";";
    node_record r;
    r.index = index;
    r.parents = {0};
    r.state = candidate_state::proposed;
    r.proposal.index = index;
    r.proposal.source = sha256_hex(source);
    r.proposal.summary = "a step";
    put_node(event_kind::node_proposed, encode(r.proposal), r, source);
  }
  void judge(uint64_t index, double speedup) {
    auto f = fold_of();
    auto r = record(index);
    const auto object = "object " + std::to_string(index);
    r.state = candidate_state::finished;
    r.result = verdict::pass;
    r.speedup = r.ci_low = r.ci_high = speedup;
    r.object = sha256_hex(object);
    fold_finished(f, r);
    r.tree_hash = f.tree.hash();
    evaluation_record e;
    e.evaluation = derive_id("evaluation", object);
    e.object = r.object;
    put(event_kind::evaluation_result, encode(intent_record{index, e.evaluation, "compile", 1}),
        {write_op::put(table::evaluations, keys::evaluation(e.evaluation), encode(e))});
    put_node(event_kind::node_finished, encode(r), r, object);
  }
};

// The exporting side: one candidate is being made, two await judgement.
struct home_desk : desk {
  home_desk() {
    submit();
    for (uint64_t i = 1; i <= 3; ++i)
      select(i);
    propose(1);
    propose(2);
  }
};

batch_bundle sent(home_desk& home) {
  REQUIRE(mark_away(home.data, who, "alice"));
  auto out = take_batch(home.data, who);
  REQUIRE(out);
  auto same = parse_batch(to_batch_bytes(*out));
  REQUIRE(same);
  return *same;
}

batch_bundle judged(const batch_bundle& out, const std::function<void(desk&)>& work) {
  desk there;
  REQUIRE(unpack_batch(there.data, out));
  work(there);
  auto back = collect_batch(there.data, out);
  REQUIRE(back);
  return *back;
}

void both(desk& d) {
  d.judge(1, 2.0);
  d.judge(2, 3.0);
}

failure refusal(desk& d, const batch_bundle& back) {
  const auto before = d.data.last_sequence();
  auto r = import_batch(d.data, back, "alice");
  REQUIRE_FALSE(r);
  CHECK(d.data.last_sequence() == before); // nothing is lost
  return r.error();
}

bool holds(const std::string& text, const std::string& what) {
  INFO(text);
  return text.find(what) != std::string::npos;
}

} // namespace

TEST_CASE("results are stored by the import, and the campaign is no longer exported") {
  home_desk home;
  const auto out = sent(home);
  CHECK(out.candidates == 2);
  CHECK(home.fold_of().away);
  const auto back = judged(out, both);
  CHECK(back.candidates == 2);
  CHECK(back.left == 0);
  auto r = import_batch(home.data, back, "alice");
  REQUIRE_MESSAGE(r, (r ? "" : r.error().detail));
  CHECK(r->added);
  CHECK(r->left == 0);
  const auto f = home.fold_of();
  CHECK(f.mismatch == "");
  CHECK_FALSE(f.away);
  CHECK(f.tree.valid() == 2);
  CHECK(f.open.contains(3)); // is still being made
  CHECK(home.record(2).speedup == 3.0);
  CHECK(*home.data.blob(sha256_hex("object 2")) == "object 2");
  CHECK(*home.data.get(table::evaluations, keys::evaluation(derive_id("evaluation", "object 1"))));
}

TEST_CASE("only new results come back") {
  home_desk home;
  const auto out = sent(home);
  const auto back = judged(out, [](desk& d) { d.judge(1, 2.0); });
  CHECK(back.left == 1);
  CHECK(back.events.size() == 2);
  CHECK(back.values.size() == 2); // the node and the evaluation
  CHECK(back.blobs == std::vector<std::string>{"object 1"});
  CHECK(judged(out, [](desk&) {}).events.empty());
  CHECK(judged(out, [](desk& d) {
          d.put(event_kind::campaign_state, encode(state_record{run_state::paused, "sick"}));
        }).events.empty()); // is no matter of home
}

TEST_CASE("nothing is imported into a campaign that is not exported") {
  home_desk home;
  const auto back = judged(sent(home), both);
  const auto last = home.data.last_sequence();
  auto early = import_batch(home.data, back, "alice", false);
  REQUIRE_FALSE(early);
  CHECK(early.error().code == errc::conflict);
  CHECK(home.data.last_sequence() == last);
  REQUIRE(import_batch(home.data, back, "alice"));
  auto late = import_batch(home.data, back, "alice", false);
  REQUIRE(late);
  CHECK_FALSE(late->added);
}

TEST_CASE("records that others refer to are imported with them, or exist already") {
  home_desk home;
  auto back = judged(sent(home), both);
  REQUIRE(back.blobs.size() == 2);
  back.blobs.pop_back();
  const auto why = refusal(home, back);
  CHECK(why.code == errc::corrupt);
  CHECK(holds(why.detail, "neither in it nor in this data directory"));
}

TEST_CASE("importing twice in parallel has one effect") {
  for (int round = 0; round < 20; ++round) {
    home_desk home;
    const auto back = judged(sent(home), both);
    std::atomic<int> added = 0;
    std::atomic<int> told = 0;
    {
      std::vector<std::jthread> hands;
      for (int i = 0; i < 4; ++i)
        hands.emplace_back([&] {
          if (auto r = import_batch(home.data, back, "alice"); r) {
            ++told;
            added += r->added ? 1 : 0;
          }
        });
    }
    CHECK(told == 4);
    CHECK(added == 1);
    CHECK(home.fold_of().mismatch == "");
  }
}

TEST_CASE("importing twice has one effect, and other results of the same batch come too late") {
  home_desk home;
  const auto out = sent(home);
  const auto half = judged(out, [](desk& d) { d.judge(1, 2.0); });
  REQUIRE(import_batch(home.data, half, "alice"));
  const auto last = home.data.last_sequence();
  auto again = import_batch(home.data, half, "bob");
  REQUIRE(again);
  CHECK_FALSE(again->added);
  CHECK(again->left == 1);
  CHECK(home.data.last_sequence() == last);
  auto more = import_batch(home.data, judged(out, both), "alice");
  REQUIRE_FALSE(more);
  CHECK(more.error().code == errc::conflict);
  CHECK(holds(more.error().detail, "was imported already, with 2 events"));
  // The remaining candidate is exported again.
  REQUIRE(mark_away(home.data, who, "alice"));
  CHECK(take_batch(home.data, who)->candidates == 1);
}

TEST_CASE("changes that leave the tree as it is are allowed during an export") {
  home_desk home;
  const auto out = sent(home);
  home.propose(3);
  home.put(event_kind::campaign_ran, encode(run_record{7}));
  home.put(event_kind::session_started, encode(session_record{}));
  REQUIRE(import_batch(home.data, judged(out, both), "alice"));
  CHECK(home.fold_of().mismatch == "");
  CHECK(awaits_judgement(home.fold_of(), 3));
}

TEST_CASE("a campaign that has changed since refuses the import and names the change") {
  home_desk home;
  const auto out = sent(home);
  const auto back = judged(out, both);
  SUBCASE("it has selected") {
    home.select(4);
    CHECK(holds(refusal(home, back).detail, "has changed since it was exported: its event 8 is node_selected"));
  }
  SUBCASE("it has ended") {
    home.put(event_kind::campaign_finished,
             encode(finish_record{{}, campaign_phase::finished, end_reason::cancelled, "", 0, {}}));
    CHECK(holds(refusal(home, back).detail, "its event 8 is campaign_finished"));
  }
  SUBCASE("the batch was given up") {
    REQUIRE(cancel_away(home.data, who, "alice"));
    auto r = import_batch(home.data, back, "alice");
    REQUIRE_FALSE(r);
    CHECK(r.error().code == errc::conflict);
    CHECK(holds(r.error().detail, "was given up"));
    CHECK_FALSE(cancel_away(home.data, who, "alice"));
  }
}

TEST_CASE("results of another campaign or history are refused") {
  home_desk home;
  const auto back = judged(sent(home), both);
  auto other = back;
  other.campaign = derive_id("test", "another");
  CHECK(refusal(home, other).code == errc::not_found);
  CHECK(refusal(home, other).detail.find("is not in this data directory") != std::string::npos);
  other = back;
  other.batch = random_id();
  CHECK(holds(refusal(home, other).detail, "was not exported as batch"));
  other = back;
  other.history = sha256_hex("another");
  CHECK(holds(refusal(home, other).detail, "its first 7 events are others"));
  home_desk elsewhere; // the same campaign file in another directory
  CHECK(refusal(elsewhere, back).code == errc::conflict);
}

TEST_CASE("a forged file is refused as a whole") {
  home_desk home;
  const auto out = sent(home);
  CHECK(refusal(home, out).code == errc::bad_input);
  const auto back = judged(out, both);
  auto forged = back;
  forged.events.push_back({1, static_cast<uint16_t>(event_kind::campaign_steered), 1, ""});
  CHECK(holds(refusal(home, forged).detail, "campaign_steered"));
  forged = back;
  forged.events.erase(forged.events.begin() + 1); // removes the end of node 1
  CHECK(holds(refusal(home, forged).detail, "does not follow"));
  forged = back;
  forged.values.push_back({static_cast<uint8_t>(table::meta), "node/id", "x"});
  CHECK(refusal(home, forged).code == errc::corrupt);
  forged = back;
  forged.values.push_back({static_cast<uint8_t>(table::index), keys::campaign(who), "x"});
  CHECK(refusal(home, forged).code == errc::corrupt);
  forged = back;
  forged.values.front().key = keys::node(derive_id("test", "another"), 1);
  CHECK(refusal(home, forged).code == errc::corrupt);
  CHECK(import_batch(home.data, back, "alice")->added);
}

TEST_CASE("a campaign is exported once at a time, and only with candidates to judge") {
  home_desk home;
  CHECK(take_batch(home.data, who).error().code == errc::conflict);
  sent(home);
  auto again = mark_away(home.data, who, "bob");
  REQUIRE_FALSE(again);
  CHECK(again.error().code == errc::conflict);
  CHECK(holds(again.error().detail, "exported as batch"));
  CHECK(take_batch(home.data, who)); // the same file can be written again
  desk fresh;
  fresh.submit();
  CHECK(holds(mark_away(fresh.data, who, "bob").error().detail, "no candidate"));
  fresh.select(1);
  CHECK_FALSE(mark_away(fresh.data, who, "bob"));
  fresh.propose(1);
  fresh.judge(1, 2.0);
  CHECK_FALSE(mark_away(fresh.data, who, "bob"));
  steering_record r; // its budget is used up: what remains is to confirm its best
  r.action = steer_action::budget;
  r.budget.candidates = 1;
  auto f = fresh.fold_of();
  r = record_change(f.steered, r);
  r.tree_hash = f.tree.hash();
  fresh.put(event_kind::campaign_steered, encode(r));
  CHECK(mark_away(fresh.data, who, "bob")->candidates == 0);
  CHECK(mark_away(fresh.data, derive_id("test", "another"), "bob").error().code == errc::not_found);
}

TEST_CASE("a batch is unpacked once, into its own store, and interrupted work continues from its file") {
  home_desk home;
  const auto out = sent(home);
  CHECK(unpack_batch(home.data, out).error().code == errc::conflict);
  desk there;
  REQUIRE(unpack_batch(there.data, out));
  const auto last = there.data.last_sequence();
  REQUIRE(unpack_batch(there.data, out));
  CHECK(there.data.last_sequence() == last);
  const auto half = judged(out, [](desk& d) { d.judge(1, 2.0); });
  REQUIRE(unpack_done(there.data, out, half));
  REQUIRE(unpack_done(there.data, out, half)); // it exists already
  there.judge(2, 3.0);
  const auto whole = collect_batch(there.data, out);
  REQUIRE(whole);
  CHECK(whole->candidates == 2);
  CHECK(import_batch(home.data, *whole, "alice")->left == 0);
  auto other = half;
  other.batch = random_id();
  CHECK(unpack_done(there.data, out, other).error().code == errc::conflict);
}
