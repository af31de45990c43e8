#include "tests/cli/program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

using namespace kevolve::test;

TEST_CASE("a bad task file gets every error with its place") {
  auto path = source_path("tests/config/bad/roles.task.toml");
  auto said = run_kevolve({"task", "check", path});
  CHECK(said.code == 2);
  CHECK(said.out.empty());
  auto expected = read_file(path + ".expected");
  CHECK(std::count(said.err.begin(), said.err.end(), '\n') == std::count(expected.begin(), expected.end(), '\n'));
  CHECK(said.err.find("roles.task.toml:") != std::string::npos);
  auto as_json = run_kevolve({"task", "check", "--json", path});
  CHECK(as_json.code == 2);
  auto document = as_json.document();
  CHECK(document["ok"] == false);
  CHECK(document["errors"].size() == static_cast<size_t>(std::count(expected.begin(), expected.end(), '\n')));
  CHECK(document["errors"][0]["line"].is_number());
}

TEST_CASE("a good task gets its prototype and what its shapes cost") {
  auto said = run_kevolve({"task", "check", source_path("config/tasks/gemm.task.toml")});
  CHECK(said.code == 0);
  CHECK(said.out.find("void gemm(const float *") != std::string::npos);
  auto document = run_kevolve({"task", "check", "--json", source_path("config/tasks/gemm.task.toml")}).document();
  const auto& big = document["shapes"][0];
  CHECK(big["array_bytes"] == 3.0 * 512 * 512 * 4);
  CHECK(big["work_flops"] == 2.0 * 512 * 512 * 512);
  CHECK(big["held_out"] == false);
}

TEST_CASE("a campaign is validated together with its task and overrides") {
  auto good = source_path("config/examples/gemm.toml");
  CHECK(run_kevolve({"campaign", "validate", good}).code == 0);
  CHECK(run_kevolve({"campaign", "validate", good, "--set", "budget.wall=30s"}).code == 0);
  auto wrong = run_kevolve({"campaign", "validate", good, "--set", "budget.wal=30s", "--set", "seed=-4"});
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("budget.wal") != std::string::npos);
  CHECK(wrong.err.find("did you mean") != std::string::npos);
  CHECK(wrong.err.find("seed") != std::string::npos);
  CHECK(run_kevolve({"campaign", "validate", good, "--set", "target=gpu9000"}).code == 2);
  CHECK(run_kevolve({"campaign", "validate", "nowhere.toml"}).code == 2);
}

TEST_CASE("a plan says what would be spent and touches nothing") {
  temporary_folder f;
  auto said = run_kevolve({"campaign", "plan", source_path("config/examples/gemm.toml"), "--json", "--set",
                           "budget.candidates=7", "--data", "d"},
                          f.path);
  CHECK(said.code == 0);
  auto plan = said.document();
  CHECK(plan["budget"]["candidates"] == 7);
  CHECK(plan["network"] == false);
  CHECK(plan["generators"].contains("transform"));
  CHECK(std::filesystem::is_empty(f.path));
}

TEST_CASE("bad input writes nothing") {
  temporary_folder f;
  auto bad = f.write("bad.toml", "task = \"nowhere.task.toml\"\ntarget = \"cpu\"\nsedd = 1\n");
  auto said = run_kevolve({"run", bad}, f.path);
  CHECK(said.code == 2);
  CHECK(said.err.find("bad.toml:3:") != std::string::npos);
  CHECK(said.err.find("nowhere.task.toml") != std::string::npos);
  CHECK(run_kevolve({"eval", bad, "x.c", "--data", "data"}, f.path).code == 2);
  auto task = source_path("config/tasks/gemm.task.toml");
  CHECK(run_kevolve({"eval", task, "nowhere.c", "--data", "data"}, f.path).code == 2);
  auto source = f.write("k.c", "int x;\n");
  auto flags = run_kevolve({"eval", task, source, "--flags", "Ofats", "--data", "data"}, f.path);
  CHECK(flags.code == 2);
  CHECK(flags.err.find("did you mean 'Ofast'") != std::string::npos);
  CHECK(run_kevolve({"eval", task, source, "--target", "abacus", "--data", "data"}, f.path).code == 2);
  size_t entries = 0;
  for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator{f.path})
    ++entries;
  CHECK(entries == 2); // the two files of this test
}
