// The diagnosis of device code, on figures as Nsight Compute, the time line and the build give them.
#include "actors/evaluation/diagnosis.hpp"
#include "backends/nvidia/profile/diagnosis.hpp"
#include "backends/profile/pass.hpp"
#include "schema_check.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

using namespace kevolve;
using nlohmann::json;

namespace {

// Returns a kernel of one millisecond that fills the device and keeps no unit busy.
json idle_counters() {
  return {{"kernel", "work"},          {"duration_ns", 1e6},         {"warps_percent", 90.0}, {"dram_percent", 5.0},
          {"l2_percent", 5.0},         {"l1_percent", 5.0},          {"fma_percent", 4.0},    {"issue_percent", 5.0},
          {"instructions", 1e6},       {"sm_cycles", 1e8},           {"load_sectors", 4e6},   {"load_requests", 1e6},
          {"active_cycles_mean", 7e5}, {"active_cycles_most", 7.1e5}};
}

artefacts with(const json& counters) {
  artefacts out;
  out[artefact_kind::source] = "/* plan */\nextern \"C\" __global__ void work(float *x) {\n  x[0] = 1.0f;\n}\n";
  out[artefact_kind::profile] = json::array({counters}).dump();
  out[artefact_kind::resources] =
      R"([{"kernel":"work","launches":1,"occupancy":1.0,"limit":"threads","waves":40.0,"registers":32}])";
  out[artefact_kind::assembly] =
      R"([{"kernel":"work","instructions":100,"mix":{"global_load":4},"widths":{"global_load.32":4}}])";
  return out;
}

json changed(const json& changes) {
  auto out = idle_counters();
  out.update(changes);
  return out;
}

finding first_of(const artefacts& have) {
  const auto found = diagnose_device(device_facts_of(have));
  REQUIRE_FALSE(found.empty());
  return found.front();
}

} // namespace

TEST_CASE("each counter that stands out names its bottleneck, with the kernel's lines and the figure") {
  struct planted {
    json counters;
    bound_class bound;
    const char* figure;
  };
  for (const auto& [counters, bound, figure] : std::vector<planted>{
           {{{"dram_percent", 88.0}, {"l2_percent", 60.0}}, bound_class::memory_bandwidth, "dram_percent"},
           {{{"l2_percent", 80.0}, {"l1_percent", 50.0}}, bound_class::l2_bandwidth, "l2_percent"},
           {{{"fma_percent", 90.0}}, bound_class::compute, "fma_percent"},
           {{{"tensor_percent", 85.0}}, bound_class::compute, "tensor_percent"},
           {{{"shared_conflicts", 9e7}, {"l1_percent", 95.0}}, bound_class::bank_conflicts, "conflicts"},
           {{{"load_sectors", 3.2e7}, {"l1_percent", 90.0}, {"dram_percent", 30.0}},
            bound_class::uncoalesced,
            "wasted_share"},
           {{{"local_instructions", 2e5}, {"local_stores", 1e5}, {"l1_percent", 80.0}},
            bound_class::spilling,
            "local_instructions"},
           {{{"active_cycles_mean", 4e5}, {"active_cycles_most", 8e5}, {"fma_percent", 60.0}},
            bound_class::tail_effect,
            "idle_share"},
           {{{"warps_percent", 6.0}}, bound_class::occupancy, "warps_percent"},
           {json::object(), bound_class::latency_chain, "idle_share"}}) {
    CAPTURE(to_string(bound));
    const auto f = first_of(with(changed(counters)));
    CHECK(to_string(f.bound) == to_string(bound));
    CHECK(f.evidence.contains(figure));
    CHECK(f.confidence >= 0.7);
    REQUIRE(f.lines.size() == 1);
    CHECK(f.lines[0].first == 2);
    CHECK(f.lines[0].last == 4);
  }
}

