#include "backends/cpu/performance_unit.hpp"
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
       {expected{"loop probes", "trip counts", "llvm-19-dev"}, expected{"llvm-mca", "hottest loop", "llvm-19"},
        expected{"valgrind", "exact counts", "valgrind"}}) {
    CAPTURE(e.item);
    const auto* r = row_of(rows, e.item);
    REQUIRE(r != nullptr);
    CHECK(r->state == doctor_row::state::weaker);
    CHECK(r->detail.find(e.lost) != std::string::npos);
    CHECK(r->remedy.find(e.package) != std::string::npos);
  }
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
