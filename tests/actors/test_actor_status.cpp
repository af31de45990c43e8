#include "tests/support/virtual_system.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

using namespace kevolve;

namespace {

struct worker_state {
  actor_status_ptr own_status;
};

caf::behavior worker(caf::stateful_actor<worker_state>* self, actor_status_ptr own_status) {
  self->state.own_status = std::move(own_status);
  report_exceptions(self);
  self->state.own_status->says("idle");
  return {
      [self](atom::tick) {
        handling h{self, self->state.own_status, "tick"};
        auto v = self->state.own_status->view();
        CHECK(v.message == "tick");
        CHECK(v.state == "busy");
      },
      [self](atom::crash) {
        handling h{self, self->state.own_status, "crash"};
        throw std::runtime_error{"a bug"};
      },
      [self](atom::flush) { self->quit(to_error({errc::unavailable, "helper ended"})); },
  };
}

actor_status_view find(const std::vector<actor_status_view>& statuses, uint64_t id) {
  auto i = std::find_if(statuses.begin(), statuses.end(), [&](const auto& v) { return v.id == id; });
  REQUIRE(i != statuses.end());
  return *i;
}

} // namespace

TEST_CASE("a live actor's status shows its identity and its work") {
  virtual_system s;
  auto a = spawn_tracked(s.system, s.statuses, "device", "cpu:1", 7, worker);
  s.run();
  caf::anon_send(a, atom::tick_v);
  caf::anon_send(a, atom::tick_v);
  s.run();
  auto v = find(s.statuses->list(), a.id());
  CHECK(v.kind == "device");
  CHECK(v.name == "cpu:1");
  CHECK(v.parent == 7);
  CHECK(v.state == "idle");
  CHECK(v.handled == 2);
  CHECK(v.message == "");
  CHECK(v.restarts == 0);
  CHECK(v.ended_ns == 0);
  CHECK(s.statuses->handle(a.id()) == a);
  virtual_system::stop(a);
  s.run();
  CHECK_FALSE(s.statuses->handle(a.id()));
}

TEST_CASE("a dead actor's status is kept with the text of its exception") {
  virtual_system s;
  auto a = spawn_tracked(s.system, s.statuses, "device", "cpu:1", 0, worker);
  caf::anon_send(a, atom::crash_v);
  s.run();
  auto v = find(s.statuses->list(), a.id());
  CHECK(v.state == "dead");
  CHECK(v.ended_ns > 0);
  CHECK(v.last_failure.find("a bug") != std::string::npos);
}

TEST_CASE("a restarted actor's status shows the number of restarts and the last reason") {
  virtual_system s;
  auto start = [&] { return spawn_tracked(s.system, s.statuses, "device", "cpu:1", 0, worker); };
  auto a = start();
  caf::anon_send(a, atom::crash_v);
  s.run();
  a = start();
  caf::anon_send(a, atom::flush_v);
  s.run();
  auto b = start();
  auto other = spawn_tracked(s.system, s.statuses, "device", "cpu:2", 0, worker);
  s.run();
  auto v = find(s.statuses->list(), b.id());
  CHECK(v.restarts == 2);
  CHECK(v.last_failure == "unavailable: helper ended");
  CHECK(find(s.statuses->list(), other.id()).restarts == 0);
  virtual_system::stop(b);
  s.run();
  // A regular end is no failure.
  auto c = start();
  s.run();
  v = find(s.statuses->list(), c.id());
  CHECK(v.restarts == 2);
  CHECK(v.last_failure == "unavailable: helper ended");
  virtual_system::stop(c);
  virtual_system::stop(other);
}

