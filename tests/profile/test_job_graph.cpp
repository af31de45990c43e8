#include "actors/evaluation/job_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve;

namespace {

using kind = artefact_kind;

graph_pass pass(const std::string& name, std::vector<kind> reads, std::vector<kind> makes, double estimate_s,
                pass_use use = pass_use::core) {
  graph_pass p;
  p.name = name;
  p.reads = std::move(reads);
  p.makes = std::move(makes);
  p.estimate_s = estimate_s;
  p.use = use;
  return p;
}

std::vector<graph_pass> known() {
  auto out = stage_passes();
  out.push_back(pass("ports", {kind::loops, kind::object}, {kind::ports}, 0.3));
  out.push_back(pass("loops", {kind::source}, {kind::loops}, 0.5));
  out.push_back(pass("roof", {kind::timings}, {kind::roof}, 0.01, pass_use::nothing));
  out.back().uses = {kind::ceilings};
  out.push_back(pass("ceilings", {}, {kind::ceilings}, 0.4));
  out.push_back(synthesis_pass());
  return out;
}

std::vector<std::string> names(const job_plan& p) {
  std::vector<std::string> out;
  for (const auto& x : p.passes)
    out.push_back(x.name);
  return out;
}

std::string reason(const job_plan& p, const std::string& name) {
  for (const auto& o : p.omitted)
    if (o.name == name)
      return o.reason;
  return {};
}

profile_question asked(double budget_s, std::set<kind> have = {kind::source, kind::object, kind::timings}) {
  profile_question q;
  q.have = std::move(have);
  q.budget_s = budget_s;
  return q;
}

} // namespace

TEST_CASE("a plan runs each pass behind those that it reads from, the synthesis last") {
  const auto plan = plan_passes(known(), asked(10.0));
  CHECK(names(plan) == std::vector<std::string>{"loops", "ports", "ceilings", "roof", "synthesis"});
  CHECK(plan.omitted.empty());
  CHECK(plan.estimate_s == doctest::Approx(1.2));
}

TEST_CASE("a budget leaves the dearest passes out, with the reason") {
  const auto plan = plan_passes(known(), asked(0.45));
  CHECK(names(plan) == std::vector<std::string>{"ceilings", "roof", "synthesis"});
  CHECK(reason(plan, "loops").find("more than is left of the budget") != std::string::npos);
  CHECK(reason(plan, "ports").find("which is left out") != std::string::npos);
}

TEST_CASE("a pass that others read from goes before a cheaper one that nothing reads") {
  const auto plan = plan_passes(known(), asked(0.85));
  CHECK(names(plan) == std::vector<std::string>{"loops", "ports", "roof", "synthesis"});
  CHECK(reason(plan, "ceilings").find("more than is left of the budget") != std::string::npos);
}

TEST_CASE("a pass whose precondition fails is left out by name, with what would enable it") {
  auto all = known();
  for (auto& p : all)
    if (p.name == "loops")
      p.can = {false, "this machine has no clang-19", "apt-get install clang-19"};
  const auto plan = plan_passes(all, asked(10.0));
  CHECK(reason(plan, "loops") == "this machine has no clang-19");
  const auto of_ports =
      std::find_if(plan.omitted.begin(), plan.omitted.end(), [](auto& o) { return o.name == "ports"; });
  REQUIRE(of_ports != plan.omitted.end());
  CHECK(of_ports->remedy == "apt-get install clang-19");
}

TEST_CASE("a stage of the evaluation is never planned: a missing result of one is named") {
  const auto plan = plan_passes(known(), asked(10.0, {kind::source}));
  CHECK(
      std::none_of(plan.passes.begin(), plan.passes.end(), [](const auto& p) { return p.of_evaluation.has_value(); }));
  CHECK(reason(plan, "roof") == "'timings' is not stored");
  CHECK(reason(plan, "ports") == "'object' is not stored");
}

TEST_CASE("a request for one pass plans those that it reads from, and no other") {
  auto q = asked(10.0);
  q.only = {"ports"};
  const auto plan = plan_passes(known(), q);
  CHECK(names(plan) == std::vector<std::string>{"loops", "ports", "synthesis"});
  CHECK(plan.omitted.empty());
}

