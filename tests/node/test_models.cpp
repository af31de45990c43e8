// Tests campaigns whose candidates come from a provider's model, over real connections to a scripted server.
#include "actors/messages/keys.hpp"
#include "backends/llm/ledger/ledger.hpp"
#include "runtime/base/codec.hpp"
#include "store/store.hpp"
#include "tests/node/live_node.hpp"
#include "tests/node/model_campaign.hpp"
#include "tests/node/scripted_service.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using namespace kevolve;
using namespace kevolve::test;

namespace {

int64_t calls_counted(const std::string& data_dir, const id128& campaign) {
  auto data = store::open(data_dir);
  REQUIRE(data);
  auto bytes = (*data)->get(table::index, keys::spent_by(campaign));
  REQUIRE((bytes && *bytes));
  auto l = decode_older<llm::ledger>(**bytes);
  REQUIRE(l);
  return l->spent.calls + static_cast<int64_t>(l->open.size());
}

bool holds(const std::string& folder, const std::string& what) {
  for (const auto& f : std::filesystem::recursive_directory_iterator{folder})
    if (f.is_regular_file()) {
      std::ifstream in{f.path(), std::ios::binary};
      std::ostringstream all;
      all << in.rdbuf();
      if (all.str().find(what) != std::string::npos)
        return true;
    }
  return false;
}

} // namespace

TEST_CASE("a provider's model writes a campaign's candidates; usage is counted, and the key is nowhere") {
  scratch_folder dir;
  scripted_service service{{streams(written(1)), streams("I would rather talk."), streams(written(2)),
                            refuses(503, "{}"), streams(written(3)), streams(written(4))}};
  live_node n{dir.path, {.providers = {service.spec}}};
  const auto id = n.submit("row_energy", by_llm);
  const auto s = n.await_end(id);
  CHECK(s.stop_reason == end_reason::budget);
  CHECK(s.candidates == 4);
  CHECK(s.valid == 4); // the reply without code was repaired in the next round
  CHECK(s.models.calls == 6);
  CHECK(s.models.tokens == 5 * 1'300);
  CHECK(s.models.output_tokens == 5 * 300);
  CHECK(s.models.money == 5 * (1'000 * 1'000 + 300 * 2'000));
  for (const auto& r : service.server.requests())
    CHECK(r.head.find(std::string{"Bearer "} + canary) != std::string::npos);
  n.stop();
  audit(dir.path, id);
  CHECK(made_by(dir.path, id, 4)["llm"] == 4);
  CHECK(holds(dir.path, "four partial sums"));
  CHECK(!holds(dir.path, canary));
}

TEST_CASE("a paid candidate is judged, even if the budget ends meanwhile") {
  scratch_folder dir;
  std::vector<script> replies;
  for (int i = 1; i <= 60; ++i)
    replies.push_back(streams(written(i)));
  scripted_service service{std::move(replies)};
  live_node n{dir.path, {.providers = {service.spec}}};
  const auto id = n.submit("row_energy", {"generator[0].kind=llm", "generator[0].in_flight=6", "search.in_flight=8",
                                          "budget.candidates=100000", "budget.cost=0.06", "draft.candidates=100"});
  const auto s = n.await_end(id);
  CHECK(s.stop_reason == end_reason::budget);
  CHECK(s.models.calls > 6);
  CHECK(s.candidates == s.models.calls);
  CHECK(s.valid == s.candidates);
}

TEST_CASE("a repeated candidate is not judged again and gets the first one's figures") {
  scratch_folder dir;
  scripted_service service{{streams(written(1)), streams(written(2)), streams(written(1)), streams(written(1)),
                            streams(written(3)), streams(written(2))}};
  live_node n{dir.path, {.providers = {service.spec}}};
  // Only drafts, since an answer that repeats the shown code is no candidate.
  const auto id = n.submit("row_energy", {"generator[0].kind=llm", "generator[0].in_flight=2", "budget.candidates=6",
                                          "draft.candidates=6", "search.ask_again=0"});
  const auto s = n.await_end(id);
  CHECK(s.stop_reason == end_reason::budget);
  CHECK(s.valid == 6);
  n.stop();
  audit(dir.path, id);
  auto data = store::open(dir.path);
  REQUIRE(data);
  std::map<std::string, std::vector<node_record>> by_source;
  for (uint64_t i = 1; i <= 6; ++i) {
    auto bytes = (*data)->get(table::nodes, keys::node(id, i));
    REQUIRE((bytes && *bytes));
    auto node = decode_older<node_record>(**bytes);
    REQUIRE(node);
    by_source[node->proposal.source].push_back(*node);
  }
  CHECK(by_source.size() == 3);
  for (const auto& [source, nodes] : by_source) {
    uint64_t judged = 0;
    for (const auto& x : nodes)
      judged += x.duplicate_of == 0 ? 1 : 0;
    CHECK(judged == 1);
    for (const auto& x : nodes) {
      CHECK(x.speedup == nodes.front().speedup);
      CHECK(x.evaluations.empty() == (x.duplicate_of != 0));
    }
  }
}

TEST_CASE("a campaign with a model survives the death of the actors that ask it") {
  scratch_folder dir;
  std::vector<script> replies;
  for (int i = 1; i <= 16; ++i) // one for every call, and for those that a death costs
    replies.push_back(streams(written(i)));
  scripted_service service{std::move(replies)};
  live_node n{dir.path, {.providers = {service.spec}}};
  const auto id = n.submit("row_energy", {"generator[0].kind=llm", "generator[0].in_flight=1", "budget.candidates=8"});
  uint64_t seen = 0;
  for (const auto* kind : {"provider", "models", "provider", "models"}) {
    CAPTURE(kind);
    n.await(id, [&](const campaign_status& s) { return s.candidates > seen && s.in_flight > 0 && n.crash(kind); });
    seen = n.status(id).candidates;
  }
  const auto s = n.await_end(id);
  CHECK(s.stop_reason == end_reason::budget);
  CHECK(s.candidates == 8);
  CHECK(s.valid == 8);
  n.stop();
  audit(dir.path, id);
  CHECK(made_by(dir.path, id, 8)["llm"] == 8);
  const auto counted = calls_counted(dir.path, id);
  const auto seen_by_it = static_cast<int64_t>(service.server.requests().size());
  CHECK(counted >= seen_by_it);
  CHECK(counted <= seen_by_it + 4); // a death may come between a call's record and its sending
}
