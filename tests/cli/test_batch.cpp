// Tests a campaign without a local device: its evaluations are exported to a file and imported again.
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace kevolve::test;
namespace fs = std::filesystem;

namespace {

// Two machines, simulated as separate folders.
struct two_machines : temporary_folder {
  two_machines() {
    for (const auto* name : {"row_energy.toml", "row_energy.task.toml", "row_energy.c"})
      write(name, read_file(source_path(std::string{"tests/node/tasks/"} + name)));
    write("kevolved.toml", "data_dir = \"home\"\nlisten = \"127.0.0.1:0\"\n[[device]]\ntarget = \"cpu\"\nid = \"lab\"\n"
                           "batch = true\n");
  }
  outcome kevolve(const std::vector<std::string>& arguments) const { return run_kevolve(arguments, path); }
  json told(std::vector<std::string> arguments, int code = 0) const {
    arguments.emplace_back("--json");
    auto said = kevolve(arguments);
    CAPTURE(said.err);
    CHECK(said.code == code);
    return said.document();
  }
  // Runs kevolve at home until all open candidates await a batch.
  void run_until_it_waits(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"run", "row_energy.toml", "--data", "home", "--batch"};
    words.insert(words.end(), more.begin(), more.end());
    program home{"kevolve", words, path};
    REQUIRE(home.wait_for("for a batch"));
    home.signal(SIGTERM);
    CHECK(home.finish().code == 130);
  }
  json export_to(const std::string& file) const { return told({"batch", "export", "--data", "home", "--out", file}); }
  json import_from(const std::string& file) const { return told({"batch", "import", file, "--data", "home"}); }
  std::string file(const std::string& name) const { return path + "/" + name; }
  uint64_t last_event() const { return told({"status", "--data", "home"})["last_sequence"].get<uint64_t>(); }
};

const std::vector<std::string> small{"--set", "search.in_flight=3", "--set", "budget.candidates=6"};

bool holds(const std::string& text, const std::string& what) {
  INFO(text);
  return text.find(what) != std::string::npos;
}

} // namespace

