#include "backends/cpu/cpu_target.hpp"
#include "backends/cpu/flags.hpp"
#include "tests/support/server_fixture.hpp"

#include <doctest/doctest.h>

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

std::string read_text(const std::string& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

std::string bin_dir() {
  const char* bin = std::getenv("KEVOLVE_BIN");
  return std::string{bin == nullptr ? "" : bin};
}

} // namespace

TEST_CASE("the last core is for timing, the others compile") {
  struct row {
    std::vector<int> cores;
    std::vector<int> siblings;
    int timing;
    std::vector<int> compiling;
  };
  for (const auto& r : std::vector<row>{
           {{0}, {0}, 0, {0}}, // one core does both, by lease
           {{0, 1}, {1}, 1, {0}},
           {{0, 1}, {0, 1}, 1, {0}},          // a sibling is better than the timing core itself
           {{0, 1, 2, 3}, {2, 3}, 3, {0, 1}}, // core 2 shares units with core 3
           {{2, 5, 7}, {}, 7, {2, 5}},        // a configured list
       }) {
    auto plan = plan_cores(r.cores, r.siblings);
    CHECK(plan.timing == r.timing);
    CHECK(plan.compiling == r.compiling);
  }
  CHECK(parse_core_list("0-2,5,7-8") == std::vector<int>{0, 1, 2, 5, 7, 8});
  CHECK(parse_core_list("").empty());
  CHECK(parse_core_list("x").empty());
}

TEST_CASE("the first of explicitly given cores is for timing") {
  auto plan = plan_as_given({5, 2, 7});
  CHECK(plan.timing == 5);
  CHECK(plan.compiling == std::vector<int>{2, 7});
  auto made = make_target("cpu", bin_dir(), {usable_cores().front()});
  REQUIRE(made);
  CHECK((*made)->devices().front().cores == std::vector<int>{usable_cores().front()});
  const auto not_there = CPU_SETSIZE - 1;
  auto refused = make_target("cpu", bin_dir(), {usable_cores().front(), not_there});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::bad_input);
  CHECK(refused.error().detail.starts_with("cores of target cpu: 1023 is none that this process may use ("
                                           + std::to_string(usable_cores().front())));
}

TEST_CASE("an unknown target's error lists the known ones") {
  auto none = make_target("gpu", bin_dir());
  REQUIRE_FALSE(none);
  CHECK(none.error().code == errc::not_found);
  CHECK(none.error().detail.find("cpu") != std::string::npos);
  CHECK(target_names() == std::vector<std::string>{"cpu", "cuda", "hip", "triton"});
}

TEST_CASE("the cpu target describes its device, helpers and menu") {
  auto made = make_target("cpu", bin_dir());
  REQUIRE(made);
  const auto& t = **made;
  CHECK(t.name() == "cpu");
  CHECK(t.trust() == trust_tier::native);
  auto devices = t.devices();
  REQUIRE(devices.size() == 1);
  auto timing = devices[0].cores.at(0);
  CHECK(devices[0].id == "cpu:" + std::to_string(timing));
  CHECK(timing == usable_cores().back());
  auto server = t.compile_server();
  CHECK(std::filesystem::exists(server.argv.at(0)));
  if (usable_cores().size() > 1)
    CHECK(std::find(server.cores.begin(), server.cores.end(), timing) == server.cores.end());
  CHECK(server.environment.count("HOME") == 0);
  auto judge = t.judge(devices[0]);
  CHECK(judge.argv.at(0) == bin_dir() + "/kevolve-judge");
  CHECK(std::find(judge.argv.begin(), judge.argv.end(), bin_dir() + "/kevolve-zygote") != judge.argv.end());
  CHECK(judge.cores == std::vector<int>{timing});
  auto menu = t.flag_menu();
  CHECK(std::count_if(menu.begin(), menu.end(), [](const auto& f) { return f.baseline; }) == 1);
  const auto bits = t.hardware().at("vector_bits");
  CHECK(std::all_of(menu.begin(), menu.end(), [&](const auto& f) { return f.vector_bits <= bits; }));
  CHECK(std::any_of(cpu_flag_menu().begin(), cpu_flag_menu().end(),
                    [](const auto& e) { return e.about.vector_bits == 512; }));
  auto facts = t.hardware();
  for (const auto* key : {"cache.l1d", "cache.l2", "cache.line", "vector_bits", "cores"})
    CHECK_MESSAGE(facts[key] > 0, key);
}

TEST_CASE("fingerprints are stable, and the harness's follows its programs") {
  cpu_target one{bin_dir()};
  cpu_target two{bin_dir()};
  CHECK(one.toolchain_fingerprint({}).size() == 64);
  CHECK(one.toolchain_fingerprint({}) == two.toolchain_fingerprint({}));
  CHECK(one.device_fingerprint(one.devices()[0]) == two.device_fingerprint(two.devices()[0]));
  scratch_folder programs;
  std::ofstream{programs.path() + "/kevolve-judge"} << "judge 1";
  std::ofstream{programs.path() + "/kevolve-zygote"} << "zygote 1";
  std::ofstream{programs.path() + "/kevolve-sanitised-replay"} << "replay 1";
  std::ofstream{programs.path() + "/kevolve-compile-server"} << "server 1";
  cpu_target frozen{programs.path()};
  auto harness = frozen.harness_fingerprint();
  auto toolchain = frozen.toolchain_fingerprint({});
  CHECK(cpu_target{programs.path()}.harness_fingerprint() == harness);
  // A change of one byte in a program changes exactly the fingerprints that depend on it.
  for (const auto* name : {"kevolve-judge", "kevolve-zygote", "kevolve-sanitised-replay", "kevolve-compile-server"}) {
    CAPTURE(name);
    auto compiles = std::string{name} == "kevolve-compile-server";
    auto path = programs.path() + "/" + name;
    auto text = read_text(path);
    std::ofstream{path} << text.substr(0, text.size() - 1) << '2';
    cpu_target changed{programs.path()};
    CHECK((changed.harness_fingerprint() == harness) == compiles);
    CHECK((changed.toolchain_fingerprint({}) == toolchain) == !compiles);
    std::ofstream{path} << text;
  }
  target_options roomy;
  roomy.candidate_memory_mib = 4096;
  CHECK(cpu_target{programs.path(), {}, roomy}.harness_fingerprint() != harness);
  CHECK(frozen.harness_fingerprint() == harness);
}

TEST_CASE("doctor names missing parts and their remedies") {
  cpu_target good{bin_dir()};
  std::set<std::string> items;
  for (const auto& row : good.doctor()) {
    items.insert(row.item);
    CHECK_MESSAGE((row.state == doctor_row::state::ok) == row.remedy.empty(), row.item);
    CHECK_FALSE(row.detail.empty());
  }
  for (const auto* item :
       {"clang-19", "g++", "ld.bfd", "libmvec", "Landlock", "sandbox", "mount namespace", "sanitised replay",
        "pid namespace", "network namespace", "ipc namespace", "own user id", "timing core", "turn at the core",
        "huge pages", "steal", "counters", "temporary files", "shared memory"})
    CHECK_MESSAGE(items.count(item) == 1, item);
  scratch_folder empty;
  cpu_target bad{empty.path()};
  bool judge_missing = false;
  for (const auto& row : bad.doctor())
    if (row.item == "kevolve-judge")
      judge_missing = row.state == doctor_row::state::missing && !row.remedy.empty();
  CHECK(judge_missing);
}
