#include "actors/messages/keys.hpp"
#include "backends/llm/ledger/ledger.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "tests/admin/served_node.hpp"
#include "tests/support/small_disk.hpp"
#include "tools/kevolve/node_reader.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

using namespace kevolve;
using test::shared_node;

namespace {

std::string digits() {
  return to_string(shared_node().campaign);
}

} // namespace

TEST_CASE("a campaign is found by its id or by enough of its first digits") {
  auto& n = shared_node();
  auto list = n.get("/v1/campaigns");
  CHECK(list["total"] == 1);
  CHECK(list["items"][0]["id"] == digits());
  for (auto length : {4U, 8U, 32U}) {
    auto one = n.get("/v1/campaigns/" + digits().substr(0, length));
    CHECK(one["id"] == digits());
    CHECK(one["best"]["candidate"] == 2);
    CHECK(one["best"]["node"] == 2); // its name of the version before
  }
  CHECK(n.ask("GET", "/v1/campaigns/" + digits().substr(0, 3)).status == 400);
  CHECK(n.ask("GET", "/v1/campaigns/xyzw").status == 400);
  CHECK(n.ask("GET", "/v1/campaigns/" + std::string(32, '0')).status == 404);
  for (const auto* below : {"", "/tree", "/candidates/0", "/candidates/1", "/best"})
    CHECK(n.ask("GET", "/v1/campaigns/" + std::string(32, 'a') + below).status == 404);
  CHECK(n.get("/v1/campaigns?state=finished")["total"] == 1);
  CHECK(n.get("/v1/campaigns?state=running")["total"] == 0);
  CHECK(n.get("/v1/campaigns?state=cancelled")["total"] == 0);
}

TEST_CASE("the tree of an inactive campaign is folded from its events, page by page") {
  auto& n = shared_node();
  auto all = n.get("/v1/campaigns/" + digits() + "/tree");
  CHECK(all["total"] == 3);
  CHECK(all["items"][0]["verdict"] == "reference");
  CHECK(all["items"][2]["parents"] == json::array({1}));
  CHECK(all["items"][2]["speedup"] == 3.0);
  CHECK(all["items"][2]["summary"] == "step 2");
  auto page = n.get("/v1/campaigns/" + digits() + "/tree?limit=2");
  CHECK(page["items"].size() == 2);
  CHECK(page["truncated"] == true);
  auto rest = n.get("/v1/campaigns/" + digits() + "/tree?limit=2&cursor=" + page["next"].get<std::string>());
  CHECK(rest["items"].size() == 1);
  CHECK(rest["items"][0]["index"] == 2);
  CHECK(rest["next"].is_null());
}

TEST_CASE("the old path of a candidate answers alike and says that it is deprecated") {
  auto& n = shared_node();
  const auto path = "/v1/campaigns/" + digits();
  for (const auto* index : {"0", "2", "999"}) {
    auto now = n.ask("GET", path + "/candidates/" + index);
    auto old = n.ask("GET", path + "/nodes/" + index);
    CHECK(old.status == now.status);
    CHECK(old.body == now.body);
    CHECK_FALSE(now.headers.contains("deprecation"));
    CHECK(old.headers["deprecation"] == "@1795910400");
    CHECK(old.headers["link"] == "</v1/openapi.json>; rel=\"deprecation\"");
  }
  auto document = n.get("/v1/openapi.json");
  const auto& paths = document["paths"];
  CHECK(paths["/v1/campaigns/{id}/nodes/{index}"]["get"]["deprecated"] == true);
  CHECK(paths["/v1/campaigns/{id}/nodes/{index}/pin"]["post"]["deprecated"] == true);
  CHECK_FALSE(paths["/v1/campaigns/{id}/candidates/{index}"]["get"].contains("deprecated"));
  CHECK(document["x-deprecated-keys"]["rival"] == "baseline");
  CHECK(document["x-deprecated-keys"]["ci95"] == "interval");
}

