// Membership and the work queue against a real PostgreSQL.
#include "store/postgres/migrate.hpp"
#include "store/postgres/schema_texts.hpp"
#include "tests/cluster/queue_fixture.hpp"

#include <doctest/doctest.h>

#include <set>

namespace kevolve::test {

using namespace postgres;

TEST_CASE("a job is claimed once, finished once, and collected until it is acknowledged") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto first = joined("w1", database);
  auto second = joined("w2", database);
  const std::string binary{"\0\1\\x'\"", 6};
  auto j = job(binary);
  j.blobs = {sha256_hex("object")};
  CHECK(value_of(missing_blobs(*home.c, j.blobs)) == j.blobs);
  value_of(put(*home.c, home.m, {"object"}, {j}));
  CHECK(value_of(missing_blobs(*home.c, j.blobs)).empty());
  const auto claimed = claim_some(first, 4);
  REQUIRE(claimed.size() == 1);
  CHECK(claimed[0].key == j.key);
  CHECK(claimed[0].payload == binary);
  CHECK(claimed[0].claim == 1);
  CHECK(claim_some(second, 4).empty());
  CHECK(value_of(fetch(*first.c, claimed[0].token, j.blobs[0])) == "object");
  CHECK(fetch(*first.c, to_string(random_id()), j.blobs[0]).error().code == errc::conflict);
  CHECK(value_of(finish(*second.c, {{claimed[0].token, "stolen", "", true}})) == std::vector<bool>{false});
  CHECK(value_of(finish(*first.c, {{claimed[0].token, "right", "", true}})) == std::vector<bool>{true});
  CHECK(value_of(finish(*first.c, {{claimed[0].token, "again", "", true}})) == std::vector<bool>{false});
  for (auto turn = 0; turn < 2; ++turn) {
    const auto ended = value_of(collect(*home.c, home.m, 10));
    REQUIRE(ended.size() == 1);
    CHECK(ended[0].key == j.key);
    CHECK(ended[0].result == "right");
    CHECK(ended[0].node == "w1");
  }
  done(acknowledge(*home.c, home.m, {j.key}));
  CHECK(value_of(collect(*home.c, home.m, 10)).empty());
}

TEST_CASE("two homes that want the same work buy it once") {
  const auto database = queue_database();
  auto a = joined("h1", database);
  auto b = joined("h2", database);
  auto worker = joined("w1", database);
  const auto j = job("same");
  value_of(put(*a.c, a.m, {}, {j}));
  value_of(put(*b.c, b.m, {}, {j}));
  const auto claimed = claim_some(worker, 4);
  REQUIRE(claimed.size() == 1);
  value_of(finish(*worker.c, {{claimed[0].token, "bought", "", true}}));
  CHECK(value_of(collect(*a.c, a.m, 10)).at(0).result == "bought");
  CHECK(value_of(collect(*b.c, b.m, 10)).at(0).result == "bought");
  done(acknowledge(*a.c, a.m, {j.key}));
  CHECK(value_of(collect(*b.c, b.m, 10)).size() == 1);
  value_of(put(*a.c, a.m, {}, {j})); // asked again after a restart: the stored result answers
  CHECK(value_of(collect(*a.c, a.m, 10)).at(0).result == "bought");
}

TEST_CASE("a job whose lease ran out goes to another node, and the late result is refused") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto silent = joined("w1", database);
  auto other = joined("w2", database);
  value_of(put(*home.c, home.m, {}, {job("work")}));
  const auto first = claim_some(silent, 1).at(0);
  CHECK(value_of(heartbeat(*silent.c, silent.m, {first.token})).lost.empty());
  server().run("update kevolve.jobs set lease_until = clock_timestamp() - interval '1 hour'", database);
  value_of(heartbeat(*other.c, other.m, {}));
  server().run("update kevolve.jobs set not_before = clock_timestamp()", database);
  CHECK(claim_some(silent, 1).empty()); // it failed there
  const auto second = claim_some(other, 1).at(0);
  CHECK(second.key == first.key);
  CHECK(second.claim == 2);
  CHECK(value_of(heartbeat(*silent.c, silent.m, {first.token})).lost == std::vector<std::string>{first.token});
  CHECK(value_of(finish(*silent.c, {{first.token, "late", "", true}})) == std::vector<bool>{false});
  CHECK(value_of(finish(*other.c, {{second.token, "in time", "", true}})) == std::vector<bool>{true});
  CHECK(value_of(collect(*home.c, home.m, 10)).at(0).result == "in time");
}

