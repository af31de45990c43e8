#include "actors/knowledge/skill_distil.hpp"
#include "actors/knowledge/skill_gate.hpp"
#include "actors/knowledge/skill_json.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/admin/skills_json.hpp"
#include "tests/admin/served_node.hpp"
#include "tools/kevolve/node_reader.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace kevolve;
using namespace kevolve::test;

namespace {

skill made_skill(const std::string& moves, const std::string& family = "reduction") {
  skill s;
  s.conditions.target = "cpu";
  s.conditions.language = "c";
  s.conditions.families = {family};
  s.step.moves = moves;
  s.step.words = "changes a loop";
  s.provenance = {{10, 11}, "rows", "row_energy", 3, 4, "distilled"};
  s.id = skill_id(s);
  return s;
}

skill_application applied_at(uint64_t candidate, double gain, const std::string& verdict = "pass") {
  skill_application a;
  a.log_gain = std::log(gain);
  a.standard_error = 0.01;
  a.campaign = {20, 21};
  a.candidate = candidate;
  a.verdict = verdict;
  return a;
}

raw_answer post(served_node& n, const std::string& path, const std::string& body) {
  return n.ask("POST", path, {{"Content-Type", "application/json"}}, body);
}

// A node of its own, since skills are never deleted.
struct node_with_skills : served_node {
  node_with_skills() {
    const auto taken = post(*this, "/v1/skills/import",
                            skills_text({made_skill("tile(_1,64)", "matmul"), made_skill("vectorise(_1,16)")}));
    REQUIRE_MESSAGE(taken.status == 200, taken.body);
    CHECK(json::parse(taken.body)["taken"] == 2);
  }
};

json problem_of(const raw_answer& a) {
  CHECK(a.headers.at("content-type") == "application/problem+json");
  return json::parse(a.body);
}

} // namespace

TEST_CASE("the figures of a skill leave out its origin, and gains of wrong candidates") {
  auto s = made_skill("tile(_1,64)");
  auto origin = applied_at(1, 9.0);
  origin.is_origin = true;
  s.applications = {origin, applied_at(2, 1.5), applied_at(3, 1.25), applied_at(4, 0.6, "wrong_result")};
  const auto figures = use_figures(s);
  CHECK(figures.applications == 3);
  CHECK(figures.valid == 2);
  CHECK(figures.best_gain == doctest::Approx(1.5));
  CHECK(figures.candidate == 2);
  const auto whole = whole_json({s, 0.2, std::log(1.5), 0.1}, 1);
  CHECK(whole["gain"].get<double>() == doctest::Approx(1.5));
  CHECK(whole["interval"][0].get<double>() < 1.5);
  CHECK(whole["applications"][3]["gain"].is_null());
  CHECK(whole["applications"][3]["verdict"] == "wrong_result");
  CHECK(whole["applications"][1]["interval"][1].get<double>() == doctest::Approx(std::exp(std::log(1.5) + 0.0196)));
}

TEST_CASE("the weight of a skill follows from its applications by their shares") {
  auto s = made_skill("tile(_1,64)");
  constexpr int64_t day = 86'400'000'000'000;
  s.applications = {applied_at(2, 1.5), applied_at(3, 1.25), applied_at(4, 0.8)};
  s.applications[0].time_ns = 100 * day;
  s.applications[1].time_ns = 10 * day; // 90 days older: counts half
  s.applications[2].time_ns = 100 * day;
  const auto how = weighing_of(s, 100 * day);
  REQUIRE(how.shares.size() == 3);
  double mean = 0.0;
  double all = how.prior_share;
  for (size_t i = 0; i < 3; ++i) {
    all += how.shares[i];
    mean += how.shares[i] * s.applications[i].log_gain;
  }
  CHECK(all == doctest::Approx(1.0));
  CHECK(how.mean == doctest::Approx(mean));
  CHECK(how.shares[1] == doctest::Approx(how.shares[0] / 2.0));
  CHECK(how.contradictions == 1);
  CHECK(how.halved);
  CHECK(weight_of(s, 100 * day) == doctest::Approx(how.mean / 2.0 / 2.0));
}

TEST_CASE("skills are listed by pages and filters, and one is found by its first digits") {
  node_with_skills n;
  const auto first = n.get("/v1/skills?limit=1");
  CHECK(first["total"] == 2);
  CHECK(first["next"] == "1");
  const auto rest = n.get("/v1/skills?limit=1&cursor=1");
  CHECK(rest["next"].is_null());
  CHECK(rest["items"][0]["id"] != first["items"][0]["id"]);
  const auto matmul = n.get("/v1/skills?family=matmul&state=hypothesis&target=cpu");
  REQUIRE(matmul["total"] == 1);
  const auto id = matmul["items"][0]["id"].get<std::string>();
  CHECK(id == to_string(made_skill("tile(_1,64)", "matmul").id));
  const auto one = n.get("/v1/skills/" + id.substr(0, 12));
  CHECK(one["step"]["moves"] == "tile(_1,64)");
  CHECK(one["provenance"]["campaign_name"] == "rows");
  CHECK(n.get("/v1/skills?state=revoked")["total"] == 0);
}

