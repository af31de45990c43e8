// Tests occupancy against NVIDIA's calculator, and the bottleneck of a call.
#include "backends/nvidia/bottleneck.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

device_limits h200() {
  auto out = published_limits(90);
  out.multiprocessors = 132;
  return out;
}

resolved_launch launch(uint32_t grid, uint32_t threads, uint32_t shared = 0) {
  resolved_launch out;
  out.kernel = "k";
  out.grid = {grid, 1, 1};
  out.block = {threads, 1, 1};
  out.shared = shared;
  return out;
}

kernel_facts with(uint32_t registers, uint32_t static_shared = 0) {
  kernel_facts out;
  out.registers = registers;
  out.static_shared = static_shared;
  return out;
}

struct row {
  uint32_t threads;
  uint32_t registers;
  uint32_t shared;
  uint32_t capability;
  uint32_t blocks;
  const char* limit;
};

const row rows[]{
    {256, 32, 0, 90, 8, "threads"},
    {256, 64, 0, 90, 4, "registers"},
    {128, 255, 0, 90, 2, "registers"},
    {32, 16, 0, 90, 32, "blocks"},
    {128, 32, 65'536, 90, 3, "shared memory"},
    {128, 32, 232'448, 90, 1, "shared memory"},
    {100, 32, 0, 90, 16, "threads"}, // warps are allocated as a whole
    {1024, 32, 0, 86, 1, "threads"},
    {64, 16, 0, 86, 16, "blocks"},
    {64, 16, 0, 89, 24, "blocks"},
    {128, 32, 100'000, 80, 1, "shared memory"},
    {1024, 64, 0, 90, 1, "registers"},
};

} // namespace

TEST_CASE("occupancy is limited by the scarcest resource") {
  for (const auto& r : rows) {
    auto device = h200();
    device.capability = r.capability;
    const auto o = occupancy_of(launch(1000, r.threads, r.shared), with(r.registers), device);
    CAPTURE(r.threads);
    CAPTURE(r.registers);
    CAPTURE(r.shared);
    CAPTURE(r.capability);
    CHECK(o.blocks == r.blocks);
    CHECK(o.limit == r.limit);
  }
  const auto o = occupancy_of(launch(264, 256), with(128), h200());
  CHECK(o.blocks == 2);
  CHECK(o.threads == doctest::Approx(0.25));
  CHECK(o.waves == doctest::Approx(1.0));
  // Includes static shared memory.
  CHECK(occupancy_of(launch(1, 128, 0), with(32, 50'000), h200()).limit == "shared memory");
  auto unknown = h200();
  unknown.capability = 120;
  CHECK(occupancy_of(launch(1, 32), with(32), unknown).blocks == 0);
}

TEST_CASE("the bottleneck is the nearest roof, else the unused part of the device") {
  const filled full{"k", occupancy_of(launch(10'000, 256), with(32), h200())};
  const filled thin{"k", occupancy_of(launch(20, 256), with(32), h200())};
  const filled fat{"k", occupancy_of(launch(10'000, 128, 200'000), with(32), h200())};
  CHECK(bottleneck_of({100e3, 80e3, 10e3, 3e3}, {full}).bound == "memory");
  CHECK(bottleneck_of({100e3, 10e3, 80e3, 3e3}, {full}).bound == "compute");
  CHECK(bottleneck_of({5e3, 1e3, 1e3, 3e3}, {full}).bound == "launch");
  CHECK(bottleneck_of({100e3, 10e3, 10e3, 3e3}, {thin}).bound == "occupancy"); // 20 of 132 multiprocessors work
  CHECK(bottleneck_of({100e3, 10e3, 10e3, 3e3}, {full, fat}).bound == "occupancy");
  CHECK(bottleneck_of({100e3, 10e3, 10e3, 3e3}, {full}).bound == "latency");
  CHECK(bottleneck_of({100e3, 0, 0, 0}, {full}).bound.empty()); // no work was declared
  CHECK(bottleneck_of({0, 1, 1, 1}, {full}).bound.empty());
  const auto b = bottleneck_of({100e3, 10e3, 20e3, 3e3}, {full, fat});
  for (const auto* says : {"10 % of the memory's rate", "20 % of the peak arithmetic", "3 % of the call",
                           "1 block a multiprocessor", "limit: shared memory"})
    CHECK_MESSAGE(b.why.find(says) != std::string::npos, b.why);
}

TEST_CASE("the kernel that takes most of the time is chosen among several") {
  const auto filled_with = [](const char* name, double threads, double took_ns) {
    filled out;
    out.kernel = name;
    out.how.blocks = 1;
    out.how.threads = threads;
    out.how.waves = 4.0;
    out.how.limit = "registers";
    out.took_ns = took_ns;
    return out;
  };
  const std::vector<filled> launches{filled_with("prepare", 0.05, 3'000), filled_with("product", 0.9, 90'000),
                                     filled_with("finish", 0.5, 7'000)};
  REQUIRE(telling_kernel(launches) != nullptr);
  CHECK(telling_kernel(launches)->kernel == "product");
  const auto found = bottleneck_of({100'000, 20'000, 30'000, 3'000}, launches);
  CHECK(found.bound == "latency"); // not the occupancy of a kernel that takes 3 %
  CHECK(found.why.find("product has") != std::string::npos);
  CHECK(found.why.find("takes 90 % of the kernels' time") != std::string::npos);
  // Several short launches of one kernel count together.
  const std::vector<filled> many{filled_with("step", 0.5, 40), filled_with("sum", 0.5, 60),
                                 filled_with("step", 0.5, 45)};
  CHECK(telling_kernel(many)->took_ns == 45.0);
  // Without times, the one that fills the device least.
  CHECK(telling_kernel({filled_with("prepare", 0.05, 0), filled_with("product", 0.9, 0)})->kernel == "prepare");
  CHECK(telling_kernel({}) == nullptr);
}
