// Workers whose measured device differs from the fingerprint that they announce.
#include "store/postgres/queue.hpp"
#include "tests/cluster/queue_fixture.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <fstream>

using namespace kevolve::test;

namespace {

// Part of a processor's fingerprint: how the kernel gives out large pages.
constexpr const char* huge_pages = "/sys/kernel/mm/transparent_hugepage/enabled";

std::string judge_of(const node_folder& home, const std::string& worker) {
  const auto shown = home.told({"nodes", "show", worker});
  for (const auto& r : shown["resources"])
    if (r["kind"] == "judge")
      return r["hardware"].get<std::string>();
  return {};
}

void run_campaign(const node_folder& home) {
  const auto id =
      home.told({"submit", "row_energy.toml", "--set", "budget.candidates=2", "--set", "draft.candidates=2"})["id"]
          .get<std::string>();
  home.await_event(id, "campaign_finished");
  CHECK(home.told({"status", id})["valid"].get<int>() > 0);
}

} // namespace

TEST_CASE("a worker that is far slower than others with its fingerprint is quarantined until it is let in again") {
  const auto database = fresh_database();
  node_folder home{database, "h1", judges_elsewhere};
  home.start();
  std::string fingerprint;
  {
    node_folder known{database, "w1", ""};
    known.start();
    fingerprint = judge_of(home, "w1");
    known.stop(SIGTERM, 0);
  }
  REQUIRE_FALSE(fingerprint.empty());
  server().run("delete from kevolve.device_figures", database);
  auto another = joined("w2", database); // has the same fingerprint, and measures a hundred times as much
  value_of(kevolve::postgres::note_figures(*another.c, another.m, fingerprint, {{"peak.flops_per_s", 1e15}}));
  node_folder worker{database, "w3", ""};
  worker.start();
  REQUIRE(worker.daemon->wait_for("'w3' is quarantined and gets no more jobs: peak.flops_per_s is "));
  const auto row = home.node("w3");
  CHECK(row["state"] == "quarantined");
  CHECK(row["reason"].get<std::string>().find("another node with this fingerprint measured 1e+15: beyond a factor of 3")
        != std::string::npos);
  const auto shown = home.kevolve({"nodes", "list"}).out;
  CHECK_MESSAGE(shown.find("node 'w3' is quarantined: peak.flops_per_s is ") != std::string::npos, shown);
  CHECK(worker.told({"nodes", "list"})["reason"].get<std::string>().find("peak.flops_per_s") != std::string::npos);
  CHECK(home.told({"nodes", "undrain", "w3"})["node"] == "w3");
  CHECK(home.node("w3")["state"] == "live");
  run_campaign(home); // on it alone
  worker.stop(SIGTERM, 0);
  home.stop(SIGTERM, 0);
}

TEST_CASE("a worker whose device changes under it is quarantined, and another does its jobs"
          * doctest::test_suite("long")) {
  const auto there = read_file(huge_pages);
  const auto changed =
      there.find("[madvise]") == std::string::npos ? "always [madvise] never\n" : "always madvise [never]\n";
  const auto database = fresh_database();
  node_folder home{database, "h1", judges_elsewhere};
  node_folder worker{database, "w1", ""};
  const auto pages = worker.write("huge_pages", there);
  const auto* bin = std::getenv("KEVOLVE_BIN");
  REQUIRE(bin != nullptr);
  program tried{"/usr/bin/unshare", {"--mount", "mount", "--bind", pages, huge_pages}, worker.path};
  if (const auto t = tried.finish(); there.empty() || t.code != 0) {
    MESSAGE("skipped: a device that changes: " << huge_pages << " cannot be covered: " << t.err << " (needs root)");
    return;
  }
  home.start();
  worker.daemon = std::make_unique<program>(
      "/usr/bin/unshare",
      std::vector<std::string>{"--mount", "sh", "-c", "mount --bind \"$1\" \"$2\" && exec \"$3\" kevolved.toml", "sh",
                               pages, huge_pages, std::string{bin} + "/kevolved"},
      worker.path);
  worker.await_joined(1);
  node_folder other{database, "w2", ""};
  other.start();
  CHECK(judge_of(home, "w1") == judge_of(home, "w2"));
  std::ofstream{pages} << changed; // as when the machine is set up anew
  REQUIRE(worker.daemon->wait_for("'w1' is quarantined and gets no more jobs: device cpu:"));
  CHECK(home.node("w1")["state"] == "quarantined");
  CHECK(home.node("w1")["reason"].get<std::string>().find("was announced with the fingerprint") != std::string::npos);
  run_campaign(home);
  CHECK(worker.told({"nodes", "list"})["done"] == 0);
  other.stop(SIGTERM, 0);
  std::ofstream{pages} << there;
  CHECK(home.told({"nodes", "undrain", "w1"})["node"] == "w1");
  const auto id = home.told({"submit", "row_energy.toml", "--set", "budget.candidates=6", "--set", "seed=7"})["id"]
                      .get<std::string>();
  home.await_event(id, "campaign_finished");
  CHECK(worker.told({"nodes", "list"})["done"].get<int>() > 0);
  worker.stop(SIGTERM, 0);
  home.stop(SIGTERM, 0);
}
