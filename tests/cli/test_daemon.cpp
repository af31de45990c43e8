// Tests a daemon and the verbs that talk to it, from the command line to the journal and back.
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <csignal>

using namespace kevolve::test;

namespace {

struct daemon_folder : temporary_folder {
  explicit daemon_folder(int places = 8) {
    for (const auto* name : {"row_energy.toml", "row_energy.task.toml", "row_energy.c"})
      write(name, read_file(source_path(std::string{"tests/node/tasks/"} + name)));
    write("kevolved.toml", "data_dir = \"kevolve-data\"\nlisten = \"127.0.0.1:0\"\n[limits]\ncampaigns = "
                               + std::to_string(places) + "\n");
  }
  outcome kevolve(std::vector<std::string> arguments) const { return run_kevolve(arguments, path); }
  json told(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    auto said = kevolve(std::move(arguments));
    CAPTURE(said.err);
    CHECK(said.code == 0);
    return said.document();
  }
  // Returns once the event exists, since --follow waits for it.
  json await_event(const std::string& id, const std::string& kind) const {
    return told({"events", id, "--follow", "--kind", kind, "--limit", "1"});
  }
};

std::vector<uint64_t> sequences(const std::string& lines) {
  std::vector<uint64_t> out;
  for (size_t from = 0; from < lines.size();) {
    auto end = lines.find('\n', from);
    out.push_back(json::parse(lines.substr(from, end - from))["sequence"].get<uint64_t>());
    from = end == std::string::npos ? lines.size() : end + 1;
  }
  return out;
}

} // namespace

TEST_CASE("a signal that comes before main does not end the daemon") {
  daemon_folder f;
  f.write("early.c", "#include <signal.h>\n#include <unistd.h>\n"
                     "__attribute__((constructor)) static void send(void) { kill(getpid(), SIGHUP); }\n");
  program compiler{"/usr/bin/env", {"cc", "-shared", "-fPIC", "-o", "early.so", "early.c"}, f.path};
  REQUIRE(compiler.finish().code == 0);
  const auto daemon_path = std::string{std::getenv("KEVOLVE_BIN")} + "/kevolved";
  // The library's initialiser runs before those of the daemon's own libraries and before its main.
  program daemon{"/usr/bin/env", {"LD_PRELOAD=" + f.path + "/early.so", daemon_path, "kevolved.toml"}, f.path};
  REQUIRE(daemon.wait_for("kevolved.toml read again"));
  daemon.signal(SIGTERM);
  CHECK(daemon.finish().code == 0);
}

TEST_CASE("a daemon that crashes leaves no core dump, which could contain a key") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_CORE, &before) == 0);
  const rlimit most{before.rlim_max, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_CORE, &most) == 0);
  daemon_folder f;
  program other{"/bin/sh", {"-c", "kill -ABRT $$"}, f.path};
  const bool cores = other.finish().dumped;
  f.write("key", "sk-canary-in-a-core\n");
  f.write("keyed.toml",
          read_file(f.path + "/kevolved.toml")
              + "[[provider]]\nname = \"mine\"\nkind = \"openai-chat\"\nmodel = \"m\"\nkey_file = \"key\"\n"
                "url = \"http://127.0.0.1:9\"\n");
  program daemon{"kevolved", {"keyed.toml"}, f.path};
  REQUIRE(daemon.wait_for("serving "));
  daemon.signal(SIGABRT);
  const auto ended = daemon.finish();
  ::setrlimit(RLIMIT_CORE, &before);
  CHECK(ended.code == 128 + SIGABRT);
  CHECK_FALSE(ended.dumped);
  if (!cores)
    MESSAGE("skipped in part: this machine writes no core of any process");
}

