// Nodes and PostgreSQL that know each other by certificates.
#include "store/postgres/queue.hpp"
#include "tests/cluster/certificates.hpp"
#include "tests/cluster/daemons.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace kevolve::test;
using kevolve::errc;
using kevolve::postgres::connection;
using kevolve::postgres::connection_options;

namespace {

// The shared server with TLS: h1 and w1 log in by certificate alone.
struct certified_server {
  certificate_authority authority{"authority of the cluster"};
  certificate_authority stranger{"another authority"};
  certified node = authority.certify("w1");
  certified other_node = authority.certify("w2");
  certified forged = stranger.certify("w1");
  std::string database;

  certified_server() {
    static int last = 0;
    if (last++ == 0) {
      const auto own = authority.certify("server", "IP:127.0.0.1,IP:0.0.0.0");
      shared_server().use_tls(own.key, own.certificate, authority.path(),
                              "hostssl all w1 127.0.0.1/32 cert\nhostssl all h1 127.0.0.1/32 cert\n");
    }
    database = fresh_database();
  }
  // 0.0.0.0 reaches this machine and is no loopback address: there TLS is verified unless told otherwise.
  std::string reach(const std::string& host, const std::string& more = "") const {
    return "host=" + host + " port=" + std::to_string(shared_server().port()) + " dbname=" + database + " user=w1"
           + more;
  }
  std::string with(const certified& c) const {
    return " sslrootcert=" + authority.path() + " sslcert=" + c.certificate + " sslkey=" + c.key;
  }
  kevolve::failure refusal(const std::string& how) const {
    connection_options o;
    o.connection = how;
    o.name = "test";
    const auto c = connection::open(o);
    REQUIRE_FALSE(c.has_value());
    return c.error();
  }
};

certified_server& certified_one() {
  static certified_server one;
  return one;
}

bool names(const kevolve::failure& f, const std::string& words) {
  return f.detail.find(words) != std::string::npos;
}

} // namespace

TEST_CASE("a node joins by its certificate, without a password") {
  auto& s = certified_one();
  node_folder worker{s.database, "w1", "", "", s.reach("0.0.0.0", s.with(s.node))};
  worker.write("password", "");
  worker.start();
  CHECK(shared_server().ask("select login from kevolve.nodes where name = 'w1'", s.database) == "w1");
  CHECK(shared_server().ask("select client_dn from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'w1'",
                            s.database)
        == "/CN=w1");
  worker.stop(SIGTERM, 0);
}

TEST_CASE("missing, foreign and forged certificates are refused with the remedy, and nothing is written") {
  auto& s = certified_one();
  const auto before = shared_server().ask("select count(*) from kevolve.nodes", s.database);
  const auto without = s.refusal(s.reach("0.0.0.0", " sslrootcert=" + s.authority.path()));
  CHECK(without.code == errc::unauthorised);
  CHECK_MESSAGE(names(without, "sslcert and sslkey"), without.detail);
  const auto foreign = s.refusal(s.reach("0.0.0.0", s.with(s.other_node)));
  CHECK(foreign.code == errc::unauthorised);
  CHECK_MESSAGE(names(foreign, "certificate authentication failed for user \"w1\""), foreign.detail);
  CHECK_MESSAGE(names(foreign, "sslcert and sslkey"), foreign.detail);
  const auto forged = s.refusal(s.reach("0.0.0.0", s.with(s.forged)));
  CHECK(forged.code == errc::unauthorised);
  CHECK_MESSAGE(names(forged, "unknown ca"), forged.detail);
  CHECK_MESSAGE(names(forged, "sslcert and sslkey"), forged.detail);
  // A daemon says the same, and stays outside.
  node_folder worker{s.database, "w1", "", "", s.reach("0.0.0.0", s.with(s.forged))};
  worker.daemon = std::make_unique<program>("kevolved", std::vector<std::string>{"kevolved.toml"}, worker.path);
  CHECK(worker.daemon->wait_for("unknown ca"));
  const auto view = worker.told({"nodes", "list"});
  CHECK(view["state"] == "away");
  CHECK(view["reason"].get<std::string>().find("sslcert and sslkey") != std::string::npos);
  worker.stop(SIGTERM, 0);
  CHECK(shared_server().ask("select count(*) from kevolve.nodes", s.database) == before);
}

TEST_CASE("a server that cannot prove who it is is refused by default") {
  auto& s = certified_one();
  const auto client = " sslcert=" + s.node.certificate + " sslkey=" + s.node.key;
  const auto unknown = s.refusal(s.reach("0.0.0.0", client + " sslrootcert=" + s.stranger.path()));
  CHECK(unknown.code == errc::unauthorised);
  CHECK_MESSAGE(names(unknown, "certificate verify failed"), unknown.detail);
  CHECK_MESSAGE(names(unknown, "sslrootcert"), unknown.detail);
  const auto no_authority = s.refusal(s.reach("0.0.0.0", client + " sslrootcert=/nonexistent"));
  CHECK(no_authority.code == errc::unauthorised);
  CHECK_MESSAGE(names(no_authority, "sslrootcert"), no_authority.detail);
  // Its certificate is not for this name.
  const auto elsewhere = s.refusal(
      s.reach("localhost", " hostaddr=127.0.0.1" + client + " sslmode=verify-full sslrootcert=" + s.authority.path()));
  CHECK(elsewhere.code == errc::unauthorised);
  CHECK_MESSAGE(names(elsewhere, "does not match host name"), elsewhere.detail);
  // A server without TLS.
  postgres_server plain;
  connection_options o;
  o.connection = "host=0.0.0.0 port=" + std::to_string(plain.port())
                 + " user=owner dbname=postgres sslrootcert=" + s.authority.path();
  const auto c = connection::open(o);
  REQUIRE_FALSE(c.has_value());
  CHECK(c.error().code == errc::unauthorised);
  CHECK_MESSAGE(names(c.error(), "does not support SSL"), c.error().detail);
  CHECK_MESSAGE(names(c.error(), "ssl = on"), c.error().detail);
}
