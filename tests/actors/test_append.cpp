#include "actors/campaign/append.hpp"
#include "tests/support/virtual_system.hpp"

#include <caf/actor_cast.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <doctest/doctest.h>

#include <deque>

using namespace kevolve;

namespace {

// A journal that answers appends from a script of errors. When the script is over, it answers with the sequence 42.
struct scripted_journal_state {
  std::deque<errc> script;
  std::vector<append_request> heard;
};
using script_ptr = std::shared_ptr<scripted_journal_state>;

journal_actor::behavior_type scripted_journal(journal_actor::pointer, script_ptr st) {
  return {
      [st](atom::append, const append_request& r) -> caf::result<uint64_t> {
        st->heard.push_back(r);
        if (st->script.empty())
          return uint64_t{42};
        auto code = st->script.front();
        st->script.pop_front();
        return to_error({code, "as scripted"});
      },
      [](atom::events, const id128&, uint64_t, uint32_t) -> caf::result<std::vector<journal_event>> {
        return std::vector<journal_event>{};
      },
      [](atom::lookup, const std::string&, const std::string&) -> caf::result<std::string> {
        return to_error({errc::not_found, ""});
      },
      [](atom::lookup, const std::vector<stored_value>&) -> caf::result<std::vector<stored_value>> {
        return std::vector<stored_value>{};
      },
      [](atom::scan, const std::string&, const std::string&, uint32_t) -> caf::result<std::vector<stored_value>> {
        return std::vector<stored_value>{};
      },
      [](atom::blob, const std::string&) -> caf::result<std::string> { return to_error({errc::not_found, ""}); },
      [](atom::flush) {},
      [](atom::crash) {},
  };
}

struct writer_state {
  actor_status_ptr own_status;
};

struct desk : virtual_system {
  script_ptr script = std::make_shared<scripted_journal_state>();
  journal_actor journal = system.spawn(scripted_journal, script);
  std::vector<fault> told;
  caf::actor campaign = system.spawn([this](caf::event_based_actor*) -> caf::behavior {
    return {[this](atom::faulted, uint64_t index, const fault& f) {
      CHECK(index == 0);
      told.push_back(f);
    }};
  });
  std::optional<uint64_t> sequence;
  std::optional<failure> error;
  caf::actor writer;

  void write() {
    append_request r;
    r.campaign = {1, 2};
    r.events.push_back({event_kind::node_selected, "payload"});
    writer =
        spawn_tracked(system, statuses, "writer", "w", 0,
                      [this, r](caf::stateful_actor<writer_state>* self, actor_status_ptr own_status) -> caf::behavior {
                        append(
                            self, own_status, journal, campaign, r, [this](uint64_t n) { sequence = n; },
                            [this](caf::error& e) { error = to_failure(e); });
                        return {[](atom::tick) {}};
                      });
    run();
  }
  size_t live(const std::string& kind) const {
    size_t n = 0;
    for (const auto& v : statuses->list())
      n += v.kind == kind && v.ended_ns == 0 ? 1U : 0U;
    return n;
  }
  ~desk() {
    stop(writer);
    stop(campaign);
    stop(caf::actor_cast<caf::actor>(journal));
    run();
    journal = nullptr;
  }
};

} // namespace

TEST_CASE_FIXTURE(desk, "an accepted append is acknowledged, and the helper actor ends") {
  write();
  CHECK(sequence == 42);
  CHECK(told.empty());
  CHECK(live("appender") == 0);
  REQUIRE(script->heard.size() == 1);
  CHECK(script->heard[0].campaign == id128{1, 2});
  CHECK(script->heard[0].events[0].payload == "payload");
}

TEST_CASE_FIXTURE(desk, "an append waits while the disk is full, and reports the beginning and the end once") {
  script->script = {errc::no_space, errc::no_space, errc::read_only};
  write();
  for (int i = 1; i <= 3; ++i) {
    CHECK_FALSE(sequence);
    CHECK(script->heard.size() == static_cast<size_t>(i));
    REQUIRE(told.size() == 1);
    pass(500ms);
  }
  CHECK(sequence == 42);
  CHECK_FALSE(error);
  CHECK(told[0].kind == "no_space");
  CHECK(told[0].detail.find("as scripted") != std::string::npos);
  REQUIRE(told.size() == 2);
  CHECK_FALSE(told[1]);
  CHECK(script->heard[3].events[0].payload == "payload");
}

TEST_CASE_FIXTURE(desk, "an append waits for a restarting journal without a report to the campaign") {
  script->script = {errc::unavailable, errc::timed_out};
  write();
  pass(500ms);
  pass(500ms);
  CHECK(sequence == 42);
  CHECK(told.empty());
}

TEST_CASE_FIXTURE(desk, "an error that waiting cannot resolve is reported at once") {
  for (auto code : {errc::bad_input, errc::corrupt, errc::newer_format, errc::internal}) {
    script->script = {code};
    error.reset();
    write();
    REQUIRE(error);
    CHECK(error->code == code);
    CHECK(told.empty());
    stop(writer);
    run();
  }
}

TEST_CASE_FIXTURE(desk, "a writer that dies cancels its append and no longer delays the campaign") {
  script->script = std::deque<errc>(100, errc::no_space);
  write();
  REQUIRE(told.size() == 1);
  stop(writer);
  run();
  CHECK(live("appender") == 0);
  REQUIRE(told.size() == 2);
  CHECK_FALSE(told[1]);
  auto heard = script->heard.size();
  pass(5s);
  CHECK(script->heard.size() == heard);
}
