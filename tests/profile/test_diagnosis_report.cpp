#include "actors/synthesis/diagnosis_report.hpp"
#include "actors/synthesis/step_facts.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve;
using namespace kevolve::synthesis;

namespace {

constexpr const char* source = "void f(float *x) {\n"
                               "  for (int i = 0; i < 8; ++i)\n"
                               "    x[i] = x[i] * 0.5f;\n"
                               "}\n";

constexpr const char* diagnosis =
    R"({"loops":[{"line":2,"last":3,"share":0.8}],"assembly":"vmulss\nvmovss\n",
        "findings":[{"bound":"latency_chain","share":0.8,"confidence":0.6,"words":"a round waits 4 cycles"},
                    {"bound":"unknown","share":1.0,"confidence":1.0,"words":"nothing"},
                    {"bound":"scalar_code","share":0.5,"confidence":0.4,"words":"one value at a time"}]})";

knowledge::knowledge_base one_document() {
  knowledge::document d;
  d.id = d.title = "any/chains";
  d.targets = {"any"};
  d.signals = {*knowledge::parse_signal("bound:latency_chain")};
  d.sections.push_back({"What to do", "Run several chains.\n", {"own"}, 1, {}, {}});
  auto base = knowledge::knowledge_base::of({d});
  REQUIRE(base);
  return std::move(*base);
}

bool holds(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

} // namespace

TEST_CASE("a prompt has the bottleneck with its evidence, the hot loop's lines and its machine code") {
  const auto r = report_of_diagnosis(diagnosis, source);
  REQUIRE(r.findings.size() == 2);
  CHECK(r.findings[0].problem == "a chain of dependent operations");
  const auto& evidence = r.findings[0].evidence;
  CHECK(evidence.find("a round waits 4 cycles (80 % of the time, confidence 0.6)") != std::string::npos);
  CHECK(evidence.find("2:   for (int i = 0; i < 8; ++i)\n3:     x[i] = x[i] * 0.5f;\n") != std::string::npos);
  CHECK(evidence.find("vmulss") != std::string::npos);
  CHECK(r.findings[1].evidence.find("vmulss") == std::string::npos); // once is enough
  CHECK(r.signals == std::vector<std::string>{"bound:latency_chain", "bound:scalar_code"});
  CHECK(report_of_diagnosis("", source).findings.empty());
  CHECK(report_of_diagnosis("no JSON", source).findings.empty());
}

TEST_CASE(
    "a step from a profiled parent reports its diagnosis before any estimate, and asks for documents by its signals") {
  synthesis_context c;
  c.task.name = "f";
  c.task.entry = "f";
  c.task.language = "c";
  c.form = c_form(c.task);
  generate_request step;
  step.memory = "parent";
  ancestor parent;
  parent.verdict = "pass";
  parent.speedup = 2.0;
  parent.source = source;
  parent.bound = "occupancy";
  parent.diagnosis = diagnosis;
  step.parents = {parent};
  const auto documents = one_document();
  campaign_facts campaign;
  campaign.context = &c;
  campaign.knowledge = &documents;
  const auto facts = facts_of(campaign, step);
  REQUIRE_FALSE(facts.report.findings.empty());
  CHECK(facts.report.findings[0].problem == "a chain of dependent operations");
  CHECK(report_text(facts.report).find("vmovss") != std::string::npos);
  REQUIRE(facts.retrievals.size() == 1);
  CHECK(holds(facts.retrievals[0].signals, "bound:latency_chain"));
  REQUIRE(facts.documents.size() == 1);
  CHECK(facts.documents[0].title == "any/chains: What to do");
  step.parents[0].diagnosis.clear();
  const auto unprofiled = facts_of(campaign, step);
  CHECK(unprofiled.report.findings[0].problem == "too few threads at work");
  CHECK_FALSE(holds(unprofiled.retrievals[0].signals, "bound:latency_chain"));
}
