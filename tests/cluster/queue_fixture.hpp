// Nodes that talk to the queue of a real PostgreSQL themselves, without a daemon.
#pragma once

#include "store/postgres/queue.hpp"
#include "tests/cluster/daemons.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::test {

inline postgres_server& server() {
  return shared_server();
}

// Makes a database of its own, so that cases do not meet.
inline std::string queue_database() {
  static int last = 0;
  auto name = "queue_" + std::to_string(++last);
  server().make_cluster(name);
  return name;
}

struct queue_node {
  std::unique_ptr<postgres::connection> c;
  postgres::member m;
};

inline postgres::member described(const std::string& name) {
  postgres::member m;
  m.deployment = "lab";
  m.name = name;
  m.instance = random_id();
  m.id = random_id();
  m.role = name[0] == 'h' ? "home" : "worker";
  m.version = "1";
  m.memory_mib = 1'000;
  m.resources = {{"wait", "", "one", 4, "nothing"}};
  return m;
}

inline queue_node joined(const std::string& name, const std::string& database) {
  auto c = postgres::connection::open(server().options(name, database));
  REQUIRE_MESSAGE(c.has_value(), c.error().detail);
  queue_node out{std::move(*c), described(name)};
  const auto epoch = postgres::join(*out.c, out.m);
  REQUIRE_MESSAGE(epoch.has_value(), epoch.error().detail);
  return out;
}

inline postgres::queued_job job(const std::string& payload) {
  postgres::queued_job j;
  j.key = random_id();
  j.campaign = id128{0, 7};
  j.kind = "wait";
  j.hardware = "one";
  j.payload = payload;
  return j;
}

template <class T>
T value_of(result<T> r) {
  REQUIRE_MESSAGE(r.has_value(), r.error().detail);
  return std::move(*r);
}
inline void done(const result<void>& r) {
  REQUIRE_MESSAGE(r.has_value(), r.error().detail);
}

inline std::vector<postgres::claimed_job> claim_some(queue_node& n, uint32_t most) {
  return value_of(postgres::claim(*n.c, n.m, {"wait", "", "one", most, ""}));
}

} // namespace kevolve::test
