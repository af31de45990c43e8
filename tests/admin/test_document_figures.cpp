#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/admin/document_figures.hpp"
#include "store/store.hpp"
#include "tests/admin/served_node.hpp"
#include "tests/admin/temporary_folder.hpp"
#include "tools/kevolve/node_reader.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::test;

namespace {

exchange_record asked(const id128& campaign, uint64_t node, uint32_t round, const std::string& quoted,
                      const std::string& cut = {}) {
  exchange_record out;
  out.id.campaign = campaign;
  out.id.node = node;
  out.id.round = round;
  retrieval_record r;
  for (const auto& [document, outcome] : {std::pair{quoted, "quoted"}, {cut, "budget"}})
    if (!document.empty()) {
      retrieved_section s;
      s.document = document;
      s.outcome = outcome;
      r.sections.push_back(s);
    }
  out.retrievals.push_back(r);
  return out;
}

node_record made(uint64_t index, std::vector<uint64_t> parents, verdict what, double speedup) {
  node_record out;
  out.index = index;
  out.parents = std::move(parents);
  out.state = candidate_state::finished;
  out.result = what;
  out.speedup = speedup;
  return out;
}

} // namespace

TEST_CASE("a step counts for the documents that its prompt quotes, and its gain is over its faster parent") {
  const id128 campaign{1, 2};
  document_figures all;
  count_step(all, {"cpu/a", "any/b"}, made(3, {1, 2}, verdict::pass, 6.0), campaign, 2.0);
  count_step(all, {"cpu/a"}, made(4, {3}, verdict::compile_error, 0.0), campaign, 6.0);
  auto rough = made(5, {3}, verdict::pass, 60.0);
  rough.estimate = true;
  count_step(all, {"cpu/a"}, rough, campaign, 6.0);
  auto lost = made(6, {3}, verdict::none, 0.0);
  lost.state = candidate_state::faulted;
  count_step(all, {"cpu/a"}, lost, campaign, 6.0);
  const auto& a = all.documents.at("cpu/a");
  CHECK(a.steps == 3);
  CHECK(a.valid == 2);
  CHECK(a.best_gain == doctest::Approx(3.0));
  CHECK(a.candidate == 3);
  CHECK(all.documents.at("any/b").steps == 1);
}

TEST_CASE("figures of documents are read from the stored traces, one step a candidate") {
  const temporary_folder folder;
  const auto opened = store::open(folder.path() + "/data");
  REQUIRE(opened);
  auto& data = **opened;
  const id128 campaign{1, 2};
  const auto keep = [&](const exchange_record& x) { REQUIRE(data.put(table::index, keys::exchange(x.id), encode(x))); };
  auto with_skills = asked(campaign, 1, 0, "cpu/a", "cpu/cut");
  with_skills.retrievals.push_back(asked(campaign, 1, 0, "skill/1a2b3c4d").retrievals.front());
  with_skills.retrievals.back().reason = "skills";
  keep(with_skills);
  keep(asked(campaign, 2, 0, "cpu/a"));
  keep(asked(campaign, 2, 1, "cpu/a")); // the same step
  keep(asked(campaign, 3, 0, "cpu/a")); // in flight
  for (const auto& r : {made(1, {0}, verdict::pass, 2.0), made(2, {1, 0}, verdict::pass, 5.0)})
    REQUIRE(data.put(table::nodes, keys::node(campaign, r.index), encode(r)));
  const auto found = read_document_figures(data, 100);
  REQUIRE(found);
  CHECK(found->exchanges == 4);
  CHECK(found->complete);
  REQUIRE(found->documents.size() == 1);
  const auto& a = found->documents.at("cpu/a");
  CHECK(a.steps == 2);
  CHECK(a.valid == 2);
  CHECK(a.best_gain == doctest::Approx(2.5));
  CHECK(a.campaign == campaign);
  CHECK(a.candidate == 2);
  const auto part = read_document_figures(data, 1);
  REQUIRE(part);
  CHECK_FALSE(part->complete);
  CHECK(part->documents.at("cpu/a").steps == 1);
}

TEST_CASE("figures of documents are served with the candidate of the best gain") {
  served_node n;
  const auto x = asked(n.campaign, 2, 0, "cpu/overview-memory");
  append_request a;
  a.campaign = n.campaign;
  a.values.push_back({keys::index, keys::exchange(x.id), encode(x)});
  node_reader reader{*n.running};
  REQUIRE(reader.ask<uint64_t>(n.running->journal(), atom::append_v, std::move(a)));
  const auto all = n.get("/v1/knowledge/figures");
  CHECK(all["complete"] == true);
  REQUIRE(all["items"].size() == 1);
  const auto& figure = all["items"][0];
  CHECK(figure["document"] == "cpu/overview-memory");
  CHECK(figure["steps"] == 1);
  CHECK(figure["valid"] == 1);
  CHECK(figure["best_gain"].get<double>() == doctest::Approx(1.5)); // 3.0 over its parent's 2.0
  CHECK(figure["campaign"] == to_string(n.campaign));
  CHECK(figure["candidate"] == 2);
}
