#include "actors/messages/keys.hpp"
#include "actors/messages/records.hpp"
#include "runtime/base/codec.hpp"
#include "store/store.hpp"
#include "tests/admin/daemon/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

using test_json = nlohmann::json;
using namespace kevolve;
using namespace kevolve::test;
namespace fs = std::filesystem;

TEST_CASE("backup, fsck and restore work beside a running node and without one") {
  daemon_process d;
  d.until("READY=1");
  auto live = d.folder.path() + "/live";
  auto made = run_program("kevolve", {"backup", "--data", d.data(), "--out", live, "--json"});
  REQUIRE_MESSAGE(made.code == 0, made.err);
  CHECK(test_json::parse(made.out)["directory"] == live);
  CHECK(run_program("kevolve", {"backup", "--data", d.data(), "--out", live}).code == 5);
  auto looked = run_program("kevolve", {"fsck", d.data()});
  CHECK_MESSAGE(looked.code == 0, looked.out << looked.err);
  CHECK(looked.out.find("no damage") != std::string::npos);
  for (const auto& entry : fs::directory_iterator{d.data()})
    CHECK_FALSE(entry.path().filename().string().starts_with("fsck-"));
  d.signal(SIGTERM);
  d.until("STOPPING=1");
  REQUIRE(d.wait() == 0);

  auto still = d.folder.path() + "/still";
  CHECK(run_program("kevolve", {"backup", "--data", d.data(), "--out", still}).code == 0);
  auto restored = d.folder.path() + "/restored";
  CHECK(run_program("kevolve", {"restore", live, "--data", restored}).code == 0);
  CHECK(run_program("kevolve", {"fsck", restored}).code == 0);
  {
    auto data = store::open(restored);
    REQUIRE(data);
    node_record r;
    r.object = std::string(64, 'a');
    REQUIRE((*data)->put(table::nodes, keys::node({1, 2}, 3), encode(r)));
  }
  auto dangling = run_program("kevolve", {"fsck", restored});
  CHECK(dangling.code == 0);
  CHECK_MESSAGE(dangling.out.find("candidate 3 of campaign " + to_string(id128{1, 2}) + " names text "
                                  + std::string(64, 'a') + ", which is not there")
                    != std::string::npos,
                dangling.out);
  auto told = test_json::parse(run_program("kevolve", {"fsck", restored, "--json"}).out);
  CHECK(told["clean"] == true);
  CHECK(told["dangling"].size() == 1);
  CHECK(run_program("kevolve", {"restore", still, "--data", restored}).code == 5);
  CHECK(run_program("kevolve", {"restore", d.folder.path(), "--data", restored + "2"}).code == 3);
}

namespace {

std::string hexadecimal(const std::string& text) {
  constexpr const char* digits = "0123456789abcdef";
  std::string out;
  for (const auto c : text) {
    out += digits[static_cast<unsigned char>(c) >> 4U];
    out += digits[static_cast<unsigned char>(c) & 15U];
  }
  return out;
}

} // namespace

TEST_CASE("a support bundle is packed, and refused as a whole if it contains a secret") {
  daemon_process d{"[log]\nfile = \"kevolved.log\"\n"};
  d.until("READY=1");
  auto out = d.folder.path() + "/report.tar.gz";
  std::vector<std::string> words{"debug", "--data", d.data(), "--config", d.settings_file(), "--out", out, "--json"};
  auto packed = run_program("kevolve", words);
  REQUIRE_MESSAGE(packed.code == 0, packed.err);
  auto said = test_json::parse(packed.out);
  for (const auto* name : {"versions.txt", "doctor.json", "actors.json", "events.json", "metrics.txt", "kevolved.log"})
    CHECK_MESSAGE(std::find(said["files"].begin(), said["files"].end(), name) != said["files"].end(), name);
  CHECK(fs::file_size(out) > 500);
  CHECK(run_program("kevolve", words).code == 5); // it exists already

  std::string token;
  std::ifstream{d.data() + "/token"} >> token;
  for (const auto& secret : {token, hexadecimal(token), "key sk-" + std::string(32, 'x'),
                             std::string{"https://example.org/v1?api_key=k1"}}) {
    fs::remove(out);
    std::ofstream{d.folder.path() + "/kevolved.log"} << "one\ntwo " << secret << "\n";
    auto refused = run_program("kevolve", words);
    CHECK(refused.code == 2);
    CHECK(refused.err.find(secret == hexadecimal(token) ? "kevolved.log: a secret of the node, encoded"
                                                        : "kevolved.log:2: ")
          != std::string::npos);
    CHECK(refused.err.find(secret) == std::string::npos);
    CHECK(refused.out.find(secret) == std::string::npos);
    CHECK_FALSE(fs::exists(out));
    auto shorter = words;
    shorter.insert(shorter.end(), {"--without", "kevolved.log"});
    auto rest = run_program("kevolve", shorter);
    REQUIRE_MESSAGE(rest.code == 0, rest.err);
    auto told = test_json::parse(rest.out);
    CHECK(told["missing"].back() == "kevolved.log: left out with --without");
    CHECK(std::find(told["files"].begin(), told["files"].end(), "kevolved.log") == told["files"].end());
  }
  words.insert(words.end(), {"--without", "kevolve.log"});
  fs::remove(out);
  auto misspelt = run_program("kevolve", words);
  CHECK(misspelt.code == 2);
  CHECK(misspelt.err.find("--without: there is no kevolve.log to leave out, only versions.txt, ") != std::string::npos);
}
