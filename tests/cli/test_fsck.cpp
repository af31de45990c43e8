#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <map>

using namespace kevolve::test;

namespace {

namespace fs = std::filesystem;

// Makes a data directory with tables and a log, as a node leaves it after two runs.
void make_data(const temporary_folder& f) {
  f.write("kevolved.toml", "data_dir = \"data\"\nlisten = \"127.0.0.1:0\"\n");
  for (auto n = 0; n < 2; ++n) {
    program daemon{"kevolved", {"kevolved.toml"}, f.path};
    REQUIRE(daemon.wait_for("serving "));
    daemon.signal(SIGTERM);
    REQUIRE(daemon.finish().code == 0);
  }
}

std::map<std::string, std::string> everything(const std::string& folder) {
  std::map<std::string, std::string> out;
  for (const auto& e : fs::recursive_directory_iterator{folder})
    out[e.path()] = e.is_directory() ? "" : read_file(e.path());
  return out;
}

} // namespace

TEST_CASE("a lost CURRENT loses no data: reading refuses and changes nothing, fsck repairs a copy") {
  temporary_folder f;
  make_data(f);
  CHECK(run_kevolve({"fsck", "data"}, f.path).code == 0);
  auto clean = run_kevolve({"fsck", "data", "--repair", "--json"}, f.path);
  CHECK(clean.code == 0);
  CHECK(clean.document()["clean"] == true);
  CHECK(clean.document()["copy"].is_null());
  CHECK_FALSE(fs::exists(f.path + "/data.rescued"));

  REQUIRE(fs::remove(f.path + "/data/store/CURRENT"));
  const auto before = everything(f.path + "/data");
  auto tables = 0;
  for (const auto& [path, content] : before)
    tables += path.ends_with(".sst") ? 1 : 0;
  REQUIRE(tables > 0);
  for (const auto* verb : {"status", "list", "list", "best"}) {
    CAPTURE(verb);
    std::vector<std::string> words{verb, "--data", "data"};
    if (std::string{verb} != "list")
      words.insert(words.begin() + 1, "12345678");
    auto said = run_kevolve(words, f.path);
    CHECK(said.code == 1);
    CHECK(said.err.find("CURRENT is missing") != std::string::npos);
    CHECK(said.err.find("kevolve fsck") != std::string::npos);
    CHECK(everything(f.path + "/data") == before);
  }
  auto looked = run_kevolve({"fsck", "data", "--json"}, f.path);
  CHECK(looked.code == 1);
  CHECK(looked.document()["clean"] == false);
  CHECK(everything(f.path + "/data") == before);

  auto mended = run_kevolve({"fsck", "data", "--repair"}, f.path);
  CHECK(mended.code == 1);
  CHECK(mended.out.find("data.rescued") != std::string::npos);
  CHECK(everything(f.path + "/data") == before);
  CHECK(run_kevolve({"fsck", "data.rescued"}, f.path).code == 0);
  CHECK(run_kevolve({"list", "--data", "data.rescued"}, f.path).code == 0);
  // A second copy does not change the first.
  auto again = run_kevolve({"fsck", "data", "--repair", "--json"}, f.path);
  CHECK(again.document()["copy"] == "data.rescued.1");
}

TEST_CASE("reading a directory changes nothing; fsck reports missing directories and ones in use") {
  temporary_folder f;
  make_data(f);
  const auto before = everything(f.path + "/data");
  CHECK(run_kevolve({"list", "--data", "data"}, f.path).code == 0);
  CHECK(run_kevolve({"status", "12345678", "--data", "data"}, f.path).code == 3);
  CHECK(everything(f.path + "/data") == before);
  CHECK(run_kevolve({"fsck", "none"}, f.path).code == 3);
  CHECK(run_kevolve({"list", "--data", "none"}, f.path).code == 6);
  CHECK_FALSE(fs::exists(f.path + "/none"));
  program daemon{"kevolved", {"kevolved.toml"}, f.path};
  REQUIRE(daemon.wait_for("serving "));
  CHECK(run_kevolve({"fsck", "data"}, f.path).code == 0); // the node makes a copy for it
  CHECK(run_kevolve({"fsck", "data", "--repair"}, f.path).code == 5);
  daemon.signal(SIGTERM);
  CHECK(daemon.finish().code == 0);
}