TEST_CASE("a job that fails on four nodes is put aside with the reason, and may be asked for again") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto worker = joined("w1", database);
  const auto j = job("breaks");
  value_of(put(*home.c, home.m, {}, {j}));
  for (auto turn = 0; turn < 4; ++turn) {
    server().run("update kevolve.jobs set not_before = clock_timestamp() - interval '1 hour'", database);
    const auto claimed = claim_some(worker, 1).at(0);
    CHECK(value_of(finish(*worker.c, {{claimed.token, "", "the compiler was killed", true}}))
          == std::vector<bool>{true});
  }
  const auto ended = value_of(collect(*home.c, home.m, 10));
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].dead);
  CHECK(ended[0].reason == "the compiler was killed");
  CHECK(value_of(queue_figures(*home.c)).at(0).dead == 1);
  value_of(put(*home.c, home.m, {}, {j}));
  CHECK(claim_some(worker, 1).size() == 1);
}

TEST_CASE("campaigns share the nodes by weight, and higher priorities go first") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto worker = joined("w1", database);
  std::vector<queued_job> jobs;
  for (auto i = 0; i < 40; ++i) { // one campaign was first with all of its jobs
    jobs.push_back(job("a"));
    jobs.back().campaign = id128{0, 1};
  }
  for (auto i = 0; i < 40; ++i) {
    jobs.push_back(job("b"));
    jobs.back().campaign = id128{0, 2};
    jobs.back().weight = 300;
  }
  jobs.push_back(job("first"));
  jobs.back().priority = 1;
  value_of(put(*home.c, home.m, {}, jobs));
  size_t of_b = 0;
  const auto claimed = claim_some(worker, 33);
  REQUIRE(claimed.size() == 33);
  std::set<std::string> seen;
  for (const auto& c : claimed) {
    of_b += c.payload == "b" ? 1U : 0U;
    seen.insert(c.payload);
  }
  CHECK(seen.contains("first"));
  CHECK(of_b == 24);
}

TEST_CASE("labels, memory and fingerprints decide who may take a job") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto worker = joined("w1", database);
  auto labelled = job("labelled");
  labelled.labels = {"rack-3"};
  auto large = job("large");
  large.memory_mib = 2'000;
  auto elsewhere = job("elsewhere");
  elsewhere.hardware = "two";
  auto anywhere = job("anywhere");
  anywhere.hardware = "";
  value_of(put(*home.c, home.m, {}, {labelled, large, elsewhere, anywhere}));
  CHECK(claim_some(worker, 9).at(0).payload == "anywhere");
  CHECK(claim_some(worker, 9).empty());
  worker.m.labels = {"rack-3", "quiet"};
  value_of(join(*worker.c, worker.m));
  CHECK(claim_some(worker, 9).at(0).payload == "labelled");
}

TEST_CASE("a draining node gets nothing new, and leaving returns its jobs without blame") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto worker = joined("w1", database);
  auto other = joined("w2", database);
  value_of(put(*home.c, home.m, {}, {job("one"), job("two")}));
  REQUIRE(claim_some(worker, 1).size() == 1);
  CHECK(value_of(drain(*home.c, "w1", true)));
  CHECK_FALSE(value_of(drain(*home.c, "nobody", true)));
  CHECK(value_of(heartbeat(*worker.c, worker.m, {})).draining);
  CHECK(claim_some(worker, 1).empty());
  done(leave(*worker.c, worker.m));
  CHECK(claim_some(other, 5).size() == 2);
  const auto nodes = value_of(list_nodes(*home.c));
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[0].state == "live");
  CHECK(nodes[1].state == "left");
  CHECK(nodes[2].claimed == 2);
  CHECK(nodes[2].resources.at(0).hardware == "one");
}

TEST_CASE("a second live node of a name, another deployment and a foreign login are refused") {
  const auto database = queue_database();
  auto first = joined("w1", database);
  auto second = described("w1");
  const auto refused = join(*first.c, second);
  CHECK(refused.error().code == errc::conflict);
  CHECK(refused.error().detail.find("there is a live node 'w1' already") != std::string::npos);
  server().run("update kevolve.nodes set seen_at = seen_at - interval '1 minute'", database);
  CHECK(value_of(join(*first.c, second)) == 2); // it was gone
  CHECK(heartbeat(*first.c, first.m, {}).error().code == errc::conflict);
  auto foreign = described("w3");
  foreign.deployment = "another";
  CHECK(join(*first.c, foreign).error().code == errc::bad_input);
  foreign.deployment = "lab";
  foreign.role = "home";
  CHECK(join(*first.c, foreign).error().code == errc::unauthorised);
  CHECK(initialise(*value_of(connection::open(server().options("owner", database))), "another").error().code
        == errc::bad_input);
}