TEST_CASE("a task named by --set is relative to the working directory, wherever the campaign file is") {
  daemon_folder f;
  program daemon{"kevolved", {"kevolved.toml"}, f.path};
  REQUIRE(daemon.wait_for("serving "));
  std::filesystem::create_directory(f.path + "/elsewhere");
  f.write("elsewhere/c.toml", "task = \"not there.toml\"\ntarget = \"cpu\"\n[[generator]]\nkind = \"transform\"\n"
                              "[budget]\ncandidates = 1\n");
  auto submitted = f.told({"submit", "elsewhere/c.toml", "--set", "seed=3", "--set", "task=row_energy.task.toml"});
  CHECK(submitted["name"] == "row_energy");
  CHECK(f.kevolve({"submit", "elsewhere/c.toml", "--set", "task=no.task.toml"}).code == 2);
}

TEST_CASE("a campaign is submitted, steered, forked and followed across a kill of the daemon") {
  daemon_folder f;
  auto daemon = std::make_unique<program>("kevolved", std::vector<std::string>{"kevolved.toml"}, f.path);
  REQUIRE(daemon->wait_for("serving "));
  auto submitted = f.told({"submit", "row_energy.toml", "--set", "budget.candidates=1000", "--priority", "250"});
  auto id = submitted["id"].get<std::string>();
  CHECK(submitted["priority"] == 250);
  CHECK(submitted["known"] == false);
  auto again = f.told({"submit", "row_energy.toml", "--set", "budget.candidates=1000", "--priority", "300"});
  CHECK(again["id"] == id); // the same campaign
  CHECK(again["known"] == true);
  CHECK(again["priority"] == 250);
  CHECK(again["note"].get<std::string>().find("priority stays 250") != std::string::npos);
  program follower{"kevolve", {"events", id, "--follow", "--json"}, f.path};
  f.await_event(id, "node_finished");
  CHECK(f.kevolve({"pause", id}).code == 0);
  CHECK(f.told({"priority", id, "300", "--by", "bob", "--reason", "due today"})["priority"] == 300);
  CHECK(f.told({"budget", id, "--candidates", "12", "--wall", "10m"})["budget"]["wall_s"] == 600);
  // A budget below the amount spent is accepted with a note.
  auto spent = f.kevolve({"budget", id, "--candidates", "1"});
  CHECK(spent.code == 0);
  CHECK(spent.err.find("kevolve: note: ") != std::string::npos);
  CHECK(spent.err.find("spent already, of 1 allowed") != std::string::npos);
  CHECK(f.told({"budget", id, "--candidates", "1"})["note"].is_string());
  CHECK_FALSE(f.told({"budget", id, "--candidates", "12"}).contains("note"));
  CHECK(f.told({"pin", id, "1"})["pinned"] == json::array({1}));
  f.write("mine.c", "/* mine */\n" + read_file(source_path("tests/node/tasks/row_energy.c")));
  auto injected = f.told({"inject", id, "mine.c", "--flags", "O2", "--by", "bob"});
  auto node = injected["node"].get<uint64_t>();
  CHECK(f.told({"inject", id, "mine.c", "--flags", "O2", "--by", "bob"})["changed"] == false);
  CHECK(f.kevolve({"inject", id, "mine.c", "--flags", "O2", "--by", "bob", "--quiet"}).out
        == std::to_string(node) + "\n");
  CHECK(f.kevolve({"inject", id, "mine.c", "--flags", "O9"}).err.find("has no flag set 'O9', it has: ")
        != std::string::npos);

  // All events were fsync'd before they were acknowledged.
  daemon->signal(SIGKILL);
  daemon->finish();
  daemon = std::make_unique<program>("kevolved", std::vector<std::string>{"kevolved.toml"}, f.path);
  REQUIRE(daemon->wait_for("serving "));
  auto status = f.told({"status", id});
  CHECK(status["priority"] == 300);
  CHECK(status["budget"]["candidates"] == 12);
  CHECK(status["pinned"] == json::array({1}));
  CHECK(f.kevolve({"resume", id}).code == 0);
  auto fork = f.told({"fork", id, "1", "--seed", "7", "--candidates", "2"});
  CHECK(fork["origin"]["campaign"] == id);
  CHECK(fork["origin"]["node"] == 1);
  CHECK(f.told({"fork", id, "1", "--seed", "7", "--candidates", "2"})["id"] == fork["id"]);
  CHECK(f.kevolve({"fork", id, "1", "--seed", "7", "--candidates", "2", "--quiet"}).out
        == fork["id"].get<std::string>() + "\n");
  auto watched = f.kevolve({"watch", id, "--json"});
  CHECK(watched.code != 2);
  CHECK(watched.document()["state"] == "finished");
  CHECK(watched.document()["candidates"] == 12);
  f.kevolve({"watch", fork["id"].get<std::string>(), "--quiet"});
  auto first = f.told({"candidate", fork["id"].get<std::string>(), "1"});
  CHECK(first["source"] == f.told({"candidate", id, "1"})["source"]);
  CHECK(first["verdict"] == "pass");

  auto tree = f.told({"tree", id, "--verdict", "injected"});
  REQUIRE(tree["items"].size() == 1);
  CHECK(tree["items"][0]["index"] == node);
  CHECK(tree["items"][0]["injected_by"] == "bob");
  CHECK(tree["items"][0]["verdict"] == "pass");

  // The follower saw every event once and in order, across the kill, and ended with the campaign.
  auto followed = follower.finish();
  CHECK(followed.code == 0);
  auto seen = sequences(followed.out);
  auto all = sequences(f.kevolve({"events", id, "--json"}).out);
  all.resize(std::min(all.size(), seen.size()));
  CHECK(seen == all);
  CHECK(followed.err.find("trying again") != std::string::npos);
  auto steered = f.kevolve({"events", id, "--kind", "campaign_steered"});
  CHECK(steered.out.find("priority to 300 by bob: due today") != std::string::npos);

  // Impossible requests fail with the matching exit code.
  CHECK(f.kevolve({"pin", id, "1"}).code == 5);
  CHECK(f.kevolve({"pin", "ffffffff", "1"}).code == 3);
  CHECK(f.kevolve({"priority", id, "0"}).code == 2);
  CHECK(f.kevolve({"budget", id, "--wall", "soon"}).code == 2);
  CHECK(f.kevolve({"inject", id, "mine.c", "--flags", "O2"}).code == 5);
  CHECK(f.kevolve({"fork", id, "9999"}).code == 3);
  CHECK(f.kevolve({"submit", "mine.c"}).code == 2);
  CHECK(f.told({"list", "--state", "finished"})["items"].size() == 2);
  CHECK(f.told({"list", "--limit", "1"})["truncated"] == true);
  CHECK(f.kevolve({"list", "--ids"}).out.find(id) != std::string::npos);
  daemon->signal(SIGTERM);
  CHECK(daemon->finish().code == 0);
  CHECK(f.kevolve({"pin", id, "1"}).code == 6);
}

