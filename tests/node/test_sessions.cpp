// Tests candidates that a model develops with tools before it answers.
#include "actors/knowledge/skill_distil.hpp"
#include "runtime/node/recording.hpp"
#include "store/store.hpp"
#include "tests/node/live_node.hpp"
#include "tests/node/scripted_service.hpp"
#include "tests/support/skills.hpp"

#include <caf/scoped_actor.hpp>

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

using namespace kevolve;
using namespace kevolve::test;
using nlohmann::json;

namespace {

const std::vector<std::string> with_tools{"generator[0].kind=llm", "generator[0].in_flight=1",
                                          "generator[0].session_steps=8", "draft.candidates=2"};

std::pair<std::string, std::string> write(const std::string& source) {
  return {"write_file", json{{"path", "candidate.c"}, {"content", source}}.dump()};
}
const std::pair<std::string, std::string> lint{"lint", "{}"};

// Returns the tool results in a request, in order.
std::vector<std::string> results(const seen_request& r) {
  std::vector<std::string> out;
  const auto body = json::parse(r.body);
  for (const auto& m : body.at("messages"))
    if (m.at("role") == "tool")
      out.push_back(m.at("content").get<std::string>());
  return out;
}

bool holds(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

recording recorded(const std::string& data_dir, const id128& id) {
  auto data = store::open(data_dir);
  REQUIRE(data);
  auto kept = take_recording(**data, id);
  REQUIRE_MESSAGE(kept, (kept ? "" : to_string(kept.error())));
  auto back = parse_recording(to_json_text(*kept));
  REQUIRE_MESSAGE(back, (back ? "" : to_string(back.error())));
  return std::move(*back);
}

replay_report played(const std::string& data_dir, const id128& id) {
  return replay(recorded(data_dir, id));
}

} // namespace

TEST_CASE("a model compiles and repairs its file before it answers, and its record replays") {
  scratch_folder dir;
  scripted_service service{{calls({write("int row_energy;;; nonsense(\n"), lint}),
                            calls({write(energy_source(1)), lint, {"search_knowledge", R"({"query":"accumulators"})"}}),
                            streams("summary: four partial sums\n"), // node 1 is finished
                            streams("I would rather talk."), streams(written(2))}};
  live_node n{dir.path, {.providers = {service.spec}}};
  auto settings = with_tools;
  settings.emplace_back("budget.candidates=2");
  const auto id = n.submit("row_energy", settings);
  const auto s = n.await_end(id);
  CHECK(s.candidates == 2);
  CHECK(s.valid == 2);
  CHECK(s.models.calls == 5);
  const auto seen = service.server.requests();
  REQUIRE(seen.size() == 5);
  CHECK(json::parse(seen[0].body).at("tools").size() == 5);
  CHECK(holds(seen[0].body, "by at most 8 calls"));
  const auto first = results(seen[1]);
  REQUIRE(first.size() == 2);
  CHECK(holds(first[0], "written: candidate.c"));
  CHECK(holds(first[1], "compile_error"));
  const auto second = results(seen[2]);
  REQUIRE(second.size() == 5);
  CHECK(holds(second[3], "it compiles"));
  CHECK(holds(second[4], "## cpu/"));
  n.stop();
  audit(dir.path, id); // the candidate was not compiled again for its screening
  const auto asked = recorded(dir.path, id).exchanges;
  REQUIRE(asked.front().retrievals.size() == 1); // the trace survives
  CHECK(asked.front().retrievals[0].signals.at(0) == "target:cpu");
  CHECK(asked.front().retrievals[0].sections.at(0).outcome == "quoted");
  const auto again = played(dir.path, id);
  CHECK(again.difference == "");
  CHECK(again.replies == 5);
  CHECK(again.refused == 1);
  CHECK(again.tree_hash == s.tree_hash);
}

TEST_CASE("a model's search finds the skills of earlier campaigns beside the documents") {
  scratch_folder dir;
  scripted_service service{{calls({{"search_knowledge", R"({"query":"vectorise reductions"})"}}), streams(written(1))}};
  live_node n{dir.path, {.providers = {service.spec}}};
  const auto known = a_skill("vectorise(_1,16)");
  caf::scoped_actor self{n.get().system()};
  bool kept = false;
  self->request(n.get().skills(), std::chrono::seconds{60}, atom::add_v, known)
      .receive([&](const skill&) { kept = true; }, [](caf::error&) {});
  REQUIRE(kept);
  auto settings = with_tools;
  settings.emplace_back("budget.candidates=1");
  n.await_end(n.submit("row_energy", settings));
  const auto found = results(service.server.requests().at(1));
  REQUIRE(found.size() == 1);
  CHECK(holds(found[0], offered_name(known.id)));
  CHECK(holds(found[0], "vectorise(_1,16)"));
  CHECK(holds(found[0], "## cpu/"));
}

TEST_CASE("a model's search in code answers with lines below the roots, and says what it cannot search") {
  scratch_folder dir;
  scratch_folder tree;
  std::ofstream{tree.path + "/rows.c"} << "float short_rows(const float* x);\n";
  scripted_service service{{calls({{"search_code", R"({"query":"short_","mode":"string"})"},
                                   {"search_code", R"({"query":"rows","mode":"filename"})"},
                                   {"search_code", R"({"query":"(","mode":"regex"})"}}),
                            streams(written(1))}};
  live_node n{dir.path, {.providers = {service.spec}, .code_roots = {tree.path}}};
  auto settings = with_tools;
  settings.emplace_back("budget.candidates=1");
  const auto s = n.await_end(n.submit("row_energy", settings));
  CHECK(s.valid == 1);
  const auto found = results(service.server.requests().at(1));
  REQUIRE(found.size() == 3);
  CHECK(holds(found[0], "rows.c:1: float short_rows(const float* x);"));
  CHECK(holds(found[1], "rows.c"));
  CHECK(holds(found[2], "the regular expression cannot be read"));
}

TEST_CASE("a session continues where it was when its generator dies, and ends with its steps") {
  scratch_folder dir;
  const auto good = calls({write(energy_source(7)), lint});
  scripted_service service{{calls({write("nonsense"), lint}),
                            {{act::stay, ""}},
                            good,
                            calls({lint}),
                            calls({lint, lint, lint})}}; // once more
  live_node n{dir.path, {.providers = {service.spec}}};
  auto settings = with_tools;
  settings.emplace_back("budget.candidates=1");
  const auto id = n.submit("row_energy", settings);
  n.await(id, [&](const campaign_status&) { return service.server.requests().size() == 2; });
  REQUIRE(n.crash("generator"));
  const auto s = n.await_end(id);
  CHECK(s.candidates == 1);
  CHECK(s.valid == 1); // its last draft when the eight steps were used up
  const auto seen = service.server.requests();
  REQUIRE(seen.size() == 6);
  CHECK(seen[2].body == seen[1].body); // identical bytes
  n.stop();
  audit(dir.path, id);
  CHECK(played(dir.path, id).difference == "");
}
