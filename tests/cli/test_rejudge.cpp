// Tests kevolve rejudge: results of another build of the judge are judged again, and the old results are kept.
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace kevolve::test;

namespace {

namespace fs = std::filesystem;

// Copies the programs of this build, with a zygote that has one more byte at the end.
void copy_programs(const std::string& to) {
  const fs::path bin = std::getenv("KEVOLVE_BIN");
  for (const auto* name : {"kevolve", "kevolve-judge", "kevolve-zygote", "kevolve-compile-server"})
    fs::copy_file(bin / name, fs::path{to} / name);
  std::ofstream{to + "/kevolve-zygote", std::ios::app | std::ios::binary} << 'x';
}

outcome run(const std::string& path, const std::vector<std::string>& arguments, const std::string& folder) {
  program p{path, arguments, folder};
  return p.finish();
}

} // namespace

TEST_CASE("results of another harness are judged again, best first, and the old evaluations stay") {
  temporary_folder f;
  auto first = run_kevolve(
      {"run", source_path("tests/node/tasks/row_energy.toml"), "--set", "budget.candidates=3", "--json"}, f.path);
  CAPTURE(first.err);
  REQUIRE(first.code == 0);
  auto best = first.document()["best"]["node"];
  auto id = first.document()["campaign"].get<std::string>();

  auto none = run_kevolve({"rejudge", "all", "--dry-run", "--json"}, f.path);
  REQUIRE(none.code == 0);
  CHECK(none.document()["stale"] == 0);

  temporary_folder other;
  copy_programs(other.path);
  const auto changed = other.path + "/kevolve";
  auto listed = run(changed, {"rejudge", id.substr(0, 8), "--dry-run", "--json"}, f.path);
  CAPTURE(listed.err);
  REQUIRE(listed.code == 0);
  auto rows = listed.document();
  auto stale = rows["stale"].get<size_t>();
  REQUIRE(stale >= 1);
  CHECK(rows["items"].size() == stale);
  CHECK(rows["items"][0]["best"] == true);
  CHECK(rows["items"][0]["node"] == best);
  CHECK(rows["items"][0]["now"].is_null());
  CHECK(rows["items"][0]["harness"] != rows["harness"]["cpu"]);

  auto again = run(changed, {"rejudge", "all", "--limit", "1", "--json"}, f.path);
  CAPTURE(again.out);
  CAPTURE(again.err);
  REQUIRE(again.code == 0);
  auto item = again.document()["items"][0];
  CHECK(item["now"]["verdict"] == "pass");
  CHECK(item["now"]["holds"] == true);
  CHECK(item["now"]["harness"] == rows["harness"]["cpu"]);
  CHECK(item["now"]["ci95"][0].get<double>() > 1.0);
  CHECK(item["now"]["evaluations"].size() >= 2);

  // One fewer, since that result exists now. For the first build, only that result has changed.
  auto rest = run(changed, {"rejudge", "all", "--dry-run", "--json"}, f.path);
  CHECK(rest.document()["stale"] == stale - 1);
  auto back = run_kevolve({"rejudge", "all", "--dry-run", "--json"}, f.path);
  CHECK(back.document()["stale"] == 1);
  CHECK(back.document()["items"][0]["node"] == best);
  auto kept = run_kevolve({"best", id, "--json"}, f.path);
  CHECK(kept.code == 0);

  CHECK(run_kevolve({"rejudge", "nobody", "--dry-run"}, f.path).code == 3);
  CHECK(run_kevolve({"rejudge", "all", "--data", "nowhere"}, f.path).code == 3);
  CHECK_FALSE(fs::exists(f.path + "/nowhere"));
  CHECK(run_kevolve({"rejudge"}, f.path).code == 2);
}