TEST_CASE("a worker has no right on tables, nor to put jobs") {
  const auto database = queue_database();
  auto worker = joined("w1", database);
  for (const auto* sql :
       {"select * from kevolve.jobs", "update kevolve.nodes set draining = true",
        "insert into kevolve.blobs values (sha256('a'), 'a', 'w1')", "select kevolve.fail_job(1, '', 'w1', true)",
        "select kevolve.expire_leases()", "select * from kevolve.list_nodes()"})
    CHECK_MESSAGE(worker.c->run({sql, {}}).error().code == errc::unauthorised, sql);
  CHECK(put(*worker.c, worker.m, {}, {job("mine")}).error().code == errc::unauthorised);
}

TEST_CASE("wrong passwords, missing schemas and newer ones are refused with the remedy") {
  const auto database = queue_database();
  auto options = server().options("w1", database);
  options.password = "guess";
  CHECK(connection::open(options).error().code == errc::unauthorised);
  options.connection += " password=secret";
  CHECK(connection::open(options).error().code == errc::bad_input);
  auto empty = value_of(connection::open(server().options("owner", "postgres")));
  CHECK(check_schema(*empty).error().detail.find("kevolve cluster init") != std::string::npos);
  auto home = joined("h1", database);
  done(check_schema(*home.c));
  server().run("insert into kevolve.migrations values (99)", database);
  CHECK(check_schema(*home.c).error().code == errc::newer_format);
}

TEST_CASE("a database of an earlier schema is brought up to date, and keeps what it holds") {
  server().run("create database earlier owner owner");
  auto owner = value_of(connection::open(server().options("owner", "earlier")));
  done(owner->run_script("create schema kevolve; set search_path = kevolve, pg_temp; create table migrations "
                         "(version integer primary key, made_at timestamptz not null default clock_timestamp())"));
  for (const auto text : {schema_0001(), schema_0002(), schema_0003()})
    done(owner->run_script(std::string{text}));
  done(owner->run_script("insert into migrations values (1), (2), (3); insert into deployment (name) values ('lab');"
                         "insert into shares values (gen_random_uuid(), 7); reset search_path"));
  const auto refused = check_schema(*owner).error();
  CHECK(refused.code == errc::conflict);
  CHECK(refused.detail.find("run kevolve cluster init") != std::string::npos);
  CHECK(value_of(initialise(*owner, "lab")) == 3);
  CHECK(value_of(initialise(*owner, "lab")) == schema_version);
  CHECK(server().ask("select tag from kevolve.shares", "earlier") == "7");
  auto home = joined("h1", "earlier");
  done(check_schema(*home.c));
  value_of(put(*home.c, home.m, {}, {job("new")}));
}

TEST_CASE("a node of another version joins, and gets the jobs of its own fingerprints alone") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto worker = joined("w1", database);
  worker.m.version = "another";
  worker.m.resources = {{"wait", "", "another", 4, "nothing"}};
  value_of(join(*worker.c, worker.m));
  const auto rows = value_of(list_nodes(*home.c));
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].version == "another");
  auto own = job("own");
  own.hardware = "another";
  value_of(put(*home.c, home.m, {}, {job("of one"), own}));
  const auto claimed = value_of(claim(*worker.c, worker.m, worker.m.resources[0]));
  REQUIRE(claimed.size() == 1);
  CHECK(claimed[0].payload == "own");
}

TEST_CASE("an acknowledged job survives a server that dies") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  const auto j = job("kept");
  value_of(put(*home.c, home.m, {}, {j}));
  server().kill();
  CHECK(collect(*home.c, home.m, 1).error().code == errc::unavailable);
  CHECK(home.c->broken());
  server().start();
  home.c = value_of(connection::open(server().options("h1", database)));
  CHECK(value_of(queue_figures(*home.c)).at(0).queued == 1);
}

TEST_CASE("an idle node is notified of work, and a home of results") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto worker = joined("w1", database);
  done(worker.c->listen("kevolve_jobs"));
  done(home.c->listen("kevolve_done"));
  auto sender = joined("h2", database);
  value_of(put(*sender.c, sender.m, {}, {job("a")}));
  const auto told = value_of(worker.c->wait(-1, std::chrono::seconds{30}));
  REQUIRE(told.has_value());
  CHECK(told->payload == "wait ");
}

} // namespace kevolve::test
