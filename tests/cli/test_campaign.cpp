#include "tests/cli/program.hpp"

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

// A sum of squares by rows: fast to judge, and slow enough at -O3 to be improved.
constexpr const char* task_text = R"([task]
name = "row_squares"
family = "reduction"
summary = "Sum of squares of every row"

[[argument]]
name = "x"
role = "input"
dtype = "f32"
shape = ["rows", "cols"]
fill = { distribution = "normal", mean = 0.0, std = 1.0 }
[[argument]]
name = "y"
role = "output"
dtype = "f32"
shape = ["rows"]
[[argument]]
name = "rows"
role = "size"
[[argument]]
name = "cols"
role = "size"

[[shape]]
rows = 1024
cols = 2048
[[shape]]
rows = 33
cols = 17
held_out = true

[reference]
language = "c"
file = "row_squares.c"
entry = "row_squares"

[tolerance]
relative = 1e-4
absolute = 1e-3

[goal]
speedup = 50.0
)";

constexpr const char* reference_text = R"(#include <stdint.h>

void row_squares(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t i = 0; i < rows; i++) {
    float s = 0.0f;
    for (int64_t j = 0; j < cols; j++)
      s += x[i * cols + j] * x[i * cols + j];
    y[i] = s;
  }
}
)";

constexpr const char* campaign_text = R"(task = "row_squares.task.toml"
target = "cpu"
seed = 1

[[generator]]
kind = "transform"

[draft]
candidates = 6
[budget]
candidates = 12
wall = "120s"
)";

void write_campaign(const temporary_folder& f) {
  f.write("row_squares.task.toml", task_text);
  f.write("row_squares.c", reference_text);
  f.write("campaign.toml", campaign_text);
}

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
  write_campaign(f);
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
  write_campaign(f);
  std::string task = task_text;
  const std::string large = "rows = 1024\ncols = 2048\n";
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
  write_campaign(f);
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
  write_campaign(f);
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
  write_campaign(f);
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
  write_campaign(f);
  auto said = run_kevolve({"run", "campaign.toml", "--set", "budget.wall=1ms"}, f.path);
  CAPTURE(said.err);
  CHECK(said.code == 8);
  CHECK(said.out.find("(0 candidates, 0 valid; ") != std::string::npos);
  CHECK(said.out.find("a larger budget goes on from here") != std::string::npos);
  CHECK(said.out.find("kevolve tree") == std::string::npos);
}

TEST_CASE("progress before a kill is shown without a node") {
  temporary_folder f;
  write_campaign(f);
  program killed{"kevolve", {"run", "campaign.toml", "--set", "budget.candidates=1000"}, f.path};
  REQUIRE(killed.wait_for("new best: candidate "));
  killed.signal(SIGKILL);
  killed.finish();
  auto list = run_kevolve({"list", "--json"}, f.path).document();
  REQUIRE(list["items"].size() == 1);
  CHECK(list["items"][0]["candidates"].get<uint64_t>() > 0);
  check_at_rest(f, list["items"][0]["id"].get<std::string>().substr(0, 8));
}

