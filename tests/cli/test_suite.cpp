#include "tests/cli/row_squares.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>

using namespace kevolve::test;

namespace {

// Writes two tasks of the same reference under two names.
void write_tasks(const temporary_folder& f) {
  std::filesystem::create_directories(f.path + "/tasks");
  f.write("tasks/row_squares.c", row_squares_reference);
  for (const auto* name : {"first", "second"}) {
    auto text = row_squares_task({.rows = 512});
    const std::string before = "name = \"row_squares\"";
    text.replace(text.find(before), before.size(), std::string{"name = \""} + name + "\"");
    f.write(std::string{"tasks/"} + name + ".task.toml", text);
  }
}

const std::vector<std::string> small{"--set", "budget.candidates=3", "--set", "draft.candidates=3", "--set", "seed=7"};

std::vector<std::string> with_small(std::vector<std::string> words) {
  words.insert(words.end(), small.begin(), small.end());
  return words;
}

} // namespace

TEST_CASE("a suite goes on after it was killed, and tells one table") {
  temporary_folder f;
  write_tasks(f);
  const auto words = with_small({"suite", "run", "tasks", "--each", "1h", "--export", "out"});
  {
    program p("kevolve", words, f.path);
    REQUIRE(p.wait_for("[2/2] second: begun"));
    p.signal(SIGKILL);
    CHECK(p.finish().code == 128 + SIGKILL);
  }
  const auto between = run_kevolve({"suite", "status", "tasks", "--json"}, f.path).document();
  CHECK(between["tasks"] == 2);
  CHECK(between["states"]["finished"] == 1);
  const auto first_before = run_kevolve({"suite", "table", "tasks", "--json"}, f.path).document()["items"][0];
  CHECK(first_before["state"] == "finished");

  auto again = words;
  again.insert(again.end(), {"--json", "--set", "budget.candidates=7"});
  const auto o = run_kevolve(again, f.path);
  CAPTURE(o.err);
  REQUIRE(o.code == 0);
  CHECK(o.err.find("2 of 2 tasks keep the settings that they began with") != std::string::npos);
  const auto table = o.document();
  CHECK(table["ended"] == 2);
  CHECK(table["correct"] == 2);
  CHECK(table["items"][0]["campaign"] == first_before["campaign"]);
  CHECK(table["items"][0]["candidates"] == first_before["candidates"]); // nothing was judged again
  CHECK(o.err.find("first: begun") == std::string::npos);
  CHECK(table["items"][1]["campaign"] != first_before["campaign"]);
  CHECK(table["baselines"]["reference"]["measured"] == 2);

  const auto results = json::parse(read_file(f.path + "/out/eval_results.json"));
  CHECK(results["1"][0]["correctness"] == true);
  CHECK(results["2"][0]["sample_id"] == 0);
  const auto text = run_kevolve({"suite", "table", "tasks"}, f.path);
  CHECK(text.code == 0);
  CHECK(text.out.find("against eager PyTorch and torch.compile: not measured") != std::string::npos);
  // Its campaigns are campaigns like any other.
  CHECK(run_kevolve({"list", "--json"}, f.path).document()["items"].size() == 2);
}

TEST_CASE("a suite says which task it cannot run, runs the others, and stops at its budget") {
  temporary_folder f;
  write_tasks(f);
  auto broken = row_squares_task({.rows = 512});
  broken.replace(broken.find("dtype = \"f32\""), 13, "dtype = \"f33\"");
  f.write("tasks/broken.task.toml", broken);
  const auto o = run_kevolve(with_small({"suite", "run", "tasks", "--wall", "2s"}), f.path);
  CAPTURE(o.err);
  CHECK(o.err.find("broken: refused: ") != std::string::npos);
  CHECK(o.err.find("broken.task.toml:") != std::string::npos);
  CHECK(o.err.find("argument[0].dtype") != std::string::npos);
  CHECK(o.err.find("the suite's wall time is used up") != std::string::npos);
  const auto table = run_kevolve({"suite", "table", "tasks", "--json"}, f.path).document();
  CHECK(table["tasks"] == 3);
  CHECK(table["items"][0]["state"] == "refused");
  CHECK(table["items"][2]["state"] == "not started");
}

TEST_CASE("bad input to a suite is refused with a remedy") {
  temporary_folder f;
  CHECK(run_kevolve({"suite", "run", "nowhere"}, f.path).code == 3);
  const auto level = run_kevolve({"suite", "run", "kernelbench"}, f.path);
  CHECK(level.code == 2);
  CHECK(level.err.find("--level") != std::string::npos);
  CHECK(run_kevolve({"suite", "run", "kernelbench", "--level", "1"}, f.path).err.find("--from") != std::string::npos);
  write_tasks(f);
  const auto time = run_kevolve({"suite", "run", "tasks", "--wall", "soon"}, f.path);
  CHECK(time.code == 2);
  CHECK(time.err.find("--wall: 'soon'") != std::string::npos);
  CHECK(run_kevolve({"suite", "status", "tasks"}, f.path).code == 3);
}