TEST_CASE("old keys stand beside their successors with the same values") {
  auto& n = shared_node();
  auto whole = n.get("/v1/campaigns/" + digits() + "/candidates/2");
  CHECK(whole["baseline"].is_number());
  CHECK(whole["baseline"] == whole["rival"]);
  const auto& e = whole["evaluations"][1];
  CHECK(e["baseline"] == e["rival"]);
  CHECK(e["baseline"].is_string());
  const auto& samples = e["outcome"]["shapes"][0]["samples"];
  CHECK_FALSE(samples["baseline_ns"].empty());
  CHECK(samples["baseline_ns"] == samples["rival_ns"]);
}

TEST_CASE("an outcome shows what was tried by kind and in words, and what was not") {
  judge_outcome o;
  CHECK(to_json(o, false)["tried"].is_null());
  CHECK(to_json(o, false)["not_tried"].is_null());
  o.evidence = {{"draws", "12"},
                {"draws.shapes", "4"},
                {"draws.sizes.n", "1-3 9"},
                {"draws.values.all equal", "5"},
                {"draws.counts.at", "0, all"},
                {"draws.discarded.missed", "2"},
                {"tried", "Words."},
                {"not_tried", "Others."}};
  const auto tried = to_json(o, false)["tried"];
  CHECK(tried["draws"] == 12);
  CHECK(tried["shapes"] == 4);
  CHECK(tried["sizes"]["n"] == "1-3 9");
  CHECK(tried["values"]["all equal"] == 5);
  CHECK(tried["counts"]["at"] == "0, all");
  CHECK(tried["discarded"]["missed"] == 2);
  CHECK(tried["text"] == "Words.");
  CHECK(to_json(o, false)["not_tried"] == "Others.");
}

TEST_CASE("evidence is shown with plain names beside those that are stored") {
  const auto shown = evidence_json({{"weathered", "stolen time"}, {"launches.rival", "3"}, {"bound", "memory"}});
  CHECK(shown["decided_despite_noise"] == "stolen time");
  CHECK(shown["weathered"] == "stolen time");
  CHECK(shown["launches.baseline"] == "3");
  CHECK(shown["bound"] == "memory");
  CHECK(shown.size() == 5);
}

TEST_CASE("a candidate is shown completely") {
  auto& n = shared_node();
  auto node = n.get("/v1/campaigns/" + digits() + "/candidates/2");
  CHECK(node["source"] == test::best_source);
  CHECK(node["verdict"] == "pass");
  REQUIRE(node["diff_to_parents"].size() == 1);
  CHECK(node["diff_to_parents"][0]["parent"] == 1);
  auto diff = node["diff_to_parents"][0]["diff"].get<std::string>();
  CHECK(diff.find("--- candidate 1\n+++ candidate 2\n") == 0);
  CHECK(diff.find("-  n = n + 1;\n+  n = n + 2;\n") != std::string::npos);
  CHECK(node["diff_to_reference"].get<std::string>().find("+  n = n + 2;") != std::string::npos);
  REQUIRE(node["evaluations"].size() == 2);
  CHECK(node["evaluations"][0]["log"] == "kernel.c:1: remark: vectorised\n");
  CHECK(node["evaluations"][0]["evidence"]["sass"] == "[]");
  const auto& shape = node["evaluations"][1]["outcome"]["shapes"][0];
  CHECK(shape["reference_ns"]["median"] == 200);
  CHECK(shape["samples"]["candidate_ns"] == json::array({100.0, 50.0, 75.0}));
  CHECK(shape["interval"] == json::array({0.0, nullptr})); // null stands for infinity
  CHECK(n.get("/v1/campaigns/" + digits() + "/best") == node);
  CHECK(n.get("/v1/campaigns/" + digits() + "/candidates/0")["source"] == test::reference_source);
  CHECK(n.ask("GET", "/v1/campaigns/" + digits() + "/candidates/3").status == 404);
  CHECK(n.ask("GET", "/v1/campaigns/" + digits() + "/candidates/two").status == 400);
}

TEST_CASE("an inactive campaign cannot be steered") {
  auto& n = shared_node();
  for (const auto* verb : {"pause", "resume", "cancel"}) {
    auto answer = n.ask("POST", "/v1/campaigns/" + digits() + "/" + verb, {{"Content-Type", "application/json"}},
                        R"({"reason":"test"})");
    CHECK(answer.status == 409);
    auto why = json::parse(answer.body);
    CHECK(why["type"] == "urn:kevolve:problem:conflict");
    CHECK(why["detail"].get<std::string>().find("its target is reached: submit its files with a higher stop.speedup")
          != std::string::npos);
  }
}

