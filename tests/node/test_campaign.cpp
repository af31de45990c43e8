#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "store/store.hpp"
#include "tests/node/live_node.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>

using namespace kevolve;
using namespace kevolve::test;

namespace {

// A campaign that ran to its end, and the directory of its stopped node. The cases that only read share it.
struct ended_campaign {
  scratch_folder dir;
  id128 id;
  campaign_status status;
};

const ended_campaign& ended() {
  static const auto out = [] {
    auto made = std::make_unique<ended_campaign>();
    live_node n{made->dir.path};
    made->id = n.submit("row_energy", {"judge.keep_samples=0"});
    made->status = n.await_end(made->id);
    return made;
  }();
  return *out;
}

} // namespace

TEST_CASE("a campaign runs to its budget and confirms its best against the reference") {
  const auto& s = ended().status;
  CHECK(s.state == "finished");
  CHECK(s.stop_reason == end_reason::budget);
  CHECK(s.candidates == 12);
  CHECK(s.valid == 12);
  CHECK(s.in_flight == 0);
  CHECK(s.best > 0);
  CHECK(s.final_confirmed);
  CHECK(s.speedup > 1.0);
  CHECK(s.ci_low <= s.speedup);
  CHECK(s.speedup <= s.ci_high);
  auto f = audit(ended().dir.path, ended().id);
  CHECK(f.tree.hash() == s.tree_hash);
  CHECK(f.ended);
  CHECK(f.tree.at(s.best).speedup == s.speedup); // the node says what the campaign says
}

TEST_CASE("promotions are tests in one stream, and samples of other candidates are thinned") {
  const auto& s = ended().status;
  REQUIRE(s.best > 0);
  auto f = audit(ended().dir.path, ended().id);
  CHECK(f.promotions.discoveries > 0);
  REQUIRE(f.confirmations.contains(s.best)); // the best candidate has its own confirmation
  CHECK(f.confirmations.at(s.best).discovery);
  CHECK(f.confirmations.at(s.best).log_e >= -std::log(f.confirmations.at(s.best).level));
  CHECK(f.tree.at(s.best).verified);

  store_options read_only;
  read_only.read_only = true;
  auto data = store::open(ended().dir.path, read_only);
  REQUIRE(data);
  auto rows = (*data)->scan(table::evaluations, "", 1'000);
  REQUIRE(rows);
  size_t thinned = 0;
  for (const auto& [key, bytes] : *rows) {
    auto record = decode_older<evaluation_record>(bytes);
    REQUIRE(record);
    for (const auto& t : record->outcome.timings) {
      const bool gone = record->outcome.evidence.contains("thinned." + t.shape);
      thinned += gone ? 1 : 0;
      if (gone)
        CHECK(t.baseline_ns.size() == 1);
      if (f.samples.promoted.contains(record->evaluation))
        CHECK(!gone);
    }
  }
  CHECK(thinned > 0);
}

TEST_CASE("pause lets jobs in flight end, resume continues, cancel ends with the best so far") {
  scratch_folder dir;
  live_node n{dir.path};
  auto id = n.submit("row_energy", {"budget.candidates=1000"});
  n.await(id, [](const campaign_status& s) { return s.candidates >= 2; });
  auto paused = n.pause(id, "lunch");
  REQUIRE(paused);
  CHECK(paused->state == "paused");
  CHECK(paused->reason == "lunch");
  auto again = n.pause(id, "twice");
  REQUIRE_FALSE(again);
  CHECK(again.error().code == errc::conflict);
  auto quiet = n.await(id, [](const campaign_status& s) { return s.in_flight == 0; });
  CHECK(quiet.state == "paused");
  auto resumed = n.resume(id);
  REQUIRE(resumed);
  CHECK(resumed->state == "running");
  n.await(id, [&](const campaign_status& s) { return s.candidates > quiet.candidates; });
  auto cancelled = n.cancel(id, "enough");
  REQUIRE(cancelled);
  CHECK(cancelled->state == "finished");
  CHECK(cancelled->stop_reason == end_reason::cancelled);
  CHECK(cancelled->reason == "enough");
  CHECK_FALSE(n.resume(id));
  CHECK_FALSE(n.cancel(id, "twice"));
  n.stop();
  auto f = audit(dir.path, id);
  CHECK(f.finish.stop_reason == end_reason::cancelled);
  CHECK(f.finish.best == cancelled->best);
}

TEST_CASE("a campaign cancelled before its preparation stays cancelled") {
  scratch_folder dir;
  live_node n{dir.path};
  auto id = n.submit("row_energy");
  n.await(id, [](const campaign_status& s) { return s.state == "preparing"; });
  auto cancelled = n.cancel(id, "a mistake");
  REQUIRE(cancelled);
  CHECK(cancelled->state == "finished");
  auto next = n.submit("row_energy", {"seed=2", "budget.candidates=1"});
  n.await_end(next); // enough time for the first one's preparation
  CHECK(n.status(id).state == "finished");
  CHECK(n.status(id).candidates == 0);
}

TEST_CASE("the oldest of many ended campaigns stop their actors, and restart them on request") {
  scratch_folder dir;
  live_node n{dir.path};
  std::vector<id128> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(n.submit("row_energy", {"seed=" + std::to_string(100 + i)}));
    n.await(all.back(), [](const campaign_status& s) { return s.state == "preparing"; });
    REQUIRE(n.cancel(all.back(), "enough"));
  }
  const auto live = [&] {
    uint64_t count = 0;
    for (const auto& own_status : n.get().statuses()->list())
      count += own_status.kind == "campaign" && own_status.ended_ns == 0 ? 1U : 0U;
    return count;
  };
  n.await(all.back(), [&](const campaign_status&) { return live() == 16; });
  auto first = n.wake(all.front());
  for (int i = 0; !first && i < 1'000; ++i) { // its former actors may still be ending
    CHECK(first.error().code == errc::unavailable);
    first = n.wake(all.front());
  }
  REQUIRE(first);
  CHECK(n.status(all.front()).state == "finished");
  CHECK(n.status(all.front()).stop_reason == end_reason::cancelled);
  n.await(all.back(), [&](const campaign_status&) { return live() == 16; });
}

