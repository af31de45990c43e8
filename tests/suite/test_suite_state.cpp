#include "tools/kevolve/suite/suite_state.hpp"

#include <doctest/doctest.h>

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace kevolve;

namespace {

namespace fs = std::filesystem;

suite_state sample() {
  suite_state s;
  s.name = "small";
  s.budget = {100.0, 50.0, 1000};
  s.each_s = 20.0;
  s.wall_s = 90.0;
  suite_item x;
  x.name = "a";
  x.task = "/t/a.task.toml";
  x.campaign = "0123";
  x.settings = {"budget.wall=5"};
  s.items.push_back(x);
  return s;
}

struct folder {
  folder() {
    std::string pattern = "/tmp/kevolve-suite-XXXXXX";
    path = ::mkdtemp(pattern.data());
  }
  ~folder() { fs::remove_all(path); }
  void touch(const std::string& name) const {
    fs::create_directories((fs::path{path} / name).parent_path());
    std::ofstream{path + "/" + name} << "x";
  }
  std::string path;
};

} // namespace

TEST_CASE("a suite's file gives the suite back") {
  const auto s = sample();
  const auto back = parse_suite(to_text(to_json(s)), "small.json");
  REQUIRE(back);
  CHECK(to_text(to_json(*back)) == to_text(to_json(s)));
  const folder f;
  REQUIRE(save_suite(f.path, s));
  CHECK(to_text(to_json(*load_suite(f.path, "small"))) == to_text(to_json(s)));
  CHECK(load_suite(f.path, "other").error().code == errc::not_found);
}

TEST_CASE("a damaged file is refused with its name and the key") {
  auto doc = to_json(sample());
  doc["items"][0]["campaign"] = 7;
  const auto wrong = parse_suite(to_text(doc), "small.json");
  REQUIRE(!wrong);
  CHECK(wrong.error().detail.find("small.json: items[0].campaign: ") == 0);
  doc = to_json(sample());
  doc["budget"].erase("device_s");
  CHECK(parse_suite(to_text(doc), "small.json").error().detail.find("budget.device_s") != std::string::npos);
  doc = to_json(sample());
  doc["format"] = 2;
  CHECK(!parse_suite(to_text(doc), "small.json"));
  CHECK(!parse_suite("{", "small.json"));
}

TEST_CASE("tasks are ordered by the numbers in their names, and know level and problem") {
  const folder f;
  for (const auto* name : {"level2/k10_b/k10_b.task.toml", "level2/k2_a/k2_a.task.toml", "level2/k2_a/2_a.py",
                           "data/x.task.toml", "level2/k2_a/k2_a.toml"})
    f.touch(name);
  const auto found = tasks_below(f.path, f.path + "/data");
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "k2_a");
  CHECK(found[0].problem == 2);
  CHECK(found[0].level == 2);
  CHECK(found[0].module == "2_a.py");
  CHECK(found[1].problem == 10);
}

TEST_CASE("a second look at the folder keeps campaigns that began") {
  auto s = sample();
  suite_item same;
  same.task = "/t/a.task.toml";
  suite_item other;
  other.task = "/t/b.task.toml";
  merge_tasks(s, {other, same});
  REQUIRE(s.items.size() == 2);
  CHECK(s.items[1].campaign == "0123");
  CHECK(s.items[1].settings.size() == 1);
  merge_tasks(s, {});
  REQUIRE(s.items.size() == 1); // the one that has a campaign
  CHECK(s.items[0].campaign == "0123");
}

TEST_CASE("a campaign gets what is left of the budget, and at most its own share") {
  const auto s = sample();
  const auto left = remainder_of(s, 20.0, 400);
  CHECK(left.used_up.empty());
  CHECK(left.left.wall_s == doctest::Approx(10.0));
  CHECK(left.left.device_s == doctest::Approx(30.0));
  CHECK(left.left.tokens == 600);
  const auto settings = settings_of(s.items[0], s, left);
  CHECK(settings
        == std::vector<std::string>{"task=\"/t/a.task.toml\"", "budget.wall=10.000", "budget.device=30.000",
                                    "budget.tokens=600"});
  CHECK(remainder_of(s, 50.0, 0).used_up == "device time");
  CHECK(remainder_of(s, 0.0, 1000).used_up == "tokens");
  auto spent = s;
  spent.wall_s = 100.0;
  CHECK(remainder_of(spent, 0.0, 0).used_up == "wall time");
  spent.budget = {};
  const auto unlimited = remainder_of(spent, 1e9, 1000000);
  CHECK(unlimited.used_up.empty());
  CHECK(settings_of(s.items[0], spent, unlimited)[1] == "budget.wall=20.000");
  CHECK(settings_of(s.items[0], spent, unlimited).size() == 2);
}

TEST_CASE("a suite is named by its folder and level") {
  CHECK(suite_name("aten", 0) == "aten");
  CHECK(suite_name("kernelbench", 2) == "kernelbench-level2");
  CHECK(suite_name("/a/my-tasks/", 0) == "my-tasks");
  CHECK(suite_name(".", 0) == "tasks");
}