TEST_CASE("invalid bodies are refused") {
  auto& n = shared_node();
  auto path = "/v1/campaigns/" + digits() + "/pause";
  for (const auto* body :
       {"[]", "{", "{\"reason\":1}", "{\"why\":\"x\"}", "\"x\"", "{\"reason\":\"x\",\"reason\":\"y\"}"})
    CHECK_MESSAGE(n.ask("POST", path, {{"Content-Type", "application/json"}}, body).status == 400, body);
  CHECK(n.ask("POST", path, {{"Content-Type", "text/plain"}}, "{}").status == 415);
  CHECK(n.ask("GET", "/v1/campaigns", {{"Content-Type", "application/json"}}, "{}").status == 400);
}

TEST_CASE("events are listed in order, decoded, from a given position") {
  auto& n = shared_node();
  auto all = n.get("/v1/events?campaign=" + digits().substr(0, 6));
  REQUIRE(all["items"].size() >= 5);
  CHECK(all["items"][0]["kind"] == "campaign_submitted");
  CHECK(all["items"][0]["data"]["name"] == "twice");
  CHECK(all["items"][1]["kind"] == "node_selected");
  CHECK(all["items"][2]["data"]["speedup"] == 2.0);
  auto first = n.get("/v1/events?limit=2");
  CHECK(first["items"].size() == 2);
  CHECK(first["truncated"] == true);
  auto next = n.get("/v1/events?limit=1&after=" + first["next"].get<std::string>());
  CHECK(next["items"][0]["sequence"].get<uint64_t>() == std::stoull(first["next"].get<std::string>()) + 1);
}

TEST_CASE("actors are listed with their places, live and dead") {
  auto& n = shared_node();
  auto all = n.get("/v1/actors?limit=1000");
  CHECK(all["complete"] == true);
  CHECK(all["forgotten"] == 0);
  auto journals = n.get("/v1/actors?kind=journal");
  REQUIRE(journals["total"] == 1);
  const auto& journal = journals["items"][0];
  CHECK(journal["alive"] == true);
  auto id = std::to_string(journal["id"].get<uint64_t>());
  CHECK(n.get("/v1/actors/" + id)["kind"] == "journal");
  CHECK(n.ask("GET", "/v1/actors/999999999").status == 404);
  CHECK(n.ask("GET", "/v1/actors/x").status == 400);
  CHECK(n.get("/v1/actors?state=dead&kind=journal")["total"] == 0);
  uint64_t in_parts = 0;
  for (const auto* state : {"starting", "idle", "busy"})
    in_parts += n.get(std::string{"/v1/actors?kind=journal&state="} + state)["total"].get<uint64_t>();
  CHECK(in_parts == 1);
  auto unknown = n.ask("GET", "/v1/actors?state=foo");
  CHECK(unknown.status == 400);
  CHECK(json::parse(unknown.body)["detail"] == "state must be one of: live, starting, idle, busy, dead");

  // The journal is below its supervisor.
  auto tree = n.get("/v1/actors/tree");
  auto found = false;
  for (const auto& root : tree["roots"])
    for (const auto& child : root["children"])
      found = found || (root["name"] == "core" && child["kind"] == "journal");
  CHECK(found);

  uint64_t live = 0;
  auto summary = n.get("/v1/actors/summary");
  for (const auto& kind : summary["items"])
    live += kind["live"].get<uint64_t>();
  CHECK(live == tree["total"].get<uint64_t>());
}

