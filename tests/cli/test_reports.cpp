#include "tests/support/program.hpp"
#include "tools/kevolve/output/campaign_text.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

using namespace kevolve::test;

TEST_CASE("a report says what was replayed with sanitizers, or why nothing was") {
  using kevolve::sanitised_text;
  CHECK(sanitised_text(json::object(), "- ").empty());
  CHECK(sanitised_text({{"sanitised", "9 draws on 2 shapes"}}, "- ")
        == "- sanitised replay, without a finding: 9 draws on 2 shapes\n");
  CHECK(sanitised_text({{"unsanitised", "no compiler"}}, "  ") == "  unsanitised: no compiler\n");
  CHECK(sanitised_text({{"sanitised.note", "an overflow"}}, "").find("an overflow") != std::string::npos);
}

TEST_CASE("a build's machine code is summarised in a line for each kernel, or its absence is explained") {
  using kevolve::json;
  using kevolve::machine_code_text;
  CHECK(machine_code_text(json::object()).empty());
  CHECK(machine_code_text({{"sass", "not read: there is no nvdisasm"}})
        == "\nmachine code:\n  not read: there is no nvdisasm\n");
  CHECK(machine_code_text(
            {{"sass", R"([{"kernel":"k","instructions":3,"mix":{"branch":1,"global_load":2},"registers":40,)"
                      R"("static_shared":1024,"wide_load_share":0.5},1])"},
             {"sass.notes", "k: \x1b[31mspills"}})
        == "\nmachine code:\n  k: 3 instructions: branch 1, global_load 2; 40 registers, 1024 bytes of static shared "
           "memory, 50 % of global loads take 128 bits\n  k:  [31mspills\n");
}