TEST_CASE("errors about skills are problem documents") {
  node_with_skills n;
  const auto id = to_string(made_skill("tile(_1,64)", "matmul").id);
  CHECK(problem_of(n.ask("GET", "/v1/skills/00000000ffff0000"))["status"] == 404);
  CHECK(problem_of(n.ask("GET", "/v1/skills?state=believed"))["status"] == 400);
  CHECK(problem_of(n.ask("GET", "/v1/skills?family=gardening"))["status"] == 400);
  CHECK(problem_of(post(n, "/v1/skills/" + id + "/revoke", "{}"))["status"] == 422);
  CHECK(problem_of(post(n, "/v1/skills/" + id + "/revoke", R"({"why":""})"))["status"] == 422);
  CHECK(problem_of(post(n, "/v1/skills/0000ffff0000/revoke", R"({"why":"x"})"))["status"] == 404);
  CHECK(problem_of(post(n, "/v1/skills/import", R"({"format":2,"skills":[]})"))["status"] == 422);
  CHECK(problem_of(post(n, "/v1/skills/import", R"({"format":1,"skills":"all"})"))["status"] == 422);
  CHECK(problem_of(post(n, "/v1/skills/import", R"({"format":1,"skills":[3]})"))["status"] == 422);
  const auto wrong = problem_of(post(n, "/v1/skills/import", R"({"format":1,"skills":[{"version":"x"}]})"));
  CHECK(wrong["status"] == 400);
  CHECK(wrong["detail"].get<std::string>().find("skills[0].version") != std::string::npos);
  CHECK(n.ask("GET", "/v1/skills", {{"Authorization", "Bearer nobody"}}).status == 401);
  CHECK(n.get("/v1/skills")["total"] == 2);
}

TEST_CASE("a skill is revoked with a reason and an author, and stays") {
  node_with_skills n;
  const auto path = "/v1/skills/" + to_string(made_skill("vectorise(_1,16)").id);
  const auto done = post(n, path + "/revoke", R"({"why":"wrong with denormals","by":"ann"})");
  REQUIRE_MESSAGE(done.status == 200, done.body);
  CHECK(json::parse(done.body)["state"] == "revoked");
  const auto one = n.get(path);
  CHECK(one["state"] == "revoked");
  CHECK(one["weight"] == 0.0);
  CHECK(one["history"].back()["by"] == "ann");
  CHECK(one["history"].back()["reason"] == "wrong with denormals");
  CHECK(n.get("/v1/skills?state=revoked")["total"] == 1);
}

TEST_CASE("an export can be read as a document, and is filtered") {
  node_with_skills n;
  const auto all = n.ask("GET", "/v1/skills/export");
  REQUIRE(all.status == 200);
  const auto skills = parse_skills(all.body);
  REQUIRE(skills);
  CHECK(skills->size() == 2);
  CHECK(all.body.find(n.folder) == std::string::npos);
  const auto few = parse_skills(n.ask("GET", "/v1/skills/export?family=matmul").body);
  REQUIRE(few);
  CHECK(few->size() == 1);
}

TEST_CASE("a candidate tells the skills that its step was given, and which it applied") {
  served_node n({}, false);
  append_request a;
  a.campaign = n.campaign;
  a.events.push_back({event_kind::campaign_submitted, encode(campaign_submission{})});
  a.values.push_back({keys::index, keys::campaign(n.campaign), encode(campaign_submission{})});
  constexpr uint64_t candidates = 300; // more than one read of events
  const auto given = made_skill("tile(_1,64)");
  for (uint64_t i = 1; i <= candidates; ++i) {
    selection_record s;
    s.index = i;
    s.parents = {0};
    if (i == 123) {
      offered_skill o;
      o.id = given.id;
      o.step = given.step;
      o.gain = std::log(1.25);
      s.skills = {o, {}};
    }
    a.events.push_back({event_kind::node_selected, encode(s)});
    for (uint64_t other = 0; other < i % 3; ++other)
      a.events.push_back({event_kind::campaign_state, encode(state_record{run_state::paused, "why"})});
    node_record r;
    r.index = i;
    r.parents = {0};
    r.state = candidate_state::finished;
    r.result = verdict::compile_error;
    if (i % 2 != 0)
      r.skills = {given.id}; // looked for, and found only with the one candidate
    r.proposal.summary = i == 123 ? "tiles, " + offered_name(given.id) : "tiles";
    a.values.push_back({keys::nodes, keys::node(n.campaign, i), encode(r)});
  }
  node_reader reader{*n.running};
  REQUIRE(reader.ask<uint64_t>(n.running->journal(), atom::append_v, std::move(a)));
  const auto path = "/v1/campaigns/" + to_string(n.campaign) + "/candidates/";
  const auto one = n.get(path + "123");
  REQUIRE(one["skills"].size() == 2);
  CHECK(one["skills"][0]["id"] == to_string(given.id));
  CHECK(one["skills"][0]["gain"].get<double>() == doctest::Approx(1.25));
  CHECK(one["skills"][0]["applied"] == true);
  CHECK(one["skills"][1]["applied"] == false);
  for (const auto i : {1, 122, 124, 300})
    CHECK(n.get(path + std::to_string(i))["skills"] == json::array());
}

TEST_CASE("a node that works alone says so, and its version") {
  const auto own = shared_node().get("/v1/node");
  CHECK(own["in_cluster"] == false);
  CHECK_FALSE(own["version"].get<std::string>().empty());
}