TEST_CASE("a campaign's candidates are judged on another machine, and it continues with their results to its end") {
  two_machines m;
  m.run_until_it_waits(small);
  CHECK(m.kevolve({"batch", "import", "one", "--data", "home"}).code == 3);
  auto out = m.export_to("one");
  CHECK(out["candidates"] == 3);
  CHECK(out["bytes"].get<uint64_t>() == fs::file_size(m.file("one")));

  // An exported campaign does not continue, whoever resumes it.
  auto again = m.kevolve({"batch", "export", "--data", "home", "--out", "two"});
  CHECK(again.code == 5);
  CHECK(holds(again.err, "exported as batch " + out["batch"].get<std::string>().substr(0, 8) + " of 3 candidates"));
  CHECK_FALSE(fs::exists(m.file("two")));
  CHECK(m.told({"batch", "export", "--data", "home", "--out", "two", "--again"})["batch"] == out["batch"]);
  CHECK(m.told({"batch", "status", "--data", "home"})["exported"]["batch"] == out["batch"]);
  auto status = m.told({"status", "--data", "home"});
  CHECK(status["waits_for"] == "import");
  CHECK(status["awaiting_batch"] == 3);
  CHECK(holds(m.kevolve({"tree", "--data", "home"}).out, "waiting for a batch"));
  const auto last = m.last_event();
  {
    program taken{
        "kevolve", {"run", "row_energy.toml", "--data", "home", small[0], small[1], small[2], small[3]}, m.path};
    REQUIRE(taken.wait_for("exported as batch"));
    taken.signal(SIGTERM);
    taken.finish();
  }
  CHECK(m.last_event() == last);

  // A batch that is not begun is printed as JSON, too.
  const auto late = m.told({"batch", "work", "one", "--wall", "0.000001s"}, 7);
  CHECK(late["outcome"] == "wall");
  CHECK(late["left"] == 3);
  CHECK(late["file"].is_null());
  CHECK(holds(late["reason"].get<std::string>(), "not begun"));
  fs::create_directory(m.file("several"));
  fs::copy_file(m.file("one"), m.file("several/one.batch"));
  const auto none = m.told({"batch", "work", "several", "--wall", "0.000001s"}, 7);
  CHECK(holds(none[0]["reason"].get<std::string>(), "not begun"));

  // A folder with other content is left as it is.
  fs::create_directory(m.file("mine"));
  m.write("mine/notes.txt", "mine");
  const auto foreign = m.kevolve({"batch", "work", "one", "--data", "mine"});
  CHECK(foreign.code == 5);
  CHECK(holds(foreign.err, "mine holds something else than this batch"));
  CHECK(read_file(m.file("mine/notes.txt")) == "mine");

  // The working machine has neither the campaign's files nor its directory.
  auto worked = m.told({"batch", "work", "one", "--quiet"});
  CHECK(worked["outcome"] == "judged");
  CHECK(worked["candidates"] == 3);
  CHECK(worked["left"] == 0);
  CHECK_FALSE(fs::exists(m.file("one.work")));
  CHECK(m.kevolve({"batch", "import", "one", "--data", "home"}).code == 2); // imports the exported file itself

  // Damage to the file during transport changes nothing at home.
  auto bytes = read_file(m.file("one.done"));
  m.write("cut", bytes.substr(0, bytes.size() / 2));
  CHECK(holds(m.kevolve({"batch", "import", "cut", "--data", "home"}).err, "cut is cut short"));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  m.write("changed", bytes);
  CHECK(m.kevolve({"batch", "import", "changed", "--data", "home"}).code == 1);
  CHECK(m.last_event() == last);

  auto in = m.import_from("one.done");
  CHECK(in["added"] == true);
  CHECK(in["candidates"] == 3);
  CHECK(in["left"] == 0);
  const auto then = m.last_event();
  CHECK(m.import_from("one.done")["added"] == false);
  CHECK(m.last_event() == then);
  auto tree = m.told({"tree", "--data", "home"});
  for (size_t i = 1; i <= 3; ++i)
    CHECK(tree["items"][i]["verdict"] == "pass");

  // The next generation descends from the first one, and the last batch ends the campaign.
  m.run_until_it_waits(small);
  CHECK(m.export_to("next")["candidates"] == 3);
  auto ended = m.told({"batch", "work", "next", "--quiet"});
  CHECK(ended["candidates"] == 3);
  CHECK(m.import_from("next.done")["ended"] == true);
  auto finished = m.told({"status", "--data", "home"});
  CHECK(finished["state"] == "finished");
  CHECK(finished["candidates"] == 6);
  CHECK(finished["waits_for"] == nullptr);
  CHECK(m.kevolve({"batch", "export", "--data", "home", "--out", "three"}).code == 5);
  // Without a device, it reports the results of the other machine.
  auto result = m.told({"run", "row_energy.toml", "--data", "home", "--batch", small[0], small[1], small[2], small[3]},
                       finished["best"].is_object() && finished["best"]["final"] == true ? 0 : 1);
  CHECK(result["state"] == "finished");
  CHECK(m.kevolve({"fsck", "home"}).code == 0);
}