TEST_CASE("without a node and without data, queries say so") {
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

TEST_CASE("an impossible request is reported in the words of its options") {
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
  auto verdict = run_kevolve({"tree", "1a2b", "--verdict", "pas"}, f.path);
  CHECK(verdict.code == 2);
  CHECK(verdict.err == "kevolve: --verdict: there is no verdict 'pas'; did you mean 'pass'?\n");
  for (const auto* known : {"pass", "reference", "in_flight", "abandoned", "banned", "faster_than_physics"})
    CHECK_MESSAGE(run_kevolve({"tree", "1a2b", "--verdict", known}, f.path).code == 6, known);
  for (const auto* option : {"--wall", "--device", "--candidates"}) {
    auto budget = run_kevolve({"budget", "1a2b", option, "xyz"}, f.path);
    CHECK(budget.code == 2);
    CHECK(budget.err.starts_with("kevolve: " + std::string{option} + ": not 'xyz'"));
  }
  auto backup = run_kevolve({"backup", "--out", ""}, f.path);
  CHECK(backup.code == 2);
  CHECK(backup.err == "kevolve: --out: name the directory to make, such as --out /backups/monday\n");
  auto unnamed = run_kevolve({"debug", "--out", ""}, f.path);
  CHECK(unnamed.code == 2);
  CHECK(unnamed.err == "kevolve: --out: name the file to write, such as --out report.tar.gz\n");
  auto debug = run_kevolve({"debug", "--out", "nowhere/x.tar.gz"}, f.path);
  CHECK(debug.code == 2);
  CHECK(debug.err == "kevolve: --out: cannot write nowhere/x.tar.gz: No such file or directory\n");
  debug = run_kevolve({"debug", "--data", "nowhere", "--out", "x.tar.gz"}, f.path);
  CHECK(debug.code == 3);
  CHECK(debug.err == "kevolve: --data: there is no directory nowhere\n");
  CHECK(run_kevolve({"debug", "--data", ".", "--config", "nowhere.toml", "--out", "x.tar.gz"}, f.path).code == 2);
  CHECK(run_kevolve({"fsck"}, f.path).err == "kevolve: which data directory? Such as: kevolve fsck kevolve-data\n");
}

TEST_CASE("another user's data directory is not reported as empty") {
  temporary_folder f;
  namespace fs = std::filesystem;
  fs::permissions(f.path, fs::perms::owner_all | fs::perms::others_exec);
  const auto ask = [&](const std::string& verb, const std::string& data) {
    if (::geteuid() != 0)
      return run_kevolve({verb, "--data", data}, f.path);
    // Root may read everything, so another user runs the program from a readable place.
    const auto copy = f.path + "/kevolve";
    fs::copy_file(std::string{std::getenv("KEVOLVE_BIN")} + "/kevolve", copy, fs::copy_options::skip_existing);
    program other{
        "/usr/bin/setpriv", {"--reuid=65534", "--regid=65534", "--clear-groups", copy, verb, "--data", data}, f.path};
    return other.finish();
  };
  for (const auto* closed : {"data", "data/store"}) {
    CAPTURE(closed);
    fs::create_directories(f.path + "/data/store");
    fs::permissions(f.path + "/" + closed, fs::perms::none);
    auto said = ask("status", f.path + "/data");
    CHECK(said.code == 4);
    CHECK(said.err.find(closed + std::string{": permission denied"}) != std::string::npos);
    CHECK(said.err.find("no data in it") == std::string::npos);
    fs::permissions(f.path + "/" + closed, fs::perms::owner_all | fs::perms::others_exec);
  }
  fs::create_directories(f.path + "/other");
  CHECK(ask("status", f.path + "/other").err.find("there is no data in it") != std::string::npos);
}

TEST_CASE("a node that does not answer is unreachable") {
  temporary_folder f;
  auto token = f.write("token", std::string(64, 'a') + "\n");
  std::filesystem::permissions(token, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  // Port 1 on the loopback interface: only root's tcpmux could listen there.
  auto said = run_kevolve({"list", "--url", "http://127.0.0.1:1", "--token-file", token}, f.path);
  CHECK(said.code == 6);
  CHECK(run_kevolve({"list", "--url", "127.0.0.1:1", "--token-file", token}, f.path).code == 2);
  CHECK(run_kevolve({"list", "--url", "http://127.0.0.1:1"}, f.path).code == 4); // there is no token
  std::filesystem::create_symlink(token, f.path + "/link");                      // links are not followed
  CHECK(run_kevolve({"list", "--url", "http://127.0.0.1:1", "--token-file", "link"}, f.path).code == 4);
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
  // A target without hardware is reported and does not affect others.
  const auto& cuda = document["targets"]["cuda"];
  REQUIRE(cuda.size() > 0);
  if (std::any_of(cuda.begin(), cuda.end(), [](const auto& row) { return row["item"] == "cuda:0"; }))
    for (const auto& row : cuda)
      missing = missing || row["state"] == "missing";
  CHECK(document["ok"] == !missing);
  CHECK(said.code == (missing ? 1 : 0));
  auto text = run_kevolve({"doctor"});
  for (const auto& row : document["targets"]["cpu"])
    // Other processes may take a turn at the core between the two calls.
    if (row["remedy"].is_string() && row["item"] != "turn at the core") {
      const auto line = "  " + row["item"].get<std::string>() + ": " + row["remedy"].get<std::string>() + "\n";
      CHECK_MESSAGE(text.out.find(line) != std::string::npos, line);
    }
  CHECK(text.out.find("\x1b[") == std::string::npos); // no colours without a terminal
}

TEST_CASE("the state of a search shows its phase and its islands, as text and as JSON") {
  temporary_folder f;
  f.write("campaign.toml", "task = \"" + source_path("config/examples/row_statistics.task.toml")
                               + "\"\ntarget = \"cpu\"\nseed = 1\n[[generator]]\nkind = \"transform\"\n");
  const auto with = [&](const std::string& policies) {
    return run_kevolve({"run", "campaign.toml", "--data", "kevolve-data", "--set", "search.policies=" + policies,
                        "--set", "budget.candidates=4", "--set", "draft.candidates=2"},
                       f.path);
  };
  const auto wrong = with("{evolution=0.0}");
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("search.policies") != std::string::npos);
  REQUIRE(with("{evolution=0.9,adaptive=0.1}").code != 2);
  const auto id = run_kevolve({"list", "--json"}, f.path).document()["items"][0]["id"].get<std::string>();
  const auto search = run_kevolve({"status", id, "--json"}, f.path).document()["search"];
  CHECK(search["phase"] == "exploit");
  REQUIRE(search["islands"].size() == 2);
  const auto text = run_kevolve({"status", id}, f.path).out;
  CHECK(text.find("search      exploits the fittest; ") != std::string::npos);
  uint64_t begun = 0;
  for (const auto& i : search["islands"]) {
    begun += i["begun"].get<uint64_t>();
    const auto line = text.find("  island " + std::to_string(i["island"].get<uint64_t>()));
    REQUIRE(line != std::string::npos);
    for (const auto& c : i["cells"])
      CHECK(text.find(c["behaviour"].get<std::string>(), line) != std::string::npos);
  }
  CHECK(begun >= 4);
}