TEST_CASE("tallies and pages agree with the whole list, whatever the actors do") {
  virtual_system s;
  s.statuses = std::make_shared<actor_status_table>(5); // the oldest dead actors are forgotten
  std::minstd_rand draw{7};
  std::vector<caf::actor> all;
  const std::vector<std::string> kinds{"device", "search_node", "appender"};
  for (int step = 0; step < 400; ++step) {
    if (all.empty() || draw() % 3 == 0)
      all.push_back(spawn_tracked(s.system, s.statuses, kinds[draw() % kinds.size()], "n" + std::to_string(draw() % 4),
                                  0, worker));
    const auto which = draw() % all.size();
    switch (draw() % 6) {
      case 0:
        caf::anon_send(all[which], atom::crash_v);
        break;
      case 1:
        virtual_system::stop(all[which]);
        break;
      default:
        caf::anon_send(all[which], atom::tick_v);
        break;
    }
    s.run();
    const auto list = s.statuses->list();
    for (const auto& [kind, tally] : s.statuses->tallies()) {
      CAPTURE(kind);
      int64_t live = 0, busy = 0, restarts = 0, mailbox = 0, handled = 0, dead = 0, failed = 0;
      for (const auto& v : list) {
        if (v.kind != kind)
          continue;
        handled += static_cast<int64_t>(v.handled);
        if (v.ended_ns != 0) {
          ++dead;
          failed += v.last_failure == "stopped" ? 0 : 1;
          continue;
        }
        ++live;
        busy += v.state == "idle" || v.state == "starting" ? 0 : 1;
        restarts += static_cast<int64_t>(v.restarts);
        mailbox += static_cast<int64_t>(v.mailbox);
      }
      REQUIRE(tally->live == live);
      REQUIRE(tally->busy == busy);
      REQUIRE(tally->restarts == restarts);
      REQUIRE(tally->mailbox == mailbox);
      REQUIRE(tally->handled == handled);
      REQUIRE(tally->dead == dead);
      REQUIRE(tally->failed == failed);
    }
    for (const std::string kind : {"", "device", "none"})
      for (const std::string state : {"", "live", "dead", "starting", "idle", "busy"}) {
        std::vector<uint64_t> wanted;
        for (const auto& v : list) {
          const std::string is = v.ended_ns != 0                              ? "dead"
                                 : v.state == "idle" || v.state == "starting" ? v.state
                                                                              : "busy";
          if ((kind.empty() || v.kind == kind)
              && (state.empty() || state == is || (state == "live" && v.ended_ns == 0)))
            wanted.push_back(v.id);
        }
        const auto first = draw() % 12;
        const auto limit = 1 + draw() % 6;
        const auto page = s.statuses->page(kind, state, first, limit);
        REQUIRE(page.total == wanted.size());
        const auto from = std::min<size_t>(first, wanted.size());
        const auto until = std::min<size_t>(from + limit, wanted.size());
        REQUIRE(page.items.size() == until - from);
        for (size_t i = from; i < until; ++i)
          REQUIRE(page.items[i - from].id == wanted[i]);
      }
    if (!list.empty())
      CHECK(s.statuses->find(list.back().id)->name == list.back().name);
    CHECK(!s.statuses->find(1'000'000'000));
  }
  for (const auto& a : all)
    virtual_system::stop(a);
  s.run();
}

TEST_CASE("log messages of an actor name the message that it handles") {
  virtual_system s;
  struct author_state {
    actor_status_ptr own_status;
  };
  auto author = [](caf::stateful_actor<author_state>* self, actor_status_ptr own_status) -> caf::behavior {
    self->state.own_status = std::move(own_status);
    self->state.own_status->about("1a2b3c4d", "7");
    return {[self](atom::tick) {
      handling h{self, self->state.own_status, "tick"};
      log::info("test", "inside");
    }};
  };
  auto pattern = (std::filesystem::temp_directory_path() / "kevolve-status-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  log::configure({log::level::info, true, pattern + "/log"});
  auto a = spawn_tracked(s.system, s.statuses, "search_node", "1a2b3c4d/7", 0, author);
  caf::anon_send(a, atom::tick_v);
  s.run();
  log::info("test", "outside");
  log::configure({});
  std::ifstream in{pattern + "/log"};
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(nlohmann::json::parse(line));
  std::filesystem::remove_all(pattern);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["text"].get<std::string>() == "inside");
  CHECK(lines[0]["campaign"].get<std::string>() == "1a2b3c4d");
  CHECK(lines[0]["node"].get<std::string>() == "7");
  CHECK(lines[0]["actor"].get<std::string>() == std::to_string(a.id()));
  CHECK_FALSE(lines[1].contains("campaign"));
  virtual_system::stop(a);
}

TEST_CASE("the reason for waiting is shown for a kind of actor when none of them can work") {
  virtual_system s;
  auto first = s.statuses->open("device", "cpu:0", 0);
  auto second = s.statuses->open("device", "cpu:1", 0);
  auto a = s.system.spawn(worker, first);
  auto b = s.system.spawn(worker, second);
  CHECK(s.statuses->awaited("device") == "");
  s.statuses->opened(first, caf::actor_cast<caf::actor>(a));
  s.statuses->opened(second, caf::actor_cast<caf::actor>(b));
  first->awaits("job 1: waiting for core 0", "core 0");
  CHECK(first->view().state == "job 1: waiting for core 0");
  CHECK(s.statuses->awaited("device") == "");
  second->awaits("job 2: waiting for core 1", "core 1");
  CHECK(s.statuses->awaited("device") != "");
  CHECK(s.statuses->awaited("evaluator") == "");
  second->says("job 2: racing");
  CHECK(s.statuses->awaited("device") == "");
  virtual_system::stop(a);
  virtual_system::stop(b);
}

TEST_CASE("the oldest statuses of dead actors are dropped and counted") {
  virtual_system s;
  s.statuses = std::make_shared<actor_status_table>(3);
  std::vector<uint64_t> ids;
  for (int i = 0; i < 5; ++i) {
    auto a = spawn_tracked(s.system, s.statuses, "device", "cpu:" + std::to_string(i), 0, worker);
    ids.push_back(a.id());
    caf::anon_send(a, atom::flush_v);
    s.run();
  }
  CHECK(s.statuses->forgotten() == 2);
  auto left = s.statuses->list();
  REQUIRE(left.size() == 3);
  CHECK(left.front().id == ids[2]);
  CHECK(left.back().id == ids[4]);
}

TEST_CASE("successful append helpers leave no status behind, failed ones do") {
  virtual_system s;
  auto good = spawn_tracked(s.system, s.statuses, "appender", "x", 0, worker);
  auto bad = spawn_tracked(s.system, s.statuses, "appender", "x", 0, worker);
  virtual_system::stop(good);
  caf::anon_send(bad, atom::crash_v);
  s.run();
  auto left = s.statuses->list();
  REQUIRE(left.size() == 1);
  CHECK(left[0].id == bad.id());
}
