#include "store/audit.hpp"

#include "runtime/base/codec.hpp"
#include "runtime/node/admin/ledger.hpp"
#include "store/fsck.hpp"
#include "tests/admin/killed_node.hpp"
#include "tests/admin/served_node.hpp"
#include "tests/admin/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <future>

using namespace kevolve;
using test::served_node;
using test::temporary_folder;

namespace {

// Returns a store with `count` records in its audit log.
std::unique_ptr<store> with_log(const std::string& data_dir, size_t count) {
  auto opened = store::open(data_dir);
  REQUIRE(opened);
  std::shared_ptr<store> data = std::move(*opened);
  auto ledger = request_ledger::open(data);
  REQUIRE(ledger);
  for (size_t i = 0; i < count; ++i) {
    audit_record r;
    r.phase = i % 2 == 0 ? "begun" : "ended";
    r.request = "r-" + std::to_string(i / 2);
    r.route = "pause_campaign";
    std::promise<bool> written;
    (*ledger)->write(r, {}, [&](const result<void>& x) { written.set_value(x.has_value()); });
    REQUIRE(written.get_future().get());
  }
  ledger->reset();
  data.reset();
  return std::move(store::open(data_dir).value());
}

std::vector<fsck_finding> findings_after(const std::function<void(store&)>& harm) {
  temporary_folder folder;
  auto dir = folder.path() + "/data";
  {
    auto data = with_log(dir, 6);
    harm(*data);
  }
  auto report = fsck(dir);
  REQUIRE(report);
  return report->findings;
}

void write(store& data, write_op op) {
  transaction t{{}, {std::move(op)}};
  REQUIRE(data.commit({&t, 1}));
}

} // namespace

TEST_CASE("an unchanged audit log verifies") {
  CHECK(findings_after([](store&) {}).empty());
}

TEST_CASE("a change of any field is found, even with a correct checksum" * doctest::test_suite("long")) {
  const std::function<void(audit_record&)> changes[] = {
      [](audit_record& x) { x.who = "token:somebody"; },
      [](audit_record& x) { x.time_ns += 1; },
      [](audit_record& x) { x.outcome = "done"; },
      [](audit_record& x) { x.ids = "id=0"; },
      [](audit_record& x) { x.number = 7; },
      [](audit_record& x) { x.hash[0] = x.hash[0] == 'a' ? 'b' : 'a'; }};
  for (uint64_t which : {1U, 3U, 6U})
    for (const auto& change : changes) {
      auto findings = findings_after([&](store& data) {
        auto x = audit::read(data, which - 1, 1).value().at(0);
        change(x);
        write(data, write_op::put(table::index, audit::key(which), encode(x)));
      });
      REQUIRE_FALSE(findings.empty());
      CHECK(findings[0].where.starts_with("index/"));
    }
}

TEST_CASE("a deleted record is found, be it the first, one in the middle or the last") {
  for (uint64_t which : {1U, 3U, 6U}) {
    auto findings = findings_after([&](store& data) { write(data, write_op::erase(table::index, audit::key(which))); });
    REQUIRE_FALSE(findings.empty());
    auto last = which == 6;
    CHECK(findings[0].what.find(last ? "now ends with 5" : "are missing before it") != std::string::npos);
  }
}

TEST_CASE("a changed record with a new hash breaks the chain after it") {
  auto findings = findings_after([](store& data) {
    auto x = audit::read(data, 2, 1).value().at(0);
    x.who = "token:somebody";
    audit_end end{2, x.before};
    audit::chain(x, end);
    write(data, write_op::put(table::index, audit::key(3), encode(x)));
  });
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0].what.find("does not follow") != std::string::npos);
}

TEST_CASE("a truncated end is found") {
  CHECK_FALSE(findings_after([](store& data) {
                write(data, write_op::erase(table::index, std::string{audit::end_key}));
              }).empty());
}

TEST_CASE("changing requests are recorded before and after, with the caller and without the token") {
  served_node n;
  auto pause = "/v1/campaigns/" + to_string(n.campaign) + "/pause";
  auto answer = n.ask("POST", pause, {{"Content-Type", "application/json"}}, "{\"reason\":\"too hot\"}");
  CHECK(answer.status == 409); // the campaign has ended
  auto request = answer.headers["x-request-id"];
  CHECK_FALSE(request.empty());
  n.get("/v1/campaigns"); // reading is not recorded
  CHECK(n.ask("POST", pause, {{"Authorization", "Bearer wrong"}}).status == 401);
  CHECK(n.ask("POST", pause, {{"Content-Type", "application/json"}}, "{\"colour\":1}").status == 400);

  auto log = n.get("/v1/audit");
  REQUIRE(log["total"] == 2);
  const auto& begun = log["items"][0];
  const auto& ended = log["items"][1];
  CHECK(begun["phase"] == "begun");
  CHECK(begun["request"] == request);
  CHECK(begun["route"] == "pause_campaign");
  CHECK(begun["method"] == "POST");
  CHECK(begun["peer"] == "127.0.0.1");
  CHECK(begun["ids"] == "id=" + to_string(n.campaign) + " reason=too hot");
  CHECK(begun["who"].get<std::string>() == "token:" + sha256_hex(n.token).substr(0, 12));
  CHECK(begun["status"].is_null());
  CHECK(ended["phase"] == "ended");
  CHECK(ended["request"] == request);
  CHECK(ended["status"] == 409);
  CHECK(ended["outcome"] == "conflict");
  CHECK(ended["before"] == begun["hash"]);
  CHECK(log["end"]["hash"] == ended["hash"]);
  CHECK(log.dump().find(n.token) == std::string::npos);

  n.ask("POST", pause);
  auto page = n.get("/v1/audit?limit=3");
  CHECK(page["items"].size() == 3);
  CHECK(page["truncated"] == true);
  auto rest = n.get("/v1/audit?cursor=" + page["next"].get<std::string>());
  CHECK(rest["items"].size() == 1);
  CHECK(rest["items"][0]["number"] == 4);
  CHECK(rest["truncated"] == false);
}

TEST_CASE("a node may stop while the record of an answered request is being written") {
  for (int i = 0; i < 20; ++i) {
    served_node n;
    CHECK(n.ask("POST", "/v1/campaigns/" + to_string(n.campaign) + "/pause").status != 0);
  }
}

TEST_CASE("after kill -9 the chain continues, and fsck finds it intact") {
  temporary_folder folder;
  auto dir = folder.path() + "/data";
  for (int round = 0; round < 2; ++round) {
    test::killed_node n{dir};
    CHECK(n.post("/v1/campaigns/abcd/cancel", "k" + std::to_string(round), "{}").status == 404);
    auto log = json::parse(n.get("/v1/audit").body);
    CHECK(log["total"] == 2 * (round + 1));
    n.kill();
  }
  auto report = fsck(dir);
  REQUIRE(report);
  for (const auto& f : report->findings)
    FAIL_CHECK(f.where << ": " << f.what);
}
