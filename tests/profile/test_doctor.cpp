#include "backends/cpu/performance_unit.hpp"
#include "backends/profile/pass.hpp"
#include "backends/target.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

using namespace kevolve;

namespace {

const doctor_row* row_of(const std::vector<doctor_row>& rows, const std::string& item) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.item == item; });
  return found == rows.end() ? nullptr : &*found;
}

// Sets PATH for its life.
class search_path {
public:
  explicit search_path(const std::string& path) : before_(std::getenv("PATH")) { ::setenv("PATH", path.c_str(), 1); }
  ~search_path() { ::setenv("PATH", before_.c_str(), 1); }
  search_path(const search_path&) = delete;
  search_path& operator=(const search_path&) = delete;

private:
  std::string before_;
};

} // namespace

TEST_CASE("the doctor says of each missing profiler what is lost without it, and what adds it") {
  const auto folder = std::filesystem::temp_directory_path() / "kevolve-doctor-test-nothing";
  std::filesystem::create_directories(folder);
  const search_path nothing{folder.string()};
  const auto hardware = make_target("cpu", folder.string());
  REQUIRE(hardware);
  const auto rows = (*hardware)->doctor();
  struct expected {
    const char* item;
    const char* lost;
    const char* package;
  };
  for (const auto& e :
       {expected{"loop probes", "trip counts", "llvm-19-dev"}, expected{"llvm-mca", "cpu.ports is skipped", "llvm-19"},
        expected{"valgrind", "cpu.exact_counts is skipped", "valgrind"},
        expected{"profiler", "no candidate is profiled", "cmake --build"}}) {
    CAPTURE(e.item);
    const auto* r = row_of(rows, e.item);
    REQUIRE(r != nullptr);
    CHECK(r->state == doctor_row::state::weaker);
    CHECK(r->detail.find(e.lost) != std::string::npos);
    CHECK(r->remedy.find(e.package) != std::string::npos);
  }
}

TEST_CASE("the doctor names each pass of the processor that needs a tool, where its tool is missing") {
  const auto folder = std::filesystem::temp_directory_path() / "kevolve-doctor-test-nothing";
  std::filesystem::create_directories(folder);
  const search_path nothing{folder.string()};
  const auto hardware = make_target("cpu", folder.string());
  REQUIRE(hardware);
  std::string weaker;
  for (const auto& r : (*hardware)->doctor())
    if (r.state != doctor_row::state::ok)
      weaker += r.detail + "\n";
  CAPTURE(weaker);
  size_t with_tool = 0;
  for (const auto& p : profile_passes()) {
    const bool of_processor = std::find(p.targets.begin(), p.targets.end(), "cpu") != p.targets.end();
    if (!of_processor || p.available == nullptr || (p.name == "cpu.counters" && counters_obstacle().empty()))
      continue;
    CAPTURE(p.name);
    CHECK(weaker.find(p.name) != std::string::npos);
    ++with_tool;
  }
  CHECK(with_tool >= 5);
}

TEST_CASE("the doctor says whether hardware counters and the pipeline's slots are counted, and if not, why") {
  const auto hardware = make_target("cpu", "/nowhere");
  REQUIRE(hardware);
  const auto rows = (*hardware)->doctor();
  const auto obstacle = counters_obstacle();
  for (const auto* item : {"counters", "top-down"}) {
    CAPTURE(item);
    const auto* r = row_of(rows, item);
    REQUIRE(r != nullptr);
    if (!obstacle.empty()) {
      CHECK(r->state == doctor_row::state::weaker);
      CHECK(r->detail.find(obstacle) != std::string::npos);
    }
    CHECK((r->state == doctor_row::state::ok) == r->remedy.empty());
  }
}
