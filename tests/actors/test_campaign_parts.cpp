// The parts of a campaign's state that need no actor.
#include "actors/campaign/candidates_in_flight.hpp"
#include "actors/campaign/event_outbox.hpp"
#include "actors/campaign/pause_reasons.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

append_request one_event(const std::string& payload) {
  append_request a;
  a.events.push_back({event_kind::campaign_state, payload});
  a.blobs.push_back("blob of " + payload);
  return a;
}

} // namespace

TEST_CASE("people are told the first reason that holds a campaign up, in the order of the enumeration") {
  pause_reasons p;
  CHECK_FALSE(p.reported(campaign_phase::running));
  p.set(pause_reason::models, "every model is on hold");
  CHECK(p.reported(campaign_phase::running) == pause_reason::models);
  CHECK_FALSE(p.reported(campaign_phase::finishing)); // no model is needed for that
  p.set(pause_reason::cluster, "PostgreSQL is away");
  CHECK(p.reported(campaign_phase::preparing) == pause_reason::cluster);
  p.set(pause_reason::person, "asked to");
  CHECK(p.reported(campaign_phase::paused) == pause_reason::person); // who resumes it should know that one
  p.clear(pause_reason::person);
  p.clear(pause_reason::cluster);
  p.set_elsewhere(pause_reason::batch, "3 candidates wait for a batch");
  CHECK(p.reported(campaign_phase::running) == pause_reason::batch);
  CHECK(p.reported(campaign_phase::finishing) == pause_reason::batch);
  p.set(pause_reason::storage, "no space left");
  CHECK(p.reported(campaign_phase::running) == pause_reason::storage);
  CHECK(p.words(pause_reason::storage) == "no space left");
  CHECK_FALSE(p.reported(campaign_phase::finished));
  p.clear(pause_reason::storage);
  CHECK(p.reported(campaign_phase::running) == pause_reason::batch);
}

TEST_CASE("one reason of a batch holds at a time") {
  pause_reasons p;
  CHECK_FALSE(p.elsewhere());
  p.set_elsewhere(pause_reason::batch, "waits");
  p.set_elsewhere(pause_reason::import, "away");
  CHECK(p.elsewhere() == pause_reason::import);
  CHECK_FALSE(p.holds(pause_reason::batch));
  p.set_elsewhere({}, {});
  CHECK_FALSE(p.elsewhere());
  for (size_t i = 0; i < pause_reason_texts.size(); ++i) {
    const auto x = static_cast<pause_reason>(i);
    CHECK(parse_enum<pause_reason>(to_string(x)) == x);
    CHECK_FALSE((is_elsewhere(x) && !passes_by_itself(x)));
  }
}

TEST_CASE("a paused campaign alone reports a reason, and a person's resume leaves the storage's") {
  pause_reasons p;
  p.set(pause_reason::faults, "12 faults in a row");
  CHECK_FALSE(p.reported(campaign_phase::running));
  CHECK(p.reported(campaign_phase::paused) == pause_reason::faults);
  p.set(pause_reason::person, "asked to");
  CHECK(p.reported(campaign_phase::paused) == pause_reason::person);
  p.set(pause_reason::storage, "no space left");
  p.clear_paused();
  CHECK(p.reported(campaign_phase::paused) == pause_reason::storage);
  CHECK_FALSE(p.holds(pause_reason::person));
}

TEST_CASE("appends go out one batch at a time, merged in order") {
  event_outbox o;
  CHECK_FALSE(o.ready());
  int stored = 0;
  o.gather(true);
  o.add(one_event("a"), [&] { ++stored; });
  CHECK_FALSE(o.ready()); // more comes
  o.add(one_event("b"), {});
  o.gather(false);
  REQUIRE(o.ready());
  const auto first = o.take(id128{1, 2});
  CHECK(first.what.campaign == id128{1, 2});
  REQUIRE(first.what.events.size() == 2);
  CHECK(first.what.events[0].payload == "a");
  CHECK(first.what.events[1].payload == "b");
  CHECK(first.what.blobs.size() == 2);
  CHECK(first.stored.size() == 1);
  o.add(one_event("c"), [&] { ++stored; });
  CHECK(o.writing());
  CHECK_FALSE(o.ready()); // the first is not written yet
  for (const auto& f : first.stored)
    f();
  CHECK(stored == 1);
  o.written();
  REQUIRE(o.ready());
  CHECK(o.take(id128{1, 2}).what.events.size() == 1);
}

TEST_CASE("a candidate in flight keeps its faults while its actor comes and goes") {
  candidates_in_flight f;
  CHECK(f.empty());
  f.select(3);
  CHECK(f.is_selecting(3));
  CHECK_FALSE(f.is_selecting(4));
  f.selected(3);
  CHECK_FALSE(f.is_selecting(3));
  CHECK(f.count_fault(3) == 0);
  CHECK(f.count_fault(3) == 1);
  f.expect(3);
  CHECK(f.faults(3) == 2);
  CHECK_FALSE(f.actor_of(3));
  CHECK(f.release().empty()); // none has an actor
  CHECK(f.empty());
  CHECK(f.faults(3) == 0);
}

TEST_CASE("candidates with one source are judged once, and anew when the first one is no longer open") {
  candidates_in_flight f;
  const id128 source{7, 7};
  const auto open = [](uint64_t) { return true; };
  CHECK(f.judged_for(source, 1, open) == 1);
  CHECK(f.judged_for(source, 1, open) == 1);
  CHECK(f.judged_for(source, 2, open) == 1);
  CHECK(f.judged_for(source, 3, [](uint64_t x) { return x != 1; }) == 3);
  CHECK(f.judged(3).empty()); // nobody waited
  CHECK(f.judged_for(source, 4, open) == 4);
}
