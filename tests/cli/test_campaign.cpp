#include "tests/cli/row_squares.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace kevolve::test;

namespace {

// Checks the status from the events, without a node.
void check_at_rest(const temporary_folder& f, const std::string& id) {
  auto status = run_kevolve({"status", id, "--json"}, f.path).document();
  CHECK(status["state"] == "stopped");
  CHECK(status["reason"].get<std::string>().find("no process is running it") != std::string::npos);
  CHECK(status["budget"]["candidates"] == 1000);
  uint64_t finished = 0;
  auto tree = run_kevolve({"tree", id, "--json"}, f.path).document();
  for (const auto& n : tree["items"])
    finished += n["index"] != 0 && n["state"] == "finished" ? 1U : 0U;
  CHECK(status["candidates"] == finished);
}

} // namespace

TEST_CASE("a campaign runs to its end, writes its result, and is not run twice") {
  temporary_folder f;
  write_row_squares(f);
  auto first = run_kevolve({"run", "campaign.toml", "--json"}, f.path);
  CAPTURE(first.err);
  REQUIRE(first.code == 0);
  auto result = first.document();
  CHECK(result["state"] == "finished");
  CHECK(result["stop_reason"].is_string());
  CHECK(result["candidates"].get<uint64_t>() <= 12 + 4);
  CHECK(result["best"]["speedup"].get<double>() > 1.2);
  CHECK(result["best"]["interval"][0].get<double>() > 1.0);
  CHECK(result["best"]["coverage"] == 0.95); // over sessions
  CHECK(result["best"]["ci95"] == result["best"]["interval"]);
  CHECK(result["best"]["sessions"] == 5);
  const auto& outputs = result["best"]["outputs"];
  const auto told = outputs["headline"].get<std::string>();
  CHECK(result["best"]["speedup"].get<double>() == doctest::Approx(outputs[told]["speedup"].get<double>()));
  CHECK(result["best"]["speedup"].get<double>()
        <= doctest::Approx(outputs[told == "read" ? "not_read" : "read"]["speedup"].get<double>()));
  CHECK(result["best"]["trust"] == "native");
  CHECK(result["spent"]["llm_calls"] == 0);
  auto folder = f.path + "/" + result["bundle"].get<std::string>();
  auto report = read_file(folder + "/report.md");
  for (const auto* part :
       {"faster than the reference", "| held out |", "95 % interval of ",
        " in 5 sessions, the spread between them included",
        "with their outputs read right after them: ", "## Best so far", "sandbox:", "harness", "kernel.c --flags "})
    CHECK_MESSAGE(report.find(part) != std::string::npos, part);
  CHECK(report.find("last stage: final confirmation against the reference; ") != std::string::npos);
  CHECK(report.find("order: " + result["best"]["pairs"].dump() + " on each declared shape") != std::string::npos);
  CHECK(read_file(folder + "/kernel.c").find("row_squares") != std::string::npos);
  CHECK(json::parse(read_file(folder + "/result.json"))["campaign"] == result["campaign"]);

  // The build command works, and the object exports the entry.
  std::system(("sh " + folder + "/build.sh > /dev/null").c_str());
  CHECK(read_file(folder + "/kernel.so").find("row_squares") != std::string::npos);

  // The output shows the climb, each new best when it came, and ends with the winner's place.
  CHECK(first.err.find("] new best: candidate ") != std::string::npos);
  const auto words = run_kevolve({"run", "campaign.toml"}, f.path).out;
  CHECK(words.find("\n  climb   ") != std::string::npos);
  CHECK(words.ends_with("\n  winner  candidate " + result["best"]["candidate"].dump() + " of "
                        + result["candidates"].dump() + "\n"));

  // The same command reports the same result and judges nothing again.
  auto again = run_kevolve({"run", "campaign.toml", "--json"}, f.path);
  REQUIRE(again.code == 0);
  CHECK(again.document()["best"] == result["best"]);
  CHECK(again.document()["candidates"] == result["candidates"]);

  // The store can be read without a node.
  auto id = result["campaign"].get<std::string>().substr(0, 8);
  CHECK(run_kevolve({"list", "--json"}, f.path).document()["items"][0]["id"] == result["campaign"]);
  CHECK(run_kevolve({"status", id, "--json"}, f.path).document()["best"]["node"] == result["best"]["node"]);
  auto tree = run_kevolve({"tree", id, "--json"}, f.path).document();
  CHECK(tree["items"].size() == result["candidates"].get<uint64_t>() + 1);
  auto best = run_kevolve({"best", id, "--json"}, f.path).document();
  CHECK(best["source"] == read_file(folder + "/kernel.c"));
  CHECK(best["evaluations"].size() >= 2);
  // The final measurement stands there, too, and shapes have its sessions.
  const auto& last = best["evaluations"].back();
  CHECK(last["stage"] == "final");
  CHECK(last["baseline"] == "reference");
  CHECK(last["outcome"]["pairs"] == result["best"]["pairs"]);
  for (const auto& s : last["outcome"]["shapes"])
    CHECK(s["sessions"] == (s["held_out"] == true ? 1 : 5));
  const auto shown = run_kevolve({"best", id}, f.path).out;
  CHECK(shown.find("\nfinal confirmation against the reference: pass") != std::string::npos);
  CHECK(run_kevolve({"candidate", id, "0"}, f.path).out.find("row_squares") != std::string::npos);
  // The id may be omitted if there is only one campaign.
  CHECK(run_kevolve({"status", "--json"}, f.path).document()["id"] == result["campaign"]);
  CHECK(run_kevolve({"tree", "--json"}, f.path).document() == tree);
  CHECK(run_kevolve({"best", "--json"}, f.path).document() == best);
  CHECK(run_kevolve({"candidate", "0"}, f.path).out.find("row_squares") != std::string::npos);
  CHECK(run_kevolve({"candidate", id, "999"}, f.path).code == 3);
  // Its name of the version before works and warns.
  auto old = run_kevolve({"node", id, "0"}, f.path);
  CHECK(old.code == 0);
  CHECK(old.out == run_kevolve({"candidate", id, "0"}, f.path).out);
  CHECK(old.err.find("node is deprecated and will mean a machine: use 'kevolve candidate'") != std::string::npos);
  CHECK(run_kevolve({"candidate", id, "0"}, f.path).err.find("deprecated") == std::string::npos);
  auto promoted = run_kevolve({"events", id, "--kind", "champion_changed", "--json"}, f.path);
  CHECK(promoted.out.find("\"kind\":\"champion_changed\"") != std::string::npos);
  auto by_old_kind = run_kevolve({"events", id, "--kind", "champion_crowned", "--json"}, f.path);
  CHECK(by_old_kind.out == promoted.out);
  CHECK(by_old_kind.err.find("use --kind champion_changed") != std::string::npos);
  CHECK(run_kevolve({"status", "ffffffff"}, f.path).code == 3);
  CHECK(run_kevolve({"pause", id}, f.path).code == 6);
}

