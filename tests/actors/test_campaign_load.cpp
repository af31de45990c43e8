// A campaign whose events are still being read.
#include "actors/campaign.hpp"
#include "actors/campaign_context.hpp"
#include "virtual_system.hpp"

#include <caf/actor_cast.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

// A journal that gives the events once it is told to flush.
struct slow_journal_state {
  caf::typed_response_promise<std::vector<journal_event>> reading;
  std::vector<append_request> heard;
};

journal_actor::behavior_type slow_journal(journal_actor::pointer self, std::shared_ptr<slow_journal_state> st) {
  return {
      [st](atom::append, const append_request& r) -> caf::result<uint64_t> {
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
      [](atom::scan, const std::string&, const std::string&, uint32_t) -> caf::result<std::vector<stored_value>> {
        return std::vector<stored_value>{};
      },
      [](atom::blob, const std::string&) -> caf::result<std::string> { return to_error({errc::not_found, ""}); },
      [st](atom::flush) { st->reading.deliver(std::vector<journal_event>{}); },
      [](atom::crash) {},
  };
}

} // namespace

TEST_CASE("what is asked of a campaign that is being read is answered once it is") {
  virtual_system s;
  auto journal = std::make_shared<slow_journal_state>();
  auto context = std::make_shared<campaign_context>();
  context->id = derive_id("test", "campaign");
  context->name = "slow to read";
  context->spec = std::make_shared<campaign_spec>();
  context->cards = s.cards;
  context->journal = s.system.spawn(slow_journal, journal);
  context->dormant = true;
  auto front = caf::actor_cast<campaign_actor>(
      spawn_carded(s.system, s.cards, "campaign", "slow", 0, campaign, campaign_context_ptr{context}));
  caf::anon_send(front, atom::begin_v);
  s.run();
  REQUIRE(journal->reading.pending());

  steer_request q;
  q.action = "priority";
  q.by = "alice";
  q.priority = 300;
  auto status = s.ask<campaign_status>(front, atom::status_v);
  auto steered = s.ask<steer_answer>(front, atom::steer_v, q);
  s.run();
  CHECK_FALSE(status->come());
  CHECK_FALSE(steered->come());
  CHECK(journal->heard.empty());

  caf::anon_send(context->journal, atom::flush_v);
  s.run();
  REQUIRE(status->value);
  CHECK(status->value->state == "queued");
  REQUIRE(steered->value);
  CHECK(steered->value->changed);
  CHECK(steered->value->status.priority == 300);
  CHECK(journal->heard.size() == 1);
  virtual_system::stop(caf::actor_cast<caf::actor>(front));
  s.run();
}
