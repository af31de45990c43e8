// Workers that schedulers stop: some send SIGTERM twice, and some to all processes of a job.
#include "tests/cluster/queue_fixture.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <sstream>

namespace kevolve::test {

namespace {

// Puts a job that only waits, and returns once the worker runs it.
postgres::queued_job begin_wait(queue_node& home, const node_folder& worker, const std::string& milliseconds) {
  auto j = job(milliseconds);
  j.hardware.clear();
  value_of(postgres::put(*home.c, home.m, {}, {j}));
  while (worker.told({"nodes", "list"})["guests"] == 0) {
  }
  return j;
}

// Returns the processes below one, the nearest first.
std::vector<pid_t> descendants(pid_t of) {
  std::multimap<pid_t, pid_t> children;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc", ec}) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos)
      continue;
    std::istringstream stat{read_file(entry.path().string() + "/stat")};
    std::string text;
    std::getline(stat, text, ')'); // pid and name
    std::string state;
    pid_t parent = 0;
    if (stat >> state >> parent)
      children.emplace(parent, std::stoi(name));
  }
  std::vector<pid_t> out{of};
  for (size_t i = 0; i < out.size(); ++i)
    for (auto [from, to] = children.equal_range(out[i]); from != to; ++from)
      out.push_back(from->second);
  out.erase(out.begin());
  return out;
}

} // namespace

TEST_CASE("a second SIGTERM lets a worker finish its job, and a second SIGINT ends it at once") {
  const auto database = fresh_database();
  auto home = joined("h1", database);
  node_folder worker{database, "w1", ""};
  worker.start();
  const auto j = begin_wait(home, worker, "3000");
  worker.daemon->signal(SIGTERM);
  REQUIRE(worker.daemon->wait_for("stopping"));
  worker.stop(SIGTERM, 0);
  const auto ended = value_of(postgres::collect(*home.c, home.m, 10));
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].key == j.key);
  CHECK(ended[0].result == "3000");
  worker.start();
  begin_wait(home, worker, "60000");
  worker.daemon->signal(SIGINT);
  REQUIRE(worker.daemon->wait_for("stopping"));
  worker.stop(SIGINT, 130);
}

TEST_CASE("a worker whose processes all get SIGTERM returns its jobs, and nobody is blamed") {
  const auto database = fresh_database();
  node_folder home{database, "h1", judges_elsewhere};
  node_folder worker{database, "w1", ""};
  home.start();
  worker.start();
  const auto id = home.told(short_campaign)["id"].get<std::string>();
  home.await_event(id, "node_finished");
  while (worker.told({"nodes", "list"})["guests"] == 0) {
  }
  for (const auto helper : descendants(worker.daemon->pid()))
    ::kill(helper, SIGTERM);
  worker.stop(SIGTERM, 0);
  CHECK(server().ask("select coalesce(sum(failures), 0) from kevolve.jobs", database) == "0");
  CHECK(home.node("w1")["state"] == "left");
  node_folder other{database, "w2", ""};
  other.start();
  home.await_event(id, "campaign_finished");
  CHECK(home.told({"status", id})["candidates"] == 6);
  other.stop(SIGTERM, 0);
  home.stop(SIGTERM, 0);
}

} // namespace kevolve::test