TEST_CASE("a campaign with a refused task fails with the evidence") {
  scratch_folder dir;
  live_node n{dir.path};
  auto s = n.await_end(n.submit("ignores_input"));
  CHECK(s.state == "failed");
  CHECK(s.stop_reason == end_reason::error);
  CHECK(s.reason.find("'w'") != std::string::npos);
  CHECK(s.candidates == 0);
}

TEST_CASE("a node stopped half-way continues without repeating any job") {
  scratch_folder dir;
  id128 id;
  uint64_t acknowledged = 0;
  {
    live_node n{dir.path};
    id = n.submit("row_energy", {"budget.candidates=8"});
    acknowledged = n.await(id, [](const campaign_status& s) { return s.candidates >= 4; }).last_sequence;
  }
  auto half = audit(dir.path, id);
  CHECK_FALSE(half.ended);
  CHECK(half.last_sequence >= acknowledged);
  CHECK(half.tree.size() > 4);
  live_node n{dir.path};
  CHECK(n.submit("row_energy", {"budget.candidates=8"}) == id);
  auto s = n.await_end(id);
  CHECK(s.state == "finished");
  CHECK(s.candidates == 8);
  n.stop();
  auto f = audit(dir.path, id);
  CHECK(f.tree.hash() == s.tree_hash);
  for (uint64_t i = 0; i < half.tree.size(); ++i) {
    CHECK(f.tree.at(i).parents == std::vector<uint64_t>(half.tree.at(i).parents));
    if (half.tree.at(i).phase == node_phase::finished && !f.measured.contains(i)) // against the reference, in the end
      CHECK(f.tree.at(i).speedup == half.tree.at(i).speedup);
  }
}

TEST_CASE("a generator without proposals pauses until a new result, and costs no candidates") {
  scratch_folder dir;
  live_node n{dir.path};
  const auto id = n.submit("row_energy", {"generator=[{kind='transform'},{kind='configurations',weight=50}]",
                                          "search.generator_choice=weights", "budget.candidates=6"});
  const auto s = n.await_end(id);
  CHECK(s.stop_reason == end_reason::budget);
  CHECK(s.candidates == 6);
  n.stop();
  const auto f = audit(dir.path, id);
  const auto nothing = f.tree.size() - 1 - s.candidates;
  CHECK(nothing > 0);
  CHECK(nothing <= 3 * (s.candidates + 1) + 8); // some requests run at once
}

TEST_CASE("a campaign cancelled while its candidates wait for a batch is stored as ended") {
  scratch_folder dir;
  id128 id;
  const auto stored = [&id](const store& data) {
    auto bytes = data.get(table::index, keys::status(id));
    REQUIRE((bytes && *bytes));
    auto s = decode_older<campaign_status>(**bytes);
    REQUIRE(s);
    return *s;
  };
  {
    live_node n{dir.path, {.batch = {"cpu"}}};
    id = n.submit("row_energy");
    n.await(id, [](const campaign_status& s) { return s.waits_for == "batch"; });
    auto s = n.cancel(id, "");
    REQUIRE(s);
    CHECK(s->state == "finished");
    CHECK(s->waits_for == "");
    CHECK(s->awaiting_batch == 0);
    CHECK(s->reason == "");
    CHECK(stored(n.data()).state == "finished");
  }
  {
    auto data = store::open(dir.path);
    REQUIRE(data);
    auto as_before = stored(**data); // written by older nodes
    as_before.state = "paused";
    REQUIRE((*data)->put(table::index, keys::status(id), encode(as_before)));
  }
  live_node n{dir.path, {.batch = {"cpu"}}};
  REQUIRE(n.submit("row_energy") == id);
  n.await(id, [&](const campaign_status&) { return stored(n.data()).state == "finished"; }, std::chrono::seconds{20});
}