TEST_CASE("eval judges a good, a wrong and a broken candidate") {
  temporary_folder f;
  write_campaign(f);
  f.write("good.c", reference_text);
  f.write("wrong.c", "#include <stdint.h>\nvoid row_squares(const float *x, float *y, int64_t rows, int64_t cols) {\n"
                     "  (void)cols;\n  for (int64_t i = 0; i < rows; i++)\n    y[i] = x[i];\n}\n");
  f.write("broken.c", "void row_squares(int x) { return x }\n");
  std::vector<std::string> command{"eval",  "row_squares.task.toml", "good.c", "--flags", "Ofast", "--data", "kept",
                                   "--json"};
  auto good = run_kevolve(command, f.path);
  CAPTURE(good.err);
  CAPTURE(good.out);
  CHECK(good.code == 0);
  auto document = good.document();
  CHECK(document["verdict"] == "pass");
  CHECK(document["timing"]["speedup"].get<double>() > 0);
  CHECK(document["timing"]["shapes"].size() == 2);
  CHECK(document["correctness"]["cases"].get<int>() > 0);
  CHECK(document["fingerprint"]["harness"].is_string());
  CHECK(document["judged_before"].is_null());
  const auto again = run_kevolve(command, f.path).document(); // read from the store, not measured again
  CHECK(again["timing"] == document["timing"]);
  CHECK(again["judged_before"].is_string());
  // The text for people states verdict, speed and accuracy, without internal words and held-out shapes.
  command.pop_back();
  auto text = run_kevolve(command, f.path).out;
  CAPTURE(text);
  CHECK(text.starts_with("row_squares on cpu: pass\nspeedup "));
  CHECK(text.find("\nright in all " + std::to_string(document["correctness"]["cases"].get<int>()) + " cases")
        != std::string::npos);
  CHECK(text.find("and 1 held-out shape\n") != std::string::npos);
  CHECK(text.find("SPEEDUP, CALLS ALONE  INTERVAL") != std::string::npos);
  CHECK(text.find(document["timing"]["shapes"][0]["pairs"].dump()) != std::string::npos);
  CHECK(document["timing"]["shapes"][0]["sessions"] == document["timing"]["sessions"]);
  CHECK(text.find("nothing was run now") != std::string::npos);
  CHECK(text.find("rows=1024 cols=2048") != std::string::npos);
  for (const auto* hidden : {"rows=33", "alpha", "e-value", "seeds"})
    CHECK_MESSAGE(text.find(hidden) == std::string::npos, hidden);
  // With a changed reference, earlier results do not apply.
  std::string doubled = reference_text;
  doubled.replace(doubled.rfind(';'), 1, " * 2.0f;");
  f.write("row_squares.c", doubled);
  const auto other = run_kevolve(command, f.path);
  CAPTURE(other.out);
  CHECK(other.code == 1);
  CHECK(other.out.starts_with("row_squares on cpu: wrong_result"));
  CHECK(other.out.find("looked at ") != std::string::npos);
  CHECK(other.out.find("largest error") == std::string::npos); // of ordinary inputs alone, and it was not about these
  f.write("row_squares.c", reference_text);
  auto wrong = run_kevolve({"eval", "row_squares.task.toml", "wrong.c", "--json"}, f.path);
  CHECK(wrong.code == 1);
  CHECK(wrong.document()["verdict"] == "wrong_result");
  auto broken = run_kevolve({"eval", "row_squares.task.toml", "broken.c"}, f.path);
  CHECK(broken.code == 1);
  CHECK(broken.out.find("compile_error") != std::string::npos);
  CHECK(broken.out.find("expected") != std::string::npos);
}

TEST_CASE("a note on short calls is in the document, and a quiet eval does not print it") {
  temporary_folder f;
  auto task = read_file(source_path("tests/node/tasks/row_energy.task.toml"));
  const std::string rows = "rows = 128\n";
  REQUIRE(task.find(rows) != std::string::npos);
  task.replace(task.find(rows), rows.size(), "rows = 8\n"); // short on any machine
  f.write("row_energy.task.toml", task);
  const auto source = source_path("tests/node/tasks/row_energy.c");
  f.write("row_energy.c", read_file(source));
  const auto said = run_kevolve({"eval", "row_energy.task.toml", source, "--json", "-q"}, f.path);
  CAPTURE(said.err);
  CHECK(said.code == 0);
  CHECK(said.err.empty());
  REQUIRE(said.document()["notes"].size() == 1);
  CHECK(said.document()["notes"][0].get<std::string>().find("declare larger shapes") != std::string::npos);
}

TEST_CASE("a missing folder for temporary files is reported before anything is tried") {
  temporary_folder f;
  write_campaign(f);
  f.write("good.c", reference_text);
  const auto kevolve = std::string{std::getenv("KEVOLVE_BIN")} + "/kevolve";
  for (const auto& verb : std::vector<std::vector<std::string>>{
           {"eval", "row_squares.task.toml", "good.c"}, {"eval", "row_squares.task.toml", "good.c", "--data", "d"}}) {
    std::vector<std::string> words{"TMPDIR=" + f.path + "/absent", kevolve};
    words.insert(words.end(), verb.begin(), verb.end());
    program said{"/usr/bin/env", words, f.path};
    const auto end = said.finish();
    CAPTURE(end.err);
    CHECK(end.code == 2);
    CHECK(end.err.find("TMPDIR") != std::string::npos);
  }
}

TEST_CASE("a missing library is reported once, by a check and by a judgement") {
  temporary_folder f;
  write_campaign(f);
  f.write("good.c", reference_text);
  auto task = read_file(f.path + "/row_squares.task.toml");
  task.insert(task.find("[tolerance]"), "[permissions]\nlibraries = [\"nosuchlibrary\"]\n\n");
  f.write("row_squares.task.toml", task);
  auto checked = run_kevolve({"task", "check", "row_squares.task.toml"}, f.path);
  CHECK(checked.code == 1);
  CHECK(checked.err.find("there is no libnosuchlibrary.so") != std::string::npos);
  auto judged = run_kevolve({"eval", "row_squares.task.toml", "good.c"}, f.path);
  CAPTURE(judged.err);
  CHECK(judged.code == 1);
  CHECK(judged.err.find("there is no libnosuchlibrary.so") != std::string::npos);
  CHECK(judged.err.find("attempt ") == std::string::npos); // a retry cannot help
}