TEST_CASE("a result is reused for the same pass on the same content, and for nothing else") {
  auto p = pass("loops", {kind::source}, {kind::loops}, 0.5);
  const pass_ground ground{"a machine", "a call"};
  const std::map<kind, std::string> content{{kind::source, "aa"}, {kind::object, "bb"}};
  const auto key = pass_key(p, ground, content);
  CHECK(key == pass_key(p, ground, content));
  CHECK(key == pass_key(p, ground, {{kind::source, "aa"}})); // it does not read the object
  CHECK(key != pass_key(p, ground, {{kind::source, "ab"}}));
  CHECK(key != pass_key(p, {"a machine", "another call"}, content));
  CHECK(key != pass_key(p, {"another machine", "a call"}, content));
  ++p.version;
  CHECK(key != pass_key(p, ground, content));
  auto machine = pass("ceilings", {}, {kind::ceilings}, 0.4);
  CHECK(pass_key(machine, ground, content) == pass_key(machine, {"a machine", "another call"}, {}));
}

TEST_CASE("an evaluation takes its order from the passes: a stage waits for the build that it reads") {
  evaluation_progress p;
  p.to_sanitise = p.to_admit = true;
  CHECK(next_stage(p) == stage::admit);
  p.to_admit = false;
  CHECK(next_stage(p) == stage::compile);
  p.compiled = true;
  CHECK(next_stage(p) == stage::screening);
  p.compared = true;
  CHECK(next_stage(p) == stage::done); // it is not faster
  p.result.decision = comparison_decision::faster;
  CHECK(next_stage(p) == stage::sanitise);
  p.sanitised = true;
  CHECK(next_stage(p) == stage::confirm);
  p.confirmed = true;
  p.audit_from = 2.0;
  p.result.speedup = 3.0;
  CHECK(next_stage(p) == stage::audit);
  p.audited = true;
  CHECK(next_stage(p) == stage::done);
  p.result.result = verdict::wrong_result;
  p.audited = p.confirmed = false;
  CHECK(next_stage(p) == stage::done); // nothing more is asked of a candidate that failed
  evaluation_progress last;
  last.final_check = last.to_sanitise = last.compiled = true;
  CHECK(next_stage(last) == stage::sanitise);
  last.to_sanitise = false;
  CHECK(next_stage(last) == stage::final_confirm);
}

TEST_CASE("passes come behind those that make what they read or use, needed ones first, then the cheapest") {
  const auto reader = pass("reader", {kind::loops}, {kind::ports}, 0.1);
  auto user = pass("user", {}, {kind::roof}, 0.1);
  user.uses = {kind::ceilings};
  const auto loops = pass("loops", {kind::source}, {kind::loops}, 0.9);
  const auto ceilings = pass("ceilings", {}, {kind::ceilings}, 0.5);
  std::vector<const graph_pass*> all{&reader, &user, &loops, &ceilings};
  std::map<const graph_pass*, double> price;
  for (const auto* p : all)
    price[p] = p->estimate_s;
  std::vector<std::string> order;
  for (const auto* p : topological_order(all, {kind::source}, price))
    order.push_back(p->name);
  CHECK(order == std::vector<std::string>{"loops", "reader", "ceilings", "user"});
}

TEST_CASE("the evaluation's stages are passes, and only they give figures that count") {
  for (const auto s : {stage::admit, stage::compile, stage::screening, stage::confirm, stage::final_confirm,
                       stage::audit, stage::sanitise, stage::replay}) {
    CAPTURE(to_string(s));
    const auto& p = pass_of(s);
    CHECK(p.name == to_string(s));
    CHECK(p.of_evaluation == s);
    CHECK(p.counts);
    CHECK(is_build(s) == (s == stage::compile || s == stage::sanitise));
    CHECK(replays_sanitised(s) == (s == stage::confirm || s == stage::final_confirm));
  }
  CHECK(pass_of(stage::replay).reads == std::vector{kind::object, kind::sanitised_object});
  pass_request q;
  for (const auto* target : {"cpu", "cuda", "triton", "hip"}) {
    q.target = target;
    for (const auto& p : passes_for(profile_passes(), q)) {
      CAPTURE(p.name);
      CHECK(p.counts == p.of_evaluation.has_value());
      CHECK_FALSE((p.counts && p.instruments));
    }
  }
}
