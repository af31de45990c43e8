// On evidence that a judge of an H200 recorded (docs/results/gpu-triton.json).
#include "backends/profile/pass.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>

using namespace kevolve;
using nlohmann::json;

namespace {

json recorded() {
  std::ifstream in{std::string{std::getenv("KEVOLVE_SOURCE")} + "/docs/results/gpu-triton.json"};
  return json::parse(in).at("/campaigns/0/best/evaluations/2/outcome/evidence"_json_pointer);
}

pass_request request(const json& evidence) {
  pass_request q;
  q.target = "triton";
  q.task.shapes = {{"rows=16384 cols=4096", {}}};
  q.have[artefact_kind::evidence] = evidence.dump();
  return q;
}

} // namespace

TEST_CASE("the judge's bound of a device becomes a finding with its figures in words") {
  const auto out = find_pass("device.bound")->run(request(recorded()));
  REQUIRE(out);
  REQUIRE(out->findings.size() == 1);
  CHECK(out->findings[0].bound == bound_class::memory_bandwidth);
  CHECK(out->findings[0].words.find("of the memory's rate") != std::string::npos);
  auto none = recorded();
  none.erase("bound.rows=16384 cols=4096");
  const auto skipped = find_pass("device.bound")->run(request(none));
  REQUIRE(skipped);
  CHECK(skipped->skipped == "the judge named no bound of this shape");
}

TEST_CASE("the profiler's counters become findings above the judge's in confidence") {
  const auto& pass = *find_pass("device.counters");
  const auto q = request(recorded());
  CHECK(pass.available(q).available);
  const auto out = pass.run(q);
  REQUIRE(out);
  const auto memory = std::find_if(out->findings.begin(), out->findings.end(),
                                   [](const auto& f) { return f.bound == bound_class::memory_bandwidth; });
  REQUIRE(memory != out->findings.end());
  CHECK(memory->evidence.at("dram_percent") == doctest::Approx(82.1));
  CHECK(memory->confidence > 0.8);
  CHECK(out->made.contains(artefact_kind::profile));
  auto spills = json::parse(recorded()["profile.rows=16384 cols=4096"].get<std::string>());
  spills[0]["local_instructions"] = 2e6;
  auto evidence = recorded();
  evidence["profile.rows=16384 cols=4096"] = spills.dump();
  const auto spilling = pass.run(request(evidence));
  REQUIRE(spilling);
  CHECK(std::any_of(spilling->findings.begin(), spilling->findings.end(),
                    [](const auto& f) { return f.bound == bound_class::spilling; }));
}

TEST_CASE("without counters the pass is left out with the profiler's own reason") {
  auto evidence = recorded();
  evidence.erase("profile.rows=16384 cols=4096");
  evidence["profile"] = "not measured: the driver forbids counters";
  const auto no = find_pass("device.counters")->available(request(evidence));
  CHECK_FALSE(no.available);
  CHECK(no.reason == "the driver forbids counters");
  CHECK_FALSE(no.remedy.empty());
}