TEST_CASE("a cluster without a database keeps the daemon from starting") {
  daemon_folder f;
  f.write("kevolved.toml", "data_dir = \"kevolve-data\"\nlisten = \"127.0.0.1:0\"\n[cluster]\n"
                           "node = \"c\"\n");
  program daemon{"kevolved", {"kevolved.toml"}, f.path};
  const auto ended = daemon.finish();
  CHECK(ended.code == 2);
  CHECK(ended.err.find("kevolved.toml:3:1: cluster.postgres: ") != std::string::npos);
}

TEST_CASE("limits.campaigns makes further campaigns wait and start by priority" * doctest::test_suite("long")) {
  daemon_folder f{1};
  program daemon{"kevolved", {"kevolved.toml"}, f.path};
  REQUIRE(daemon.wait_for("serving "));
  auto submit = [&](const char* seed, const char* candidates, const char* priority) {
    return f.told({"submit", "row_energy.toml", "--set", std::string{"seed="} + seed, "--set",
                   std::string{"budget.candidates="} + candidates, "--priority", priority});
  };
  auto first = submit("1", "1000", "100")["id"].get<std::string>();
  auto low = submit("2", "2", "50");
  auto high = submit("3", "2", "200");
  CHECK(low["state"] == "queued");
  CHECK(high["state"] == "queued");
  CHECK(f.told({"list", "--state", "queued"})["items"].size() == 2);
  for (const auto* verb : {"status", "tree", "best", "watch"}) { // the id is missing
    auto which = f.kevolve({verb});
    CAPTURE(which.err);
    CHECK(which.code == 2);
    for (const auto& id : {first, low["id"].get<std::string>(), high["id"].get<std::string>()})
      CHECK(which.err.find("\n  " + id.substr(0, 8) + "  row_energy  ") != std::string::npos);
  }
  CHECK(f.kevolve({"candidate", "0"}).code == 2);
  CHECK(f.kevolve({"cancel", first}).code == 0);
  CHECK(f.told({"list", "--state", "cancelled"})["items"].size() == 1);
  CHECK(f.kevolve({"submit", "row_energy.toml", "--set", "seed=1", "--set", "budget.candidates=1000"})
            .err.find("note: known already, and cancelled: nothing runs")
        != std::string::npos);
  CHECK(f.kevolve({"tree", first}).out.find("in_flight") == std::string::npos);
  f.await_event(high["id"].get<std::string>(), "campaign_finished");
  auto one = f.await_event(high["id"].get<std::string>(), "session_started");
  auto other = f.await_event(low["id"].get<std::string>(), "session_started");
  CHECK(one["sequence"].get<uint64_t>() < other["sequence"].get<uint64_t>());
  f.await_event(low["id"].get<std::string>(), "campaign_finished");
}