TEST_CASE("documents are listed, found by words, and shown whole") {
  auto& n = shared_node();
  const auto all = n.get("/v1/knowledge?target=cpu&limit=2");
  CHECK(all["items"].size() == 2);
  CHECK(all["total"].get<uint64_t>() >= 6);
  const auto one = n.get("/v1/knowledge/cpu/overview-vectorisation");
  CHECK(one["category"] == "guidance");
  CHECK(one["sections"].size() == 3);
  CHECK(one["sources"].contains("llvm"));
  const auto found = n.get("/v1/knowledge/search?q=independent%20accumulators&target=cpu");
  REQUIRE_FALSE(found["items"].empty());
  CHECK(found["items"][0]["title"].get<std::string>().find("accumulator") != std::string::npos);
  CHECK(n.get("/v1/knowledge/search?q=")["items"].empty());
  CHECK(n.get("/v1/knowledge/problems")["items"].empty());
  CHECK(n.ask("GET", "/v1/knowledge/cpu/none").status == 404);
  CHECK(n.ask("GET", "/v1/knowledge?target=abacus").status == 400);
}

TEST_CASE("a document is checked and added over HTTP, and served at once; code is searched below the roots") {
  test::served_node n{[](node_options& o) {
    const auto folder = o.data_dir + "-trees";
    std::filesystem::create_directories(folder + "/src");
    std::filesystem::create_directories(folder + "/outside");
    std::ofstream{folder + "/src/rows.c"}
        << "void short_rows(void) {} // sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL\n";
    std::ofstream{folder + "/outside/hidden.c"} << "void short_hidden(void) {}\n";
    std::filesystem::create_symlink("../outside", folder + "/src/link");
    o.code_roots = {folder + "/src"};
    o.knowledge_folders = {folder + "/own"};
  }};
  const std::vector<std::pair<std::string, std::string>> headers{{"Content-Type", "application/json"}};
  const auto document = [](const std::string& symbol) {
    return json{{"name", "short-rows.md"},
                {"text", "+++\ntitle = \"Short rows\"\ncategory = \"guidance\"\ntargets = [\"cpu\"]\n"
                         "signals = [\"family:sparse\"]\nchecked = 2026-11-30\n[sources]\nown = \"our run\"\n+++\n"
                         "## Rows\nZebra words. [rows.c#"
                             + symbol + "]\nSource: own\n"}};
  };
  const auto wrong = n.ask("POST", "/v1/knowledge/check", headers, to_text(document("none")));
  REQUIRE(wrong.status == 200);
  const auto said = json::parse(wrong.body);
  CHECK(said["ok"] == false);
  REQUIRE(said["errors"].size() == 1);
  CHECK(said["errors"][0]["line"] == 11);
  CHECK(said["errors"][0]["key"] == "[rows.c#none]");
  CHECK(n.ask("POST", "/v1/knowledge", headers, to_text(document("none"))).status >= 400);
  CHECK(n.ask("GET", "/v1/knowledge/own/short-rows").status == 404);
  const auto added = n.ask("POST", "/v1/knowledge", headers, to_text(document("short_rows")));
  CAPTURE(added.body);
  REQUIRE(added.status == 200);
  CHECK(n.get("/v1/knowledge/own/short-rows")["title"] == "Short rows");
  CHECK(n.get("/v1/knowledge/search?q=zebra")["items"].size() == 1);
  CHECK(n.ask("POST", "/v1/knowledge", headers, to_text(document("short_rows"))).status == 409);
  const auto code = n.get("/v1/code/search?q=short_&mode=string");
  REQUIRE(code["items"].size() == 1); // no link is followed
  CHECK(code["items"][0]["file"] == "rows.c");
  CHECK(code["items"][0]["text"].get<std::string>().find("sk-abc") == std::string::npos);
  CHECK(n.ask("GET", "/v1/code/search?q=(&mode=regex").status == 400);
  CHECK(n.ask("GET", "/v1/code/search?q=x&mode=glob").status == 400);
  CHECK(shared_node().ask("GET", "/v1/code/search?q=x").status == 404);
}

