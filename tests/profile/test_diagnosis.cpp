#include "actors/evaluation/diagnosis.hpp"
#include "schema_check.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

using namespace kevolve;
using nlohmann::json;

namespace {

json schema() {
  std::ifstream in{std::string{std::getenv("KEVOLVE_SOURCE")} + "/docs/diagnosis.schema.json"};
  return json::parse(in);
}

finding found(bound_class bound, double share, double confidence, std::vector<line_range> lines = {}) {
  finding f;
  f.bound = bound;
  f.share = share;
  f.confidence = confidence;
  f.pass = "a pass";
  f.words = "a sentence";
  f.evidence = {{"cycles", 4.0}};
  f.lines = std::move(lines);
  return f;
}

diagnosis_facts facts() {
  diagnosis_facts f;
  f.task = "dot";
  f.target = "cpu";
  f.index = 7;
  f.shape = "n=4096";
  f.source = "a\nb\nc\nd\n";
  f.have[artefact_kind::timings] = R"({"n=4096":{"candidate_ns":2000.0}})";
  f.have[artefact_kind::roof] = R"({"took_ns":2000.0,"memory_ns":500.0,"compute_ns":250.0,"level":"l2_bandwidth"})";
  f.have[artefact_kind::loops] =
      R"({"call_ns":2000.0,"loops":[{"line":1,"last":4,"parent":-1,"ns":1900.0,"self_ns":100.0,"entries":1,"trips":64},
          {"line":2,"last":3,"parent":0,"ns":1800.0,"self_ns":1800.0,"entries":64,"trips":64}]})";
  f.findings = {found(bound_class::unknown, 1.0, 1.0), found(bound_class::latency_chain, 0.9, 0.9, {{2, 3}}),
                found(bound_class::scalar_code, 0.5, 0.5), found(bound_class::denormals, 0.1, 0.9)};
  return f;
}

} // namespace

TEST_CASE("a diagnosis fits the published schema, with and without artefacts") {
  const auto rules = schema();
  CHECK(test::misfit(rules, rules, diagnosis_of(facts())) == "");
  diagnosis_facts none;
  none.source = "x";
  CHECK(test::misfit(rules, rules, diagnosis_of(none)) == "");
  auto wrong = diagnosis_of(facts());
  wrong["bound"]["class"] = "magic";
  CHECK(test::misfit(rules, rules, wrong) != "");
}

TEST_CASE("the dominant finding is the one with the most time times confidence that names a bottleneck") {
  const auto d = diagnosis_of(facts());
  CHECK(d["bound"]["class"] == "latency_chain");
  REQUIRE(d["findings"].size() == 3);
  CHECK(d["findings"][1]["bound"] == "scalar_code");
  CHECK(d["further_findings"] == 1);
  CHECK(d["findings"][0]["lines"][0]["first"] == 2);
  CHECK(d["findings"][0]["strategy"].get<std::string>().find("accumulators") != std::string::npos);
}

TEST_CASE("a finding that explains nothing is not listed") {
  auto f = facts();
  f.findings = {found(bound_class::latency_chain, 0.5, 0.9), found(bound_class::branch_misses, 0.001, 0.9)};
  const auto d = diagnosis_of(f);
  REQUIRE(d["findings"].size() == 1);
  CHECK(d["findings"][0]["bound"] == "latency_chain");
  CHECK(d["further_findings"] == 0);
}

TEST_CASE("a search learns the bottleneck and the line of the loop that takes the time") {
  auto f = facts();
  f.have[artefact_kind::assembly] = "vaddps\n";
  const auto d = diagnosis_of(f);
  CHECK(d["assembly"] == "vaddps\n");
  const auto s = summary_of(d);
  CHECK(s.bound == "latency_chain");
  CHECK(s.share == doctest::Approx(0.9));
  CHECK(s.line == 2);
  f.findings = {found(bound_class::unknown, 1.0, 1.0)};
  CHECK(summary_of(diagnosis_of(f)).bound.empty());
  CHECK(summary_of(nullptr).line == 0);
}

TEST_CASE("the more confident of two findings of one bottleneck at one place stays") {
  const auto out = ranked({found(bound_class::denormals, 0.5, 0.3), found(bound_class::denormals, 0.5, 0.9)});
  REQUIRE(out.size() == 1);
  CHECK(out[0].confidence == 0.9);
}