TEST_CASE("killed work continues from its directory, or from its written file" * doctest::test_suite("long")) {
  two_machines m;
  m.run_until_it_waits({"--set", "search.in_flight=8", "--set", "budget.candidates=40"});
  CHECK(m.export_to("batch")["candidates"] == 8);
  {
    program killed{"kevolve", {"batch", "work", "batch", "--data", "there"}, m.path};
    REQUIRE(killed.wait_for("running: "));
    auto judged = m.told({"events", "--data", "there", "--follow", "--kind", "node_finished", "--limit", "1"});
    CHECK(judged["kind"] == "node_finished");
    killed.signal(SIGKILL);
    killed.finish();
  }
  {
    program stopped{"kevolve", {"batch", "work", "batch", "--data", "there"}, m.path};
    REQUIRE(stopped.wait_for("running: "));
    stopped.signal(SIGTERM);
    CHECK(stopped.finish().code == 130);
  }
  REQUIRE(fs::exists(m.file("batch.done")));
  fs::remove_all(m.file("there")); // the machine is gone, but the file was kept
  auto over = m.kevolve({"batch", "work", "batch", "--wall", "2s", "--quiet", "--json"});
  CHECK((over.code == 7 || over.code == 0));
  CHECK(over.document()["candidates"].get<uint64_t>() >= 1);
  auto whole = m.told({"batch", "work", "batch", "--quiet"});
  CHECK(whole["candidates"] == 8);
  CHECK(m.import_from("batch.done")["candidates"] == 8);
  // No evaluation was started after its result was stored.
  std::vector<std::string> bought;
  auto events = m.kevolve({"events", "--data", "home", "--json"}).out;
  for (size_t from = 0, end = 0; from < events.size(); from = end + 1) {
    end = std::min(events.find('\n', from), events.size());
    auto e = json::parse(events.substr(from, end - from));
    const auto kind = e["kind"].get<std::string>();
    if (kind != "evaluation_intent" && kind != "evaluation_result")
      continue;
    const auto id = e["data"]["evaluation"].get<std::string>();
    if (kind == "evaluation_result")
      bought.push_back(id);
    else
      CHECK(std::find(bought.begin(), bought.end(), id) == bought.end());
  }
  CHECK(bought.size() >= 8);
}

TEST_CASE("a campaign for a remote GPU is prepared at home, with any generators") {
  two_machines m;
  program home{"kevolve",
               {"run", source_path("config/examples/gpu/softmax_f16_triton.toml"), "--data", "home", "--batch"},
               m.path};
  REQUIRE(home.wait_for("running: "));
  // The program starts before its first prompt waits; until then the exit status is 3.
  auto next = m.kevolve({"relay", "next", "--data", "home", "--json"});
  for (int tries = 0; next.code == 3 && tries < 200; ++tries)
    next = m.kevolve({"relay", "next", "--data", "home", "--json"});
  REQUIRE(next.code == 0);
  CHECK(next.document()["node"] == 1);
  home.signal(SIGTERM);
  CHECK(home.finish().code == 130);
}

TEST_CASE("an error in a launch plan is reported at home and not exported" * doctest::test_suite("long")) {
  two_machines m;
  program home{
      "kevolve", {"run", source_path("config/examples/gpu/softmax_f16.toml"), "--data", "home", "--batch"}, m.path};
  REQUIRE(home.wait_for("running: "));
  const auto id = m.told({"status", "--data", "home"})["id"].get<std::string>();
  const auto inject = [&](const std::string& file) {
    return m.kevolve({"inject", id, file, "--flags", "O3", "--data", "home"});
  };
  const auto in_c = inject("row_energy.c");
  CHECK(in_c.code == 2);
  CHECK(holds(in_c.err, "of target cuda a candidate's language is cuda, not c: --language"));
  m.write("plain.cu", "extern \"C\" __global__ void k(const void *x) {}\n");
  const auto without_plan = inject("plain.cu");
  CHECK(without_plan.code == 2);
  CHECK(holds(without_plan.err, "candidate.cu:1:1: error: a candidate begins with its launch plan"));
  const std::string wide = "/* launch plan\n[[kernel]]\nname = \"k\"\ngrid = [\"rows\"]\nblock = [2048]\n"
                           "arguments = [\"x\"]\n*/\nextern \"C\" __global__ void k(const void *x) {}\n";
  m.write("wide.cu", wide);
  m.write("wide.py", wide);
  const auto in_python = inject("wide.py");
  CHECK(in_python.code == 2);
  CHECK(holds(in_python.err, "of target cuda a candidate's language is cuda, not triton: --language"));
  const auto too_wide = inject("wide.cu");
  CHECK(too_wide.code == 2);
  CHECK(holds(too_wide.err, "threads per block"));

  const auto asked = m.told({"relay", "next", "--data", "home"});
  m.write("reply.txt", "summary: wide\n```cuda candidate.cu\n" + wide + "```\n");
  CHECK(m.kevolve({"relay", "answer", asked["id"].get<std::string>(), "reply.txt", "--data", "home"}).code == 0);
  CHECK(m.kevolve({"events", id, "--data", "home", "--kind", "node_finished", "--limit", "1", "--follow"}).code == 0);
  const auto node = m.told({"candidate", id, std::to_string(asked["node"].get<uint64_t>()), "--data", "home"});
  CHECK(node["verdict"] == "compile_error");
  CHECK(holds(node.dump(), "2048 x 1 x 1 threads, the device allows 1024"));
  home.signal(SIGTERM);
  CHECK(home.finish().code == 130);

  // Without the device, checks that need none still run.
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const auto judged =
      m.kevolve({"eval", source_path("config/tasks/gpu/softmax_f16.task.toml"), "wide.cu", "--target", "cuda"});
  const auto refused = m.kevolve({"run", source_path("config/examples/gpu/softmax_f16.toml"), "--data", "other"});
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  CHECK(judged.code == 1);
  CHECK(holds(judged.out, "compile_error"));
  CHECK(holds(judged.out, "candidate.cu:5:9: error: threads per block"));
  CHECK(holds(judged.out, "this machine lacks"));
  CHECK(holds(judged.out, "GPU: none is seen"));
  CHECK(holds(refused.err, "kevolve run --batch"));
}

