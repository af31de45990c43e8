#include "tests/cli/program.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace kevolve::test;

TEST_CASE("without a node and without data, asking says so") {
  temporary_folder f;
  for (const auto* verb : {"list", "actors"}) {
    auto said = run_kevolve({verb}, f.path);
    CHECK(said.code == 6);
    CHECK(said.err.find("no node") != std::string::npos);
  }
  CHECK(run_kevolve({"status", "abcd"}, f.path).code == 6);
  CHECK(run_kevolve({"pause", "abcd"}, f.path).code == 6);
  auto as_json = run_kevolve({"status", "abcd", "--json"}, f.path);
  CHECK(as_json.code == 6);
  CHECK(as_json.document()["error"]["detail"].is_string());
  CHECK(std::filesystem::is_empty(f.path));
}

TEST_CASE("a wish that cannot be met is told in the words it was asked in") {
  temporary_folder f;
  f.write("file", "x");
  for (const auto* verb : {"list", "status"}) {
    auto said = run_kevolve({verb, "--data", "file"}, f.path);
    CHECK(said.code == 2);
    CHECK(said.err.find("--data: file is no directory") != std::string::npos);
  }
  auto run = run_kevolve({"run", source_path("tests/node/tasks/row_energy.toml"), "--data", "file"}, f.path);
  CHECK(run.code == 2);
  CHECK(run.err.find("file is no directory") != std::string::npos);
  auto kind = run_kevolve({"events", "--kind", "nod_finished"}, f.path);
  CHECK(kind.code == 2);
  CHECK(kind.err.find("--kind: there is no kind of event 'nod_finished'; did you mean 'node_finished'?")
        != std::string::npos);
  CHECK(run_kevolve({"events", "--kind", "campaign_steered"}, f.path).code == 6);
  for (const auto* option : {"--wall", "--device", "--candidates"}) {
    auto budget = run_kevolve({"budget", "1a2b", option, "xyz"}, f.path);
    CHECK(budget.code == 2);
    CHECK(budget.err.starts_with("kevolve: " + std::string{option} + ": not 'xyz'"));
  }
  auto debug = run_kevolve({"debug", "--out", "nowhere/x.tar.gz"}, f.path);
  CHECK(debug.code == 2);
  CHECK(debug.err == "kevolve: --out: cannot write nowhere/x.tar.gz: No such file or directory\n");
}

TEST_CASE("a node that is named but does not answer is unreachable") {
  temporary_folder f;
  auto token = f.write("token", std::string(64, 'a') + "\n");
  std::filesystem::permissions(token, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  // Port 1 on loopback: nobody may listen there but root's tcpmux.
  auto said = run_kevolve({"list", "--url", "http://127.0.0.1:1", "--token-file", token}, f.path);
  CHECK(said.code == 6);
  CHECK(run_kevolve({"list", "--url", "127.0.0.1:1", "--token-file", token}, f.path).code == 2);
  CHECK(run_kevolve({"list", "--url", "http://127.0.0.1:1"}, f.path).code == 4); // no token
}

TEST_CASE("doctor lists what this machine can do") {
  auto said = run_kevolve({"doctor", "--json"});
  auto document = said.document();
  REQUIRE(document["targets"]["cpu"].size() > 0);
  auto missing = false;
  for (const auto& row : document["targets"]["cpu"]) {
    CHECK(row["item"].is_string());
    missing = missing || row["state"] == "missing";
  }
  CHECK(document["ok"] == !missing);
  CHECK(said.code == (missing ? 1 : 0));
  auto text = run_kevolve({"doctor"});
  CHECK(text.out.find("\x1b[") == std::string::npos); // no colours where there is no terminal
}