TEST_CASE("128-bit accesses need sixteen sectors a request, and count as coalesced") {
  auto have = with(changed({{"load_sectors", 1.6e7}, {"l2_percent", 70.0}}));
  CHECK(first_of(have).bound == bound_class::uncoalesced);
  have[artefact_kind::assembly] =
      R"([{"kernel":"work","instructions":100,"mix":{"global_load":4},"widths":{"global_load.128":4}}])";
  CHECK(first_of(have).bound == bound_class::l2_bandwidth);
  // A loop of wide accesses may have a long remainder of narrow ones, which hardly runs: softmax_f16.cu on an H200.
  have[artefact_kind::assembly] =
      R"([{"kernel":"work","instructions":100,"mix":{"global_load":9},"widths":{"global_load.128":1,"global_load.16":8}}])";
  CHECK(first_of(have).bound == bound_class::l2_bandwidth);
}

TEST_CASE("launches that an empty kernel would take as long for are the call's overhead, and shrink all other shares") {
  auto have = with(changed({{"dram_percent", 90.0}}));
  have[artefact_kind::device_trace] = R"({"call_ns":10000.0,"empty_ns":8000.0,"gaps_ns":3000.0,"busy_ns":6000.0,
    "host_ns":20000.0,"launches":4,"source":"cupti","kernels":[{"kernel":"work","start_ns":0,"ns":6000}]})";
  const auto found = diagnose_device(device_facts_of(have));
  REQUIRE(found.size() >= 2);
  CHECK(found[0].bound == bound_class::call_overhead);
  CHECK(found[0].share == doctest::Approx(0.8));
  CHECK(found[0].words.find("idle between kernels for 30 %") != std::string::npos);
  CHECK(found[1].bound == bound_class::memory_bandwidth);
  CHECK(found[1].share == doctest::Approx(0.9 * 0.2));
}

TEST_CASE("a grid that does not fill the device once is too few threads, not a last wave") {
  auto have = with(changed({{"active_cycles_mean", 4e5}, {"active_cycles_most", 8e5}, {"fma_percent", 60.0}}));
  have[artefact_kind::resources] =
      R"([{"kernel":"work","launches":1,"occupancy":1.0,"limit":"threads","waves":0.48,"registers":32}])";
  const auto f = first_of(have);
  CHECK(f.bound == bound_class::occupancy);
  CHECK(f.words.find("its grid fills 48 % of the device") != std::string::npos);
}