TEST_CASE("a campaign's prompts are taken and answered from the command line") {
  daemon_folder f;
  program daemon{"kevolved", {"kevolved.toml"}, f.path};
  REQUIRE(daemon.wait_for("serving "));
  CHECK(f.kevolve({"relay", "next"}).code == 3);
  auto id =
      f.told({"submit", "row_energy.toml", "--set", "generator[0].kind=relay", "--set", "budget.candidates=2"})["id"]
          .get<std::string>();
  f.await_event(id, "model_asked");
  json prompt;
  for (auto said = f.kevolve({"relay", "next", "--json", "--by", "alice"}); prompt.is_null();
       said = f.kevolve({"relay", "next", "--json", "--by", "alice"})) // the question is stored before it is asked
    if (said.code == 0)
      prompt = said.document();
  const auto named = prompt["id"].get<std::string>();
  CHECK(prompt["messages"][0]["content"].get<std::string>().find("row_energy") != std::string::npos);
  CHECK(f.kevolve({"relay", "list"}).out.find("alice") != std::string::npos);
  CHECK(f.kevolve({"relay", "answer", named, "absent.txt"}).code == 2);
  f.write("reply.txt", "summary: mine\n```c candidate.c\n/* mine */\n"
                           + read_file(source_path("tests/node/tasks/row_energy.c")) + "```\n");
  auto answered = f.kevolve({"relay", "answer", named, "reply.txt", "--by", "alice", "--model", "pencil"});
  CHECK(answered.code == 0);
  CHECK(answered.out == "candidate: mine\n");
  f.await_event(id, "node_finished");
  auto node = f.told({"candidate", id, std::to_string(prompt["node"].get<uint64_t>())});
  CHECK(node["verdict"] == "pass");
  CHECK(node["proposal"]["generator"] == "relay");
  CHECK(node["exchanges"][0]["answer"]["model"] == "pencil");
  CHECK(f.kevolve({"candidate", id, std::to_string(prompt["node"].get<uint64_t>())}).out.find("candidate by alice")
        != std::string::npos);
  f.write("other.txt", "nothing");
  CHECK(f.kevolve({"relay", "answer", named, "other.txt"}).code == 5);
  CHECK(f.kevolve({"relay", "show", named}).out.find("--- answer of alice: candidate") != std::string::npos);
  CHECK(f.kevolve({"cancel", id}).code == 0);
  daemon.signal(SIGTERM);
  daemon.finish();
}
