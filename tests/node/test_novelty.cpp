// Tests campaigns whose model repeats itself: what is measured, what is counted, and what the model hears.
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/recording.hpp"
#include "store/store.hpp"
#include "tests/node/live_node.hpp"
#include "tests/node/model_campaign.hpp"
#include "tests/node/scripted_service.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>

using namespace kevolve;
using namespace kevolve::test;

namespace {

// Returns a reply with this source.
std::string reply_with(const std::string& source) {
  return "summary: partial sums\n```c candidate.c\n" + source + "```\n";
}

// Returns the same candidate with another comment, other white space and another name of a local.
std::string disguised(int serial) {
  const auto source = std::regex_replace(energy_source(serial), std::regex{"\\bsum\\b"}, "total");
  return reply_with("/* a new idea */\n" + std::regex_replace(source, std::regex{" \\+= "}, "  +=\n  "));
}

// Returns another source that compiles to the same code.
std::string same_code(int serial) {
  return reply_with(std::regex_replace(energy_source(serial), std::regex{"\\(void\\)version;"},
                                       "(void)version; int nothing = 0; (void)nothing;"));
}

std::map<uint64_t, node_record> nodes_of(const store& data, const id128& campaign, uint64_t count) {
  std::map<uint64_t, node_record> out;
  for (uint64_t i = 1; i <= count; ++i) {
    auto bytes = data.get(table::nodes, keys::node(campaign, i));
    REQUIRE((bytes && *bytes));
    auto node = decode_older<node_record>(**bytes);
    REQUIRE(node);
    out[i] = *node;
  }
  return out;
}

// Drafts alone, one after the other: an answer that repeats the code shown would be no candidate.
std::vector<std::string> drafts(int count) {
  const auto n = std::to_string(count);
  return {"generator[0].kind=llm", "generator[0].in_flight=1", "budget.candidates=" + n, "draft.candidates=" + n};
}

} // namespace

TEST_CASE("a model that repeats a candidate is asked again at most twice, and its repeats are counted and replayed") {
  scratch_folder dir;
  scripted_service service{{streams(written(1)), streams(disguised(1)), streams(written(1)), streams(disguised(1)),
                            streams(disguised(1)), streams(written(2))}};
  live_node n{dir.path, {.providers = {service.spec}}};
  const auto id = n.submit("row_energy", drafts(3));
  const auto s = n.await_end(id);
  CHECK(s.models.calls == 6);
  CHECK(s.repeated == 4); // candidate 2: two that were sent back, and itself; candidate 3: one that was sent back
  REQUIRE(s.generators.size() == 1);
  CHECK(s.generators[0].repeated == 4);
  CHECK(s.generators[0].share == 1.0);
  n.stop();
  audit(dir.path, id);
  auto data = store::open(dir.path);
  REQUIRE(data);
  const auto nodes = nodes_of(**data, id, 3);
  CHECK(nodes.at(1).asked_again == 0);
  CHECK(nodes.at(2).duplicate_of == 1);
  CHECK(nodes.at(2).asked_again == 2);
  CHECK(nodes.at(2).evaluations.empty());
  CHECK(nodes.at(2).speedup == nodes.at(1).speedup);
  CHECK(nodes.at(2).detail == "same as candidate 1 but for comments, white space or names of locals");
  CHECK(nodes.at(3).duplicate_of == 0);
  CHECK(nodes.at(3).asked_again == 1);
  CHECK(nodes.at(3).money == 2 * (1'000 * 1'000 + 300 * 2'000));
  const auto told = service.server.requests();
  CHECK(std::count_if(told.begin(), told.end(),
                      [](const auto& r) { return r.body.find("Your reply is candidate 1 again") != std::string::npos; })
        == 3);
  const auto recorded = take_recording(**data, id);
  REQUIRE(recorded);
  const auto again = replay(*recorded);
  CHECK(again.difference == "");
  CHECK(again.replies == 6);
}

TEST_CASE("a candidate that compiles to known code is not measured") {
  scratch_folder dir;
  scripted_service service{{streams(written(1)), streams(same_code(1)), streams(written(2))}};
  live_node n{dir.path, {.providers = {service.spec}}};
  const auto id = n.submit("row_energy", drafts(3));
  const auto s = n.await_end(id);
  CHECK(s.models.calls == 3);
  CHECK(s.repeated == 1);
  n.stop();
  audit(dir.path, id);
  auto data = store::open(dir.path);
  REQUIRE(data);
  const auto nodes = nodes_of(**data, id, 3);
  CHECK(nodes.at(2).duplicate_of == 1);
  CHECK(nodes.at(2).evaluations.size() == 1); // it was compiled, and nothing else
  CHECK(nodes.at(2).judge_ns == 0);
  CHECK(nodes.at(2).speedup == nodes.at(1).speedup);
  CHECK(nodes.at(2).detail == "compiles to the same code as candidate 1");
  CHECK(nodes.at(3).duplicate_of == 0);
}

TEST_CASE("a campaign of two generators records the bandit's choices, and a replay makes them again") {
  scratch_folder dir;
  live_node n{dir.path};
  const auto id = n.submit("row_energy", {"generator=[{kind='transform'},{kind='configurations'}]",
                                          "budget.candidates=8", "draft.candidates=2"});
  const auto s = n.await_end(id);
  REQUIRE(s.generators.size() == 2);
  CHECK(s.generators[0].steps > 0);
  CHECK(s.generators[1].steps > 0);
  CHECK(s.generators[0].score + s.generators[1].score > 0.0);
  n.stop();
  audit(dir.path, id);
  auto data = store::open(dir.path);
  REQUIRE(data);
  const auto recorded = take_recording(**data, id);
  REQUIRE(recorded);
  CHECK(recorded->spec.generator_choice == "bandit");
  const auto again = replay(*recorded);
  CHECK(again.difference == "");
  CHECK(again.choices >= 8);
}