TEST_CASE("all waiting campaigns are exported into a folder, and judged there in one run") {
  two_machines m;
  m.run_until_it_waits(small);
  m.run_until_it_waits({"--set", "search.in_flight=2", "--set", "budget.candidates=4"}); // another campaign
  const auto all = m.told({"batch", "export", "--all", "--data", "home", "--out", "folder"});
  REQUIRE(all["batches"].size() == 2);
  CHECK(m.told({"batch", "export", "--all", "--data", "home", "--out", "folder"})["batches"].empty()); // away
  const auto worked = m.told({"batch", "work", "folder", "--quiet"});
  REQUIRE(worked.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(worked[i]["outcome"] == "judged");
    CHECK(worked[i]["candidates"] == all["batches"][i]["candidates"]);
    CHECK(worked[i]["left"] == 0);
    CHECK(worked[i]["campaign"] == all["batches"][i]["campaign"]); // in the order that the export tells
    CHECK(m.import_from(worked[i]["file"].get<std::string>())["candidates"] == worked[i]["candidates"]);
  }
  CHECK_FALSE(fs::exists(m.file("folder.work")));
  CHECK(m.kevolve({"batch", "work", "folder", "--out", "elsewhere"}).code == 2);
}

TEST_CASE("batches of a folder are judged two at a time with the results of each in its own file") {
  two_machines m;
  m.run_until_it_waits(small);
  m.run_until_it_waits({"--set", "search.in_flight=2", "--set", "budget.candidates=4"}); // another campaign
  const auto all = m.told({"batch", "export", "--all", "--data", "home", "--out", "folder"});
  REQUIRE(all["batches"].size() == 2);
  const auto worked = m.told({"batch", "work", "folder", "--at-once", "2", "--quiet"});
  REQUIRE(worked.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(worked[i]["outcome"] == "judged");
    CHECK(worked[i]["candidates"] == all["batches"][i]["candidates"]);
    CHECK(worked[i]["left"] == 0);
    CHECK(m.import_from(worked[i]["file"].get<std::string>())["candidates"] == worked[i]["candidates"]);
  }
  CHECK_FALSE(fs::exists(m.file("folder.work")));
}

TEST_CASE("a node reports foreign batches, and an export states where it must be imported"
          * doctest::test_suite("long")) {
  two_machines m;
  m.run_until_it_waits(small);
  const auto out = m.kevolve({"batch", "export", "--data", "home", "--out", "strange"});
  CHECK(holds(out.out, "strange.done --data home\n"));
  CHECK(m.told({"batch", "work", "strange", "--quiet"})["candidates"] == 3);
  m.write("other.toml", "data_dir = \"other\"\nlisten = \"127.0.0.1:0\"\n[[device]]\ntarget = \"cpu\"\n");
  program daemon{"kevolved", {"other.toml"}, m.path};
  REQUIRE(daemon.wait_for("serving "));
  const auto refused = m.kevolve({"batch", "import", "strange.done", "--data", "other"});
  CHECK(refused.code == 3);
  CHECK_MESSAGE(holds(refused.err, "of this batch is not in this data directory"), refused.err);
  daemon.signal(SIGTERM);
  CHECK(daemon.finish().code == 0);
}

