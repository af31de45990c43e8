#include "actors/evaluation/listed_stages.hpp"

#include "backends/protocol.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace kevolve;

namespace {

evaluation_record evaluated(const char* stage, std::map<std::string, std::string> evidence = {}) {
  evaluation_record e;
  e.stage = stage;
  e.wall_ns = 2'500'000'000;
  e.outcome.result = verdict::pass;
  e.outcome.speedup = 1.5;
  e.outcome.evidence = std::move(evidence);
  return e;
}

std::vector<std::string> names(const std::vector<listed_stage>& of) {
  std::vector<std::string> out;
  for (const auto& s : of)
    out.push_back(s.pass.name);
  return out;
}

} // namespace

TEST_CASE("a profile lists the admission and the stages in order, the replay behind the session that it ran in") {
  preparation prepared;
  prepared.admission.result = verdict::pass;
  prepared.admission.judge_ns = 4'000'000'000;
  auto compiled = evaluated("compile");
  compiled.object = "digest of the object";
  const auto listed =
      listed_stages(prepared, {compiled, evaluated("race"), evaluated("confirm", {{sanitised_evidence, "12 draws"}})});
  CHECK(names(listed) == std::vector<std::string>{"admit", "compile", "race", "confirm", "replay"});
  CHECK(listed[0].pass.seconds == 4.0);
  CHECK(listed[0].pass.use == "core");
  CHECK(listed[1].pass.artefacts == std::map<std::string, std::string>{{"object", "digest of the object"}});
  CHECK(listed[1].pass.use == "compiler");
  CHECK(listed[3].pass.seconds == 2.5);
  REQUIRE(listed[3].content.size() == 1);
  CHECK(nlohmann::json::parse(listed[3].content[0])["speedup"] == 1.5);
  CHECK(listed[3].pass.artefacts.at("verdict") == sha256_hex(listed[3].content[0]));
  CHECK(nlohmann::json::parse(listed[4].content.at(0))["sanitised"] == "12 draws");
  for (const auto& s : listed)
    CHECK(s.pass.reused);
  profile_record record;
  std::vector<std::string> blobs;
  list_first(listed, record, blobs);
  CHECK(record.passes.size() == 5);
  CHECK(blobs.size() == 4); // the object is stored already
}

TEST_CASE("a replay that did not run is skipped with its reason, and what was not judged is left out") {
  const auto listed = listed_stages(
      {}, {evaluated("final", {{unsanitised_evidence, "no compiler"}}), evaluated("a stage of a later version")});
  CHECK(names(listed) == std::vector<std::string>{"final", "replay"});
  CHECK(listed[1].pass.skipped == "no compiler");
  CHECK(listed[1].content.empty());
  CHECK(names(listed_stages({}, {evaluated("confirm")})) == std::vector<std::string>{"confirm"});
  CHECK(names(listed_stages({}, {evaluated("race", {{sanitised_evidence, "1 draw"}})}))
        == std::vector<std::string>{"race"});
}