TEST_CASE("eval reports its stage when that takes long, until it is interrupted") {
  temporary_folder f;
  write_campaign(f);
  std::string slow = reference_text; // hours on any machine; each call is within its limit
  slow.insert(slow.find('{') + 1, "\n  for (volatile int64_t k = 0; k < 1000000000; ++k)\n    continue;\n");
  f.write("row_squares.c", slow);
  program eval{"kevolve", {"eval", "row_squares.task.toml", "row_squares.c"}, f.path};
  CHECK(eval.wait_for("kevolve: after "));
  CHECK(eval.wait_for(" s, device: "));
  eval.signal(SIGINT);
  CHECK(eval.finish().code == 130);
}

TEST_CASE("eval removes the temporary files of a killed run, and none in use") {
  temporary_folder f;
  write_campaign(f);
  f.write("broken.c", "void row_squares(int x) { return x }\n");
  const auto under = std::filesystem::path{f.path} / "tmp";
  for (const auto* name : {"kevolve-eval-killed", "kevolve-eval-in-use", "kevolve-eval-not-a-data-directory"})
    std::filesystem::create_directories(under / name);
  // Another user's file that would make us write through a link.
  const auto trap = under / "kevolve-eval-trap";
  std::filesystem::create_directories(trap);
  f.write("precious", "nobody's pid");
  std::filesystem::create_symlink(std::filesystem::path{f.path} / "precious", trap / "kevolve.lock");
  std::ofstream{under / "kevolve-eval-killed" / "kevolve.lock"} << "pid 1\n";
  for (const auto* name : {"kevolve-eval-killed", "kevolve-eval-in-use"})
    std::filesystem::permissions(under / name, std::filesystem::perms::owner_all);
  std::filesystem::permissions(trap, std::filesystem::perms{0755});
  const auto in_use =
      ::open((under / "kevolve-eval-in-use" / "kevolve.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(::flock(in_use, LOCK_EX) == 0);
  const auto* kevolve = std::getenv("KEVOLVE_BIN");
  program eval{
      "/usr/bin/env",
      {"TMPDIR=" + under.string(), std::string{kevolve} + "/kevolve", "eval", "row_squares.task.toml", "broken.c"},
      f.path};
  CHECK(eval.finish().code == 1);
  ::close(in_use);
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator{under})
    left.push_back(entry.path().filename().string());
  std::sort(left.begin(), left.end());
  CHECK(left
        == std::vector<std::string>{"kevolve-eval-in-use", "kevolve-eval-not-a-data-directory", "kevolve-eval-trap"});
  CHECK(read_file(f.path + "/precious") == "nobody's pid");
}

TEST_CASE("a reference or an oracle that does not compile is reported with its place, before anything is written") {
  temporary_folder f;
  write_campaign(f);
  f.write("row_squares.c", "void row_squares(void) { return 1 }\n");
  for (const auto& verb : {std::vector<std::string>{"run", "campaign.toml", "--data", "d", "--json"},
                           std::vector<std::string>{"campaign", "validate", "campaign.toml", "--json"},
                           std::vector<std::string>{"campaign", "plan", "campaign.toml", "--json"}}) {
    auto said = run_kevolve(verb, f.path);
    CAPTURE(said.err);
    CHECK(said.code == 2);
    auto document = said.document();
    CHECK(document["ok"] == false);
    CHECK(document["errors"][0]["file"].get<std::string>().ends_with("row_squares.c"));
    CHECK(document["errors"][0]["line"] == 1);
    CHECK(document["errors"].dump().find("expected") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(f.path + "/d"));
  }
  write_campaign(f);
  auto task = read_file(f.path + "/row_squares.task.toml");
  f.write("row_squares.task.toml", task + "\n[oracle]\nfile = \"exact.c\"\nentry = \"exact\"\n");
  f.write("exact.c", "#include <stdint.h>\nvoid exacter(void) {}\n");
  auto said = run_kevolve({"campaign", "validate", "campaign.toml"}, f.path);
  CHECK(said.code == 2);
  CHECK(said.err.find("oracle.entry: there is no function 'exact' in ") != std::string::npos);
  CHECK(said.err.find("double *") != std::string::npos);
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
