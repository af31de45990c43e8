// Tests a campaign whose events are still being read.
#include "actors/campaign/campaign.hpp"
#include "actors/campaign/campaign_context.hpp"
#include "runtime/base/codec.hpp"
#include "tests/support/virtual_system.hpp"

#include <caf/actor_cast.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

// A journal that delivers the events only after a flush.
struct slow_journal_state {
  caf::typed_response_promise<std::vector<journal_event>> reading;
  std::vector<append_request> heard;
  std::vector<journal_event> events;
  bool refuses = false;
};

journal_actor::behavior_type slow_journal(journal_actor::pointer self, std::shared_ptr<slow_journal_state> st) {
  return {
      [st](atom::append, const append_request& r) -> caf::result<uint64_t> {
        if (st->refuses)
          return to_error({errc::no_space, "no space left"});
        st->heard.push_back(r);
        return uint64_t{42};
      },
      [self, st](atom::events, const id128&, uint64_t, uint32_t) -> caf::result<std::vector<journal_event>> {
        st->reading = self->make_response_promise<std::vector<journal_event>>();
        return st->reading;
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
      [st](atom::flush) { st->reading.deliver(st->events); },
      [](atom::crash) {},
  };
}

struct loading : virtual_system {
  std::shared_ptr<slow_journal_state> journal = std::make_shared<slow_journal_state>();
  campaign_actor proxy;
  std::shared_ptr<reply<campaign_status>> status;
  std::shared_ptr<reply<steer_answer>> steered;

  // Sends requests before the events arrive.
  explicit loading(bool dormant = true) {
    auto context = std::make_shared<campaign_context>();
    context->id = derive_id("test", "campaign");
    context->name = "slow to read";
    context->spec = std::make_shared<campaign_spec>();
    context->statuses = statuses;
    context->journal = system.spawn(slow_journal, journal);
    context->dormant = dormant;
    journal_front = context->journal;
    proxy = caf::actor_cast<campaign_actor>(
        spawn_tracked(system, statuses, "campaign", "slow", 0, campaign, campaign_context_ptr{context}));
    caf::anon_send(proxy, atom::begin_v);
    run();
    REQUIRE(journal->reading.pending());
    steer_request q;
    q.action = steer_action::priority;
    q.by = "alice";
    q.priority = 300;
    status = ask<campaign_status>(proxy, atom::status_v);
    steered = ask<steer_answer>(proxy, atom::steer_v, q);
    run();
    CHECK_FALSE(status->come());
    CHECK_FALSE(steered->come());
    CHECK(journal->heard.empty());
  }
  ~loading() {
    journal->reading = {}; // breaks the cycle of references with the journal
    stop(caf::actor_cast<caf::actor>(proxy));
    run();
  }
  loading(const loading&) = delete;
  loading& operator=(const loading&) = delete;

  journal_actor journal_front;
};

} // namespace

TEST_CASE("a request to a campaign that is being read is answered once it is read") {
  loading s;
  caf::anon_send(s.journal_front, atom::flush_v);
  s.run();
  REQUIRE(s.status->value);
  CHECK(s.status->value->state == "queued");
  REQUIRE(s.steered->value);
  CHECK(s.steered->value->changed);
  CHECK(s.steered->value->status.priority == 300);
  CHECK(s.journal->heard.size() == 1);
}

TEST_CASE(
    "a campaign cancelled while the storage refuses writes is stored as finished, and shown as paused until then") {
  loading s;
  caf::anon_send(s.journal_front, atom::flush_v);
  s.run();
  s.journal->refuses = true;
  caf::anon_send(s.proxy, atom::faulted_v, uint64_t{0}, fault{"no_space", "no space left", 0});
  auto cancelled = s.ask<campaign_status>(s.proxy, atom::cancel_v, std::string{"enough"});
  s.run();
  REQUIRE(cancelled->error); // a kill would be undone by a restart
  CHECK(cancelled->error->code == errc::no_space);
  CHECK(cancelled->error->detail.find("it is stopped, but that cannot be recorded yet: no space left") == 0);
  s.journal->refuses = false;
  s.pass(500ms);
  REQUIRE_FALSE(s.journal->heard.back().values.empty());
  auto stored = decode_older<campaign_status>(s.journal->heard.back().values.back().value);
  REQUIRE(stored);
  CHECK(stored->state == "finished");
  CHECK(stored->reason == "enough");
}

TEST_CASE("a campaign paused before its preparation stays paused after a restart and prepares nothing") {
  loading s{false};
  journal_event e;
  e.sequence = 1;
  e.kind = event_kind::campaign_state;
  e.payload = encode(state_record{run_state::paused, "operator"});
  s.journal->events = {e};
  caf::anon_send(s.journal_front, atom::flush_v); // there is no evaluator here to ask
  s.run();
  auto status = s.ask<campaign_status>(s.proxy, atom::status_v);
  s.run();
  REQUIRE(status->value);
  CHECK(status->value->state == "paused");
  CHECK(status->value->reason == "operator");
}

TEST_CASE("a request to a campaign that dies while it is read gets an error") {
  loading s;
  caf::anon_send(s.proxy, atom::crash_v);
  s.run();
  CHECK(s.status->error);
  CHECK(s.steered->error);
}