TEST_CASE("a last wave comes before the arithmetic of the waves that are full") {
  const auto f = first_of(with(changed({{"active_cycles_mean", 166'063.0},
                                        {"active_cycles_most", 329'249.0},
                                        {"fma_percent", 97.1},
                                        {"issue_percent", 98.4}})));
  CHECK(f.bound == bound_class::tail_effect);
}

TEST_CASE("the kernel that takes more time weighs more than the other") {
  auto slow = changed({{"duration_ns", 9e6}, {"dram_percent", 80.0}});
  auto quick = changed({{"kernel", "other"}, {"fma_percent", 95.0}});
  auto have = with(slow);
  have[artefact_kind::profile] = json::array({slow, quick}).dump();
  const auto f = first_of(have);
  CHECK(f.bound == bound_class::memory_bandwidth);
  CHECK(f.share == doctest::Approx(0.8 * 0.9));
}

TEST_CASE("without counters the build names occupancy with its limit, waves and spills, with less confidence") {
  auto have = with(idle_counters());
  have.erase(artefact_kind::profile);
  have[artefact_kind::resources] =
      R"([{"kernel":"work","launches":1,"occupancy":0.03,"limit":"shared memory","waves":1.01,"registers":255}])";
  have[artefact_kind::assembly] = R"([{"kernel":"work","instructions":100,"mix":{"local_load":9,"local_store":6}}])";
  const auto found = diagnose_device(device_facts_of(have));
  const auto has = [&](bound_class b, double confidence) {
    return std::any_of(found.begin(), found.end(),
                       [&](const auto& f) { return f.bound == b && f.confidence == doctest::Approx(confidence); });
  };
  CHECK(has(bound_class::occupancy, 0.5));
  CHECK(has(bound_class::tail_effect, 0.5));
  CHECK(has(bound_class::spilling, 0.3));
  CHECK(found.front().words.find("limited by shared memory") != std::string::npos);
}

TEST_CASE("the artefacts that an H200 gave of the kernels with a planted bottleneck name it") {
  const auto folder = std::string{std::getenv("KEVOLVE_SOURCE")} + "/tests/";
  std::ifstream recorded{folder + "profile/h200_artefacts.json"};
  std::ifstream listed{folder + "diagnosis/cuda/planted.json"};
  const auto all = json::parse(recorded);
  const auto planted = json::parse(listed);
  REQUIRE(planted.size() >= 13);
  for (const auto& row : planted) {
    CAPTURE(row.dump());
    artefacts have;
    for (const auto& [kind, content] : all.at(row["task"].get<std::string>()).items())
      have[*parse_enum<artefact_kind>(kind)] = content.dump();
    CHECK(to_string(first_of(have).bound) == row["planted"].get<std::string>());
  }
}

TEST_CASE("a device's diagnosis fits the schema, and its kernels are the trace's events") {
  auto have = with(idle_counters());
  have[artefact_kind::device_trace] = R"({"call_ns":10000.0,"empty_ns":2000.0,"gaps_ns":1000.0,"launches":2,
    "source":"events","kernels":[{"kernel":"work","start_ns":0,"ns":4000},{"kernel":"work","start_ns":5000,"ns":4500}]})";
  diagnosis_facts facts;
  facts.task = "t";
  facts.target = "cuda";
  facts.shape = "n=1";
  facts.source = have[artefact_kind::source];
  facts.have = have;
  facts.findings = diagnose_device(device_facts_of(have));
  const auto d = diagnosis_of(facts);
  std::ifstream in{std::string{std::getenv("KEVOLVE_SOURCE")} + "/docs/diagnosis.schema.json"};
  const auto rules = json::parse(in);
  CHECK(test::misfit(rules, rules, d) == "");
  REQUIRE(d["kernels"].size() == 1);
  CHECK(d["kernels"][0]["launches"] == 2);
  CHECK(d["kernels"][0]["ns"] == 8500.0);
  CHECK(d["kernels"][0]["limit"] == "threads");
  CHECK(d["probed_call_ns"] == 10000.0);
  const auto events = chrome_trace(d)["traceEvents"];
  REQUIRE(events.size() == 3);
  CHECK(events[2]["name"] == "work");
  CHECK(events[2]["ts"] == 5.0);
  CHECK(events[2]["dur"] == 4.5);
}

TEST_CASE("a kernel's lines are found in CUDA C++ and in Triton, not at its calls") {
  const std::string cuda = "// work()\n__global__ void workers(int) {}\nextern \"C\" __global__ void\n"
                           "__launch_bounds__(64) work(int n) {\n  if (n) {\n  }\n}\nint other;\n";
  const auto lines = lines_of_kernel(cuda, "work");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].first == 4);
  CHECK(lines[0].last == 7);
  const auto python = lines_of_kernel("\"\"\"plan\"\"\"\nimport triton\n\n@triton.jit\ndef work(x,\n         y):\n    "
                                      "pass\n    y = work2(x)\n\n\ndef f():\n    pass\n",
                                      "work");
  REQUIRE(python.size() == 1);
  CHECK(python[0].first == 5);
  CHECK(python[0].last == 8);
  CHECK(lines_of_kernel("int x;", "work").empty());
}

TEST_CASE("explain does not choose passes that run a tool") {
  for (const auto* name : {"gpu.code", "amd.code"}) {
    const auto* pass = find_pass(name);
    REQUIRE(pass != nullptr);
    CHECK(pass->use == pass_use::compiler);
  }
  CHECK(find_pass("gpu.occupancy")->use == pass_use::nothing);
}