TEST_CASE("a running daemon's campaign exports, imports and gives up batches" * doctest::test_suite("long")) {
  two_machines m;
  program daemon{"kevolved", {"kevolved.toml"}, m.path};
  REQUIRE(daemon.wait_for("serving "));
  auto id =
      m.told({"submit", "row_energy.toml", "--data", "home", "--set", "search.in_flight=2"})["id"].get<std::string>();
  auto until = [&](const char* what) {
    for (;;) // the test's own limit ends a vain wait
      if (auto s = m.told({"status", id, "--data", "home"}); s["waits_for"] == what)
        return s;
  };
  auto waiting = until("batch");
  CHECK(waiting["state"] == "paused");
  CHECK(waiting["awaiting_batch"] == 2);
  CHECK(holds(waiting["reason"].get<std::string>(),
              "2 candidates wait for a batch: kevolve batch export " + id.substr(0, 8)));
  CHECK(m.told({"tree", id, "--data", "home"})["items"][1]["waits_for"] == "a batch");

  m.export_to("lost");
  until("import");
  CHECK(m.kevolve({"batch", "export", id, "--data", "home", "--out", "other"}).code == 5);
  CHECK(m.kevolve({"priority", id, "200", "--data", "home"}).code == 5); // an exported campaign cannot be steered
  CHECK(m.kevolve({"pause", id, "--data", "home"}).code == 5);
  CHECK(m.told({"batch", "work", "lost", "--quiet"})["candidates"] == 2);
  CHECK(m.kevolve({"batch", "cancel", id, "--data", "home"}).code == 0);
  until("batch");
  auto late = m.kevolve({"batch", "import", "lost.done", "--data", "home"});
  CHECK(late.code == 5);
  CHECK(holds(late.err, "was given up"));
  CHECK(m.kevolve({"batch", "cancel", id, "--data", "home"}).code == 5);

  m.export_to("kept");
  CHECK(m.told({"batch", "work", "kept", "--quiet"})["candidates"] == 2);
  CHECK(m.import_from("kept.done")["added"] == true);
  CHECK(m.import_from("kept.done")["added"] == false);
  auto next = until("batch"); // two more are made from the imported results
  CHECK(next["candidates"] == 2);
  CHECK(next["awaiting_batch"] == 2);
  CHECK(m.told({"tree", id, "--data", "home"})["items"].size() == 5);
  auto batches = m.told({"batch", "status", id, "--data", "home"});
  CHECK(batches["away"] == nullptr);
  CHECK(batches["batches"].size() == 2);
  CHECK(holds(m.kevolve({"events", "--data", "home", "--kind", "campaign_batch"}).out, "imported by "));

  // Cancelling an exported campaign reports the cost, and a later import says that it is final.
  auto void_now = m.export_to("void")["batch"].get<std::string>();
  auto ended = m.kevolve({"cancel", id, "--data", "home"});
  CHECK(ended.code == 0);
  CHECK(holds(ended.err, "exported as batch " + void_now.substr(0, 8)));
  CHECK(m.told({"batch", "work", "void", "--quiet"})["candidates"] == 2);
  CHECK(holds(m.kevolve({"batch", "import", "void.done", "--data", "home"}).err, "campaign_finished"));
  ended = m.kevolve({"batch", "cancel", id, "--data", "home"});
  CHECK(ended.code == 5);
  CHECK(holds(ended.err, "is cancelled, for good"));
  batches = m.told({"batch", "status", id, "--data", "home"});
  CHECK(batches["away"] == nullptr);
  CHECK(holds(batches["batches"].dump(), "\"action\":\"void\""));
  daemon.signal(SIGTERM);
  CHECK(daemon.finish().code == 0);
  CHECK(m.kevolve({"fsck", "home"}).code == 0);
}

