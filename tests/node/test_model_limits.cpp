// Tests the limits of campaigns with a provider's model: refused calls, budgets of tokens and of money.
#include "tests/node/model_campaign.hpp"
#include "tests/node/scripted_service.hpp"

#include <caf/scoped_actor.hpp>

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::test;

namespace {

const std::string wrong_key =
    R"({"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}})";

} // namespace

TEST_CASE("when its model may not be asked any more, the stand-in generator continues") {
  scratch_folder dir;
  scripted_service service{{streams(written(1)), refuses(401, wrong_key)}};
  live_node n{dir.path, {.providers = {service.spec}}};
  const auto id = n.submit("row_energy", {"generator=[{kind='llm',in_flight=1},{kind='transform',weight=0}]",
                                          "draft.candidates=1", "budget.candidates=8"});
  const auto s = n.await_end(id);
  CHECK(s.stop_reason == end_reason::budget);
  CHECK(s.candidates == 8);
  CHECK(service.server.requests().size() == 2); // it was not asked again
  n.stop();
  auto by = made_by(dir.path, id, 9);
  CHECK(by["llm"] == 1);
  CHECK(by["nobody"] == 1); // nothing is charged for it
  CHECK(by["transform"] == 7);
}

TEST_CASE("without a stand-in the campaign pauses with the reason, and continues after the repair") {
  scratch_folder dir;
  scripted_service service{
      {refuses(401, wrong_key), streams(written(1)), streams(written(2)), streams(written(3)), streams(written(4))}};
  live_node n{dir.path, {.providers = {service.spec}}};
  const auto id = n.submit("row_energy", by_llm);
  const auto paused = n.await(id, [](const campaign_status& s) { return s.state == "paused"; });
  CHECK(paused.reason.find("every model is on hold: scripted:") != std::string::npos);
  caf::scoped_actor self{n.get().system()};
  self->request(n.get().models(), std::chrono::seconds{60}, atom::resume_v, std::string{"scripted"})
      .receive([](const provider_status& p) { CHECK(p.state == "ready"); },
               [](const caf::error& e) { FAIL(to_string(to_failure(e))); });
  const auto s = n.await_end(id); // nobody resumes it
  CHECK(s.stop_reason == end_reason::budget);
  CHECK(s.candidates == 4);
  CHECK(s.valid == 4);
}

TEST_CASE("when its provider fails repeatedly, the stand-in generator continues" * doctest::test_suite("long")) {
  scratch_folder dir;
  scripted_service service{std::vector<script>(50, refuses(500, "{}"))};
  live_node n{dir.path, {.providers = {service.spec}}};
  const auto id = n.submit("row_energy", {"generator=[{kind='llm',in_flight=3},{kind='transform',weight=0}]",
                                          "draft.candidates=1", "budget.candidates=5"});
  const auto s = n.await_end(id);
  CHECK(s.stop_reason == end_reason::budget);
  CHECK(s.candidates == 5);
  CHECK(s.valid == 5);
}

TEST_CASE("a campaign with a token budget ends with it") {
  scratch_folder dir;
  std::vector<script> scripts;
  for (int i = 1; i <= 20; ++i)
    scripts.push_back(streams(written(i)));
  scripted_service service{std::move(scripts)};
  live_node n{dir.path, {.providers = {service.spec}}};
  const auto id =
      n.submit("row_energy", {"generator[0].kind=llm", "generator[0].in_flight=1", "draft.candidates=2",
                              "generator[0].reply_tokens=2000", "budget.candidates=1000", "budget.tokens=8000"});
  const auto s = n.await_end(id);
  CHECK(s.stop_reason == end_reason::budget);
  CHECK(s.reason.find("tokens") != std::string::npos);
  CHECK(s.models.tokens <= 8'000);
  CHECK(s.valid >= 1);
}

TEST_CASE("a campaign that names an unknown provider is refused by name") {
  scratch_folder dir;
  live_node n{dir.path};
  const auto refused = n.try_submit("row_energy", by_llm);
  REQUIRE(!refused);
  CHECK(refused.error().detail.find("no [[provider]]") != std::string::npos);
}

TEST_CASE("a money budget is refused if a provider's calls have no price") {
  scratch_folder dir;
  scripted_service service{{}};
  service.spec.price = {};
  live_node n{dir.path, {.providers = {service.spec}}};
  const auto refused = n.try_submit("row_energy", {"generator[0].kind=llm", "budget.cost=1.5"});
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::bad_input);
  CHECK(refused.error().detail.find("provider 'scripted' has no price") != std::string::npos);
}
