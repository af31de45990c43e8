// Campaigns' records in a real PostgreSQL and in the stores of two nodes, while connections break and campaigns move.
#include "runtime/node/cluster_journal.hpp"
#include "tests/cluster/queue_fixture.hpp"
#include "tests/cluster/relay.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

namespace kevolve::test {

namespace {

struct home {
  temporary_folder folder;
  queue_node seat;
  std::shared_ptr<store> data;
  cluster_journal records;

  // With `port`, the records take that way to the server.
  home(const std::string& name, const std::string& database, int port = 0)
      : seat(joined(name, database)), data(value_of(store::open(folder.path + "/data"))),
        records(
            [name, database, port]() -> result<postgres::connection_options> {
              auto o = server().options(name, database);
              if (port != 0)
                o.connection += " port=" + std::to_string(port);
              return o;
            },
            seat.m, data) {}

  std::vector<journal_ruling> replicate(const id128& campaign, const std::vector<transaction>& group) {
    return records.replicate(std::vector<id128>(group.size(), campaign), group);
  }
  // Does as the journal does. Returns the first refusal.
  errc write(const id128& campaign, const std::vector<transaction>& group) {
    const auto rulings = replicate(campaign, group);
    std::vector<transaction> kept;
    for (size_t i = 0; i < group.size(); ++i)
      if (rulings[i].refusal.code != errc::none)
        return rulings[i].refusal.code;
      else if (!rulings[i].stored)
        kept.push_back(group[i]);
    if (!kept.empty())
      value_of(data->commit(kept));
    return errc::none;
  }
  std::string payloads(const id128& campaign) const {
    std::string out;
    for (const auto& e : value_of(data->read_events(campaign, 1, 100)))
      out += e.payload;
    return out;
  }
};

transaction event_of(const id128& campaign, const std::string& payload) {
  transaction t;
  event_record e;
  e.campaign = campaign;
  e.kind = 1;
  e.version = 1;
  e.payload = payload;
  t.events.push_back(std::move(e));
  return t;
}

std::string shared_payloads(const std::string& database, const id128& campaign) {
  return server().ask("select coalesce(string_agg(convert_from(payload, 'UTF8'), '' order by sequence), '') from "
                      "kevolve.campaign_events where campaign = '"
                          + to_string(campaign) + "'",
                      database);
}

} // namespace

TEST_CASE("a campaign comes back to a process that has seen another take it, with what the other added") {
  const auto database = queue_database();
  home first{"h1", database};
  home second{"h2", database};
  const auto campaign = random_id();
  const auto a = event_of(campaign, "a");
  CHECK(first.write(campaign, {a}) == errc::none);
  done(leave(*first.seat.c, first.seat.m));
  done(second.records.take(campaign));
  CHECK(second.write(campaign, {event_of(campaign, "b")}) == errc::none);
  value_of(join(*first.seat.c, first.seat.m));
  CHECK(first.write(campaign, {event_of(campaign, "x")}) == errc::bad_input);
  CHECK_FALSE(first.records.owns(campaign));
  CHECK(first.records.homes()->elsewhere(campaign).find("the campaign lives on node 'h2' now") != std::string::npos);
  CHECK(value_of(first.records.look()).lost == std::vector{campaign});
  CHECK(value_of(first.records.look()).lost.empty());
  done(leave(*second.seat.c, second.seat.m));
  for (int i = 0; i < 2; ++i) // what it knows is older, though nobody has the campaign now
    CHECK(first.write(campaign, {event_of(campaign, "x")}) == errc::bad_input);
  CHECK(first.payloads(campaign) == "a");
  CHECK(value_of(first.records.look()).orphans == std::vector{campaign});
  done(first.records.take(campaign));
  CHECK(first.records.homes()->elsewhere(campaign).empty());
  CHECK(first.payloads(campaign) == "ab");
  CHECK(first.write(campaign, {event_of(campaign, "c")}) == errc::none);
  CHECK(first.payloads(campaign) == "abc");
  CHECK(shared_payloads(database, campaign) == "abc");
}

TEST_CASE("a home that writes nothing learns that another has taken its campaign") {
  const auto database = queue_database();
  home first{"h1", database};
  home second{"h2", database};
  const auto campaign = random_id();
  CHECK(first.write(campaign, {event_of(campaign, "a")}) == errc::none);
  done(leave(*first.seat.c, first.seat.m));
  done(second.records.take(campaign));
  CHECK(first.records.owns(campaign)); // as far as it knows
  CHECK(value_of(first.records.look()).lost == std::vector{campaign});
  CHECK_FALSE(first.records.owns(campaign));
  CHECK(first.records.homes()->elsewhere(campaign) == "the campaign lives on node 'h2' now");
  CHECK(value_of(second.records.look()).lost.empty());
  CHECK(second.records.homes()->all().empty());
}

TEST_CASE("a home leaves a campaign alone of which it has more than the cluster") {
  const auto database = queue_database();
  home first{"h1", database};
  home second{"h2", database};
  const auto campaign = random_id();
  CHECK(first.write(campaign, {event_of(campaign, "a")}) == errc::none);
  std::vector<transaction> longer{event_of(campaign, "a"), event_of(campaign, "b")};
  value_of(second.data->commit(longer));
  done(leave(*first.seat.c, first.seat.m));
  CHECK(second.records.take(campaign).error().code == errc::corrupt);
  CHECK(value_of(second.records.look()).orphans == std::vector{campaign}); // it is still the first one's
}

TEST_CASE("records whose answer was lost are stored once, however they are asked for again") {
  const auto database = queue_database();
  relay network{server().port()};
  home node{"h1", database, network.port()};
  const auto campaign = random_id();
  const auto a = event_of(campaign, "a");
  const auto b = event_of(campaign, "b");
  const auto c = event_of(campaign, "c");
  CHECK(node.write(campaign, {a}) == errc::none);
  network.lose_answers(true); // what is asked arrives
  CHECK(node.write(campaign, {b, c}) == errc::io);
  network.lose_answers(false);
  CHECK(node.write(campaign, {event_of(campaign, "d")}) == errc::none); // another comes first
  network.lose_answers(true);
  CHECK(node.write(campaign, {event_of(campaign, "e")}) == errc::io);
  network.lose_answers(false);
  CHECK(node.write(campaign, {c}) == errc::none);
  CHECK(node.write(campaign, {b, event_of(campaign, "e")}) == errc::none);
  CHECK(node.payloads(campaign) == "abcde");
  CHECK(shared_payloads(database, campaign) == "abcde");
}

TEST_CASE("records that PostgreSQL took and the local store refused are stored once") {
  const auto database = queue_database();
  home node{"h1", database};
  const auto campaign = random_id();
  const auto a = event_of(campaign, "a");
  const auto b = event_of(campaign, "b");
  CHECK(node.write(campaign, {a}) == errc::none);
  CHECK(node.replicate(campaign, {b})[0].refusal.code == errc::none); // and its commit fails: nothing is here
  CHECK(node.write(campaign, {b}) == errc::none);
  CHECK(node.payloads(campaign) == "ab");
  CHECK(shared_payloads(database, campaign) == "ab");
}

} // namespace kevolve::test
