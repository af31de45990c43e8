// Tests reading Nsight Compute's table and the text made from it.
#include "backends/nvidia/profile.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace kevolve;

namespace {

constexpr const char* table = R"csv(==PROF== Connected to process 4711 (/opt/kevolve-runner-cuda)
==PROF== Profiling "softmax": 0%....50%....100% - 12 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__throughput.avg.pct_of_peak_sustained_elapsed","gpu__time_duration.sum","launch__registers_per_thread","lts__t_sector_hit_rate.pct","sm__throughput.avg.pct_of_peak_sustained_elapsed","smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio","smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"
"","","","","","","","","","","","%","ns","register/thread","%","%","inst","inst"
"0","4711","kevolve-runner-cuda","127.0.0.1","first, ""quoted""","1","7","(256, 1, 1)","(64, 1, 1)","0","9.0","12.5","1,500","32","50.25","10","n/a","3.5"
"1","4711","kevolve-runner-cuda","127.0.0.1","softmax","1","7","(256, 1, 1)","(64, 1, 1)","0","9.0","81.25","4500","40","75","20","0.5","7.25"
)csv";

} // namespace

TEST_CASE("reads the profiler's table: kernels in order, numbers with commas, missing values left out") {
  const auto kernels = read_ncu_table(table);
  REQUIRE_MESSAGE(kernels.has_value(), kernels.error().detail);
  REQUIRE(kernels->size() == 2);
  const auto& first = kernels->front();
  CHECK(first.name == "first, \"quoted\"");
  CHECK(first.counters.at("duration_ns") == 1500.0);
  CHECK(first.counters.at("registers") == 32.0);
  CHECK(first.counters.at("stall.long_scoreboard") == 3.5);
  CHECK(first.counters.count("stall.barrier") == 0);
  CHECK(first.counters.count("tensor_percent") == 0);
  const auto told = nlohmann::json::parse(profile_json(*kernels));
  CHECK(told[1]["kernel"] == "softmax");
  CHECK(told[1]["dram_percent"] == 81.25);
  const auto words = profile_words(*kernels);
  CHECK_MESSAGE(words.find("kernel 'softmax' takes 75") != std::string::npos, words);
  CHECK(words.find("of the call's 2 launches") != std::string::npos);
  CHECK(words.find("81.2") != std::string::npos);
  CHECK(words.find("an instruction waits 7.25 cycles for global or local memory, 0.5") != std::string::npos);
}

TEST_CASE("a profiler without permission says so, and invalid tables are rejected") {
  const auto forbidden =
      read_ncu_table("==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM - The user does not "
                     "have permission to access NVIDIA GPU Performance Counters\n");
  REQUIRE(!forbidden);
  CHECK(forbidden.error().code == errc::unavailable);
  CHECK(forbidden.error().detail.starts_with("ERR_NVGPUCTRPERM"));
  CHECK(!read_ncu_table(""));
  CHECK(!read_ncu_table("\"ID\",\"Kernel Name\"\n\"\",\"\"\n"));
  const auto short_row = read_ncu_table("\"ID\",\"Kernel Name\"\n\"\",\"\"\n\"0\"\n");
  REQUIRE(!short_row);
  CHECK(short_row.error().detail.find("row 2") != std::string::npos);
  CHECK(!read_ncu_table("\"ID\",\"Name\"\n\"\",\"\"\n\"0\",\"x\"\n"));
  CHECK(profile_words({}).empty());
}