TEST_CASE("the roof is the larger of both least times, and the headroom the time over it") {
  const auto d = diagnosis_of(facts());
  CHECK(d["roof"]["by"] == "l2_bandwidth");
  CHECK(d["roof"]["headroom"] == doctest::Approx(4.0));
  CHECK(d["loops"][1]["share"] == doctest::Approx(0.9));
}

TEST_CASE("the timed loops add up to their part of the instrumented call, each without the loops inside") {
  auto f = facts();
  f.have[artefact_kind::loops] =
      R"({"call_ns":90.0,"probed_call_ns":100.0,"loops":[{"line":1,"parent":-1,"ns":80.0,"self_ns":30.0},{"line":3,"parent":0,"ns":50.0,"self_ns":50.0},{"line":4,"parent":1}]})";
  const auto d = diagnosis_of(f);
  CHECK(d["timed_share"] == doctest::Approx(0.8));
  const auto rules = schema();
  CHECK(test::misfit(rules, rules, d) == "");
  f.have[artefact_kind::loops] = R"({"probed_call_ns":100.0,"loops":[{"line":1,"parent":-1}]})";
  CHECK(diagnosis_of(f)["timed_share"].is_null());
}

TEST_CASE("a loop that is not timed has its share of the kernel's cycles") {
  auto f = facts();
  f.have[artefact_kind::loops] =
      R"({"instrumented_by":"proton","loops":[{"line":1,"parent":-1,"cycles":94.0,"share_of_kernel":0.94},{"line":4,"parent":-1}]})";
  const auto d = diagnosis_of(f);
  CHECK(d["loops"][0]["share"] == doctest::Approx(0.94));
  CHECK(d["loops"][1]["share"].is_null());
}

TEST_CASE("shares of loops stay within one where the loops ran slower than the call before them") {
  auto f = facts();
  f.have[artefact_kind::loops] =
      R"({"call_ns":100.0,"loops":[{"line":1,"parent":-1,"ns":150.0,"self_ns":150.0},{"line":3,"parent":-1,"ns":50.0,"self_ns":50.0},{"line":4,"parent":-1}]})";
  const auto d = diagnosis_of(f);
  CHECK(d["loops"][0]["share"] == doctest::Approx(0.75));
  CHECK(d["loops"][1]["share"] == doctest::Approx(0.25));
  CHECK(d["loops"][2]["share"].is_null());
  CHECK(chrome_trace(d)["traceEvents"][0]["dur"] == doctest::Approx(0.2));
}

TEST_CASE("an artefact that lies about lines, parents or numbers reaches no reader") {
  auto f = facts();
  f.findings = {found(bound_class::denormals, 0.5, 0.9, {{0, 3}, {9, 12}, {3, 2}})};
  f.have[artefact_kind::loops] =
      R"({"call_ns":"many","loops":[{"line":900,"ns":1},{"line":2,"parent":77,"last":-4,"ns":-5,"trips":1e300},7,{"line":3,"parent":0}]})";
  const auto d = diagnosis_of(f);
  const auto rules = schema();
  CHECK(test::misfit(rules, rules, d) == "");
  CHECK(d["findings"][0]["lines"].empty());
  REQUIRE(d["loops"].size() == 2);
  CHECK(d["loops"][0]["parent"] == -1);
  CHECK(d["loops"][1]["parent"] == -1);
}

TEST_CASE("a trace nests inner loops within the time of the loop around them") {
  const auto t = chrome_trace(diagnosis_of(facts()));
  const auto& e = t["traceEvents"];
  REQUIRE(e.size() == 3);
  CHECK(e[0]["dur"] == doctest::Approx(2.0));
  CHECK(e[1]["ts"] == doctest::Approx(0.0));
  CHECK(e[2]["ts"].get<double>() + e[2]["dur"].get<double>()
        <= e[1]["ts"].get<double>() + e[1]["dur"].get<double>() + 1e-9);
  for (const auto& x : e) {
    CHECK(x["ph"] == "X");
    CHECK(x["pid"] == 1);
  }
}

TEST_CASE("a finding survives its way through JSON, and a wrong one is refused by member") {
  const auto f = found(bound_class::tlb_misses, 0.25, 0.5, {{1, 2}});
  const auto back = finding_of_json(to_json(f));
  REQUIRE(back);
  CHECK(back->bound == f.bound);
  CHECK(back->evidence == f.evidence);
  CHECK(back->lines[0].last == 2);
  auto wrong = to_json(f);
  wrong["share"] = 1.5;
  const auto refused = finding_of_json(wrong);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().detail.find("share") != std::string::npos);
}