TEST_CASE("admission's notes on a task are in the result and in the report") {
  temporary_folder f;
  write_row_squares(f);
  auto task = row_squares_task();
  const std::string large = "rows = 512\ncols = 2048\n";
  task.replace(task.find(large), large.size(), "rows = 8\ncols = 64\n");
  f.write("row_squares.task.toml", task);
  auto result = run_kevolve({"run", "campaign.toml", "--set", "budget.candidates=1", "--json"}, f.path).document();
  REQUIRE(!result["notes"].empty());
  const auto note =
      result["notes"].back().get<std::string>(); // another note may say that the winner is slower on some shape
  CHECK(note.find("rows=8 cols=64") != std::string::npos);
  CHECK(note.find("flattened") != std::string::npos);
  const auto folder = f.path + "/" + result["bundle"].get<std::string>();
  CHECK(read_file(folder + "/report.md").find(note) != std::string::npos);
  CHECK(read_file(folder + "/report.md").find("a call are the judge's own") != std::string::npos);
}

TEST_CASE("a reference that the embedded generator cannot rewrite is reported, with the reason") {
  temporary_folder f;
  write_row_squares(f);
  f.write("row_squares.c", R"(#include <stdint.h>
void row_squares(const float *x, float *y, int64_t rows, int64_t cols) {
  int64_t i = 0;
again:
  if (i < rows) {
    y[i] = 0.0f;
    const float *end = x + cols;
    while (x < end) {
      y[i] += *x * *x;
      x++;
    }
    i++;
    goto again;
  }
}
)");
  auto said = run_kevolve({"run", "campaign.toml", "--set", "budget.candidates=2", "--json"}, f.path);
  const auto notes = said.document()["notes"].dump();
  CAPTURE(notes);
  CHECK(notes.find("can rewrite nothing of the reference, and tries flag sets alone: it has no loop that counts")
        != std::string::npos);
  CHECK(said.err.find("can rewrite nothing of the reference") != std::string::npos);
}