TEST_CASE("spending with a provider is shown even if it is no longer configured") {
  test::served_node n;
  CHECK(n.get("/v1/providers")["total"] == 0);
  llm::ledger spent;
  spent.spent = {2'500'000'000, 1'300, 3};
  append_request a;
  a.campaign = n.campaign;
  a.values.push_back({keys::index, keys::spent_with("mine"), encode(spent)});
  node_reader reader{*n.running};
  REQUIRE(reader.ask<uint64_t>(n.running->journal(), atom::append_v, std::move(a)));
  const auto all = n.get("/v1/providers");
  REQUIRE(all["total"] == 1);
  const auto& x = all["items"][0];
  CHECK(x["name"] == "mine");
  CHECK(x["state"] == "at rest");
  CHECK(x["spent"]["calls"] == 3);
  CHECK(x["spent"]["tokens"] == 1'300);
  CHECK(x["spent"]["cost"] == 2.5);
}

TEST_CASE("Prometheus metrics name each family once") {
  auto& n = shared_node();
  auto answer = n.ask("GET", "/metrics");
  REQUIRE(answer.status == 200);
  CHECK(answer.headers["content-type"].starts_with("text/plain"));
  for (const auto* line :
       {"kevolve_campaigns{state=\"finished\"} 1\n", "kevolve_candidates 2\n", "kevolve_actors{kind=\"journal\",state=",
        "kevolve_http_requests_total{route=\"list_campaigns\",code=\"200\"} ", "kevolve_build_info{version=\""})
    CHECK_MESSAGE(answer.body.find(line) != std::string::npos, line);
  for (const auto* family : {"kevolve_campaigns", "kevolve_actors", "kevolve_http_requests_total"}) {
    auto type = std::string{"# TYPE "} + family + " ";
    auto at = answer.body.find(type);
    CHECK(at != std::string::npos);
    CHECK(answer.body.find(type, at + 1) == std::string::npos);
  }
}

TEST_CASE("a node without a device is alive and not ready") {
  auto& n = shared_node();
  CHECK(n.ask("GET", "/healthz").status == 200);
  auto ready = n.ask("GET", "/readyz");
  CHECK(ready.status == 503);
  CHECK(json::parse(ready.body)["type"] == "urn:kevolve:problem:not-ready");
  CHECK(n.get("/v1/resources")["total"] == 0);
  const auto samples = n.ask("GET", "/v1/resources/cuda:0/samples");
  CHECK(samples.status == 404);
  CHECK(json::parse(samples.body)["detail"].get<std::string>().find("no device 'cuda:0'") != std::string::npos);
}

TEST_CASE("a node with a full disk is not ready and says so, until there is space again") {
  test::served_node elsewhere{{}, false};
  test::small_disk disk{elsewhere.folder + "/disk", 64};
  if (!disk.why.empty()) {
    MESSAGE("skipped: a node on a full disk: " << disk.why << " (needs root)");
    return;
  }
  test::served_node n{[&](node_options& o) { o.data_dir = disk.path + "/data"; }};
  const auto why = [&n] {
    const auto ready = n.ask("GET", "/readyz");
    CHECK(ready.status == 503); // it has no device either
    return json::parse(ready.body)["detail"].get<std::string>();
  };
  const auto write = [&n](size_t bytes) {
    append_request a;
    a.campaign = n.campaign;
    std::minstd_rand draw{1}; // random data does not compress
    std::string payload(bytes, ' ');
    for (auto& c : payload)
      c = static_cast<char>(draw() >> 8U & 0xffU);
    a.events.push_back({event_kind::campaign_state, std::move(payload)});
    node_reader reader{*n.running};
    const auto written = reader.ask<uint64_t>(n.running->journal(), atom::append_v, std::move(a));
    return written ? std::string{} : written.error().detail;
  };
  CHECK(why() == "no compiler is up");
  test::fill(disk.path + "/ballast");
  CHECK(why().find("wanted (limits.disk_reserve_mib") != std::string::npos);
  CHECK(why().find("the last write was refused") == std::string::npos);
  auto refused = false;
  for (int i = 0; i < 8 && !refused; ++i) // the log's file has some preallocated space
    refused = !write(4U << 20U).empty();
  CHECK(refused);
  CHECK(why().find("; the last write was refused: no space left") != std::string::npos);
  const auto steered = n.ask("POST", "/v1/campaigns/" + to_string(n.campaign) + "/priority",
                             {{"Content-Type", "application/json"}}, R"({"priority": 7})");
  CHECK(steered.status == 503);
  CHECK(json::parse(steered.body)["detail"].get<std::string>().find("nothing was done: ") == 0);
  REQUIRE(::unlink((disk.path + "/ballast").c_str()) == 0);
  CHECK(why() == "no compiler is up"); // the next write is tried again
  CHECK(write(8) == "");
}