TEST_CASE("a prompt answered during an export joins the next batch" * doctest::test_suite("long")) {
  two_machines m;
  program daemon{"kevolved", {"kevolved.toml"}, m.path};
  REQUIRE(daemon.wait_for("serving "));
  auto id = m.told({"submit", "row_energy.toml", "--data", "home", "--set", "generator[0].kind=relay", "--set",
                    "generator[0].in_flight=2", "--set", "search.in_flight=2"})["id"]
                .get<std::string>();
  auto until = [&](const char* key, uint64_t value) {
    for (int i = 0; i < 2'000; ++i)
      if (auto s = m.told({"status", id, "--data", "home"}); s[key] == value)
        return s;
    FAIL(key << " does not become " << value);
    return json{};
  };
  auto answer = [&](int serial) {
    json prompt;
    while (prompt.is_null())
      if (auto said = m.kevolve({"relay", "next", "--json", "--data", "home"}); said.code == 0)
        prompt = said.document();
    m.write("reply.txt", "summary: mine\n```c candidate.c\nint version(void) { return " + std::to_string(serial)
                             + "; }\n" + read_file(source_path("tests/node/tasks/row_energy.c")) + "```\n");
    CHECK(m.kevolve({"relay", "answer", prompt["id"].get<std::string>(), "reply.txt", "--data", "home"}).code == 0);
  };
  CHECK(m.kevolve({"batch", "export", id, "--data", "home", "--out", "early"}).code == 5); // no candidate is ready yet
  answer(1);
  auto one = until("awaiting_batch", 1);
  CHECK(one["waits_for"] == nullptr); // others are still being made
  CHECK(one["reason"] == "1 candidate waits for a batch");
  CHECK(m.export_to("first")["candidates"] == 1);
  answer(2);
  until("awaiting_batch", 2);
  CHECK(m.told({"batch", "work", "first", "--quiet"})["candidates"] == 1);
  auto in = m.import_from("first.done");
  CHECK(in["added"] == true);
  CHECK(in["left"] == 1);
  auto then = until("candidates", 1);
  CHECK(then["valid"] == 1);
  CHECK(m.export_to("second")["candidates"] == 1);
  CHECK(m.told({"batch", "work", "second", "--quiet"})["candidates"] == 1);
  CHECK(m.import_from("second.done")["left"] == 0);
  CHECK(until("candidates", 2)["valid"] == 2);
  daemon.signal(SIGTERM);
  CHECK(daemon.finish().code == 0);
}

TEST_CASE("missing requirements of the other machine end the work at once, and a partial result closes its batch") {
  two_machines m;
  m.run_until_it_waits(small);
  m.export_to("one");
  m.write("bare",
          "export PATH=/nowhere\nexec " + std::string{std::getenv("KEVOLVE_BIN")} + "/kevolve batch work one\n");
  auto bare = program{"/bin/bash", {"bare"}, m.path}.finish();
  CAPTURE(bare.err);
  CHECK(bare.code == 1);
  CHECK(holds(bare.err, "kevolve: cannot prepare: unavailable: toolchain_missing: clang-19"));
}

TEST_CASE("a node that can judge keeps its candidates, and batch work accepts exported ones only"
          * doctest::test_suite("long")) {
  two_machines m;
  CHECK(m.kevolve({"batch", "work", "absent"}).code == 3);
  m.write("text", "no batch at all");
  CHECK(m.kevolve({"batch", "work", "text"}).code == 2);
  CHECK(m.kevolve({"batch", "work", "text", "--wall", "soon"}).code == 2);
  program here{"kevolve", {"run", "row_energy.toml", "--data", "home", "--set", "budget.candidates=1000"}, m.path};
  REQUIRE(here.wait_for("running:"));
  auto refused = m.kevolve({"batch", "export", "--data", "home", "--out", "one"});
  CHECK(refused.code == 5);
  CHECK(holds(refused.err, "itself"));
  here.signal(SIGTERM);
  here.finish();
}