TEST_CASE("Ctrl-C stops orderly, a second process is refused, and the same command resumes") {
  temporary_folder f;
  write_row_squares(f);
  program running{"kevolve", {"run", "campaign.toml", "--set", "budget.candidates=1000", "--json"}, f.path};
  REQUIRE(running.wait_for("node at http://127.0.0.1:"));
  auto second = run_kevolve({"run", "campaign.toml"}, f.path);
  CHECK(second.code == 5);
  CHECK(second.err.find("pid ") != std::string::npos);
  CHECK(run_kevolve({"actors", "summary"}, f.path).code == 0);
  CHECK(run_kevolve({"list", "--json"}, f.path).code == 0);
  REQUIRE(running.wait_for("running:"));
  auto id = run_kevolve({"list", "--json"}, f.path).document()["items"][0]["id"].get<std::string>().substr(0, 8);
  CHECK(run_kevolve({"resume", id}, f.path).code == 5); // it is running
  auto paused = run_kevolve({"pause", id, "--reason", "lunch", "--json"}, f.path);
  CHECK(paused.code == 0);
  CHECK(paused.document()["state"] == "paused");
  CHECK(paused.document()["reason"] == "lunch");
  CHECK(run_kevolve({"resume", id, "--json"}, f.path).document()["state"] == "running");
  running.signal(SIGINT);
  auto stopped = running.finish();
  CHECK(stopped.code == 130);
  CHECK(stopped.err.find("the same command resumes it") != std::string::npos);
  CHECK(stopped.document()["state"] == "paused");
  CHECK_FALSE(std::filesystem::exists(f.path + "/kevolve-data/admin.json"));
  check_at_rest(f, id);
  program resumed{"kevolve", {"run", "campaign.toml", "--set", "budget.candidates=1000", "--json"}, f.path};
  REQUIRE(resumed.wait_for("running:"));
  resumed.signal(SIGTERM);
  auto end = resumed.finish();
  CHECK(end.code == 130);
  CHECK(end.document()["campaign"] == stopped.document()["campaign"]);
}

TEST_CASE("running a campaign paused earlier resumes it, and a cancelled one is no success"
          * doctest::test_suite("long")) {
  temporary_folder f;
  write_row_squares(f);
  const std::vector<std::string> command{"run", "campaign.toml", "--set", "budget.candidates=1000"};
  program first{"kevolve", command, f.path};
  REQUIRE(first.wait_for("new best: candidate "));
  auto id = run_kevolve({"list", "--json"}, f.path).document()["items"][0]["id"].get<std::string>().substr(0, 8);
  REQUIRE(run_kevolve({"pause", id}, f.path).code == 0);
  first.signal(SIGTERM);
  CHECK(first.finish().code == 130);
  program second{"kevolve", command, f.path};
  REQUIRE(second.wait_for("running:"));
  CHECK(run_kevolve({"cancel", id}, f.path).code == 0);
  auto ended = second.finish();
  CHECK(ended.code == 1);
  CHECK(ended.out.find("cancelled; the best so far") != std::string::npos);
  CHECK(ended.out.find("confirmation was not made") != std::string::npos);
  CHECK(ended.err.find("preparing: 0 candidates") == std::string::npos); // earlier work counts from the first line on
  CHECK(run_kevolve({"status", id, "--json"}, f.path).document()["in_flight"] == 0);
  auto list = run_kevolve({"list"}, f.path).out;
  CHECK(list.find("cancelled") != std::string::npos);
  CHECK(list.find("finished") == std::string::npos);
}

TEST_CASE("a budget that ends before the first candidate exits with 8 and suggests no search for one") {
  temporary_folder f;
  write_row_squares(f);
  auto said = run_kevolve({"run", "campaign.toml", "--set", "budget.wall=1ms"}, f.path);
  CAPTURE(said.err);
  CHECK(said.code == 8);
  CHECK(said.out.find("(0 candidates, 0 valid; ") != std::string::npos);
  CHECK(said.out.find("a larger budget goes on from here") != std::string::npos);
  CHECK(said.out.find("kevolve tree") == std::string::npos);
}

TEST_CASE("progress before a kill is shown without a node") {
  temporary_folder f;
  write_row_squares(f);
  program killed{"kevolve", {"run", "campaign.toml", "--set", "budget.candidates=1000"}, f.path};
  REQUIRE(killed.wait_for("new best: candidate "));
  killed.signal(SIGKILL);
  killed.finish();
  auto list = run_kevolve({"list", "--json"}, f.path).document();
  REQUIRE(list["items"].size() == 1);
  CHECK(list["items"][0]["candidates"].get<uint64_t>() > 0);
  check_at_rest(f, list["items"][0]["id"].get<std::string>().substr(0, 8));
}

TEST_CASE("the daemon serves until SIGTERM") {
  temporary_folder f;
  f.write("kevolved.toml", "data_dir = \"data\"\nlisten = \"127.0.0.1:0\"\n");
  program daemon{"kevolved", {"kevolved.toml"}, f.path};
  REQUIRE(daemon.wait_for("serving "));
  CHECK(run_kevolve({"list", "--data", "data", "--json"}, f.path).document()["total"] == 0);
  daemon.signal(SIGTERM);
  CHECK(daemon.finish().code == 0);
  f.write("kevolved.toml", "data_dir = \"data\"\nlisten = \"0.0.0.0:7700\"\n");
  program open{"kevolved", {"kevolved.toml"}, f.path};
  auto refused = open.finish();
  CHECK(refused.code == 2);
  CHECK(refused.err.find("0.0.0.0") != std::string::npos);
}
