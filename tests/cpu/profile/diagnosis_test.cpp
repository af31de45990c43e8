// Findings from figures.
#include "backends/cpu/profile/diagnosis.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

// A loop of 1000 rounds at 4 cycles of 0.25 ns, which the model explains.
cpu_facts plain() {
  cpu_facts f;
  f.call_ns = 1000.0;
  f.array_bytes = 8192;
  f.hot = source_loop{4, 6, 1.0, 1000.0};
  f.mix.instructions = 6;
  f.mix.loads = 1;
  f.mix.packed = 1;
  f.mix.access_bytes = 4;
  f.cycles = 4.0;
  f.throughput_cycles = 3.9;
  f.busiest = "FPU0";
  f.busiest_cycles = 3.9;
  f.bottleneck = "port";
  f.cycle_ns = 0.25;
  f.flops_rate = 1e11;
  f.levels = {{{"l1", 32768, 1e12, 1e12, 1},
               {"l2", 524288, 1e11, 1e11, 4},
               {"l3", 1 << 25, 4e10, 4e10, 15},
               {"dram", 0, 1e10, 1e10, 90}}};
  return f;
}

bound_class dominant(const cpu_facts& f) {
  return diagnose(f).front().bound;
}

} // namespace

TEST_CASE("names the busy unit that the model finds") {
  CHECK(dominant(plain()) == bound_class::port_pressure);
  CHECK(diagnose(plain()).front().lines.front().first == 4);
}

TEST_CASE("names a chain when rounds wait for results") {
  auto f = plain();
  f.bottleneck = "dependency";
  f.throughput_cycles = 1.0;
  CHECK(dominant(f) == bound_class::latency_chain);
  f.freed_cycles = 1.0;
  CHECK(dominant(f) == bound_class::false_dependence);
}

TEST_CASE("believes an experiment before a model") {
  auto f = plain();
  f.experiments["flush_to_zero"] = {"", 5.0, 4.5};
  CHECK(dominant(f) == bound_class::denormals);
  f.experiments["flush_to_zero"] = {"", 5.0, 1.0}; // not surely a gain
  CHECK(dominant(f) == bound_class::port_pressure);
}

TEST_CASE("asks for wrong predictions before it blames branches for a gain on sorted values") {
  auto f = plain();
  f.experiments["sorted_values"] = {"x", 4.0, 3.5};
  CHECK(dominant(f) == bound_class::port_pressure);
  f.branch_misses = 200.0;
  CHECK(dominant(f) == bound_class::branch_misses);
}

TEST_CASE("tells the bandwidth of a level from the latency of its accesses") {
  auto f = plain();
  f.call_ns = 1e6;
  f.hot->rounds = 1e6;
  f.array_bytes = 1 << 20;
  f.mix.access_bytes = 35; // 35 GB/s of 40
  CHECK(dominant(f) == bound_class::l3_bandwidth);
  f.mix.access_bytes = 4;
  f.experiments["smaller_set"] = {"", 6.0, 5.0};
  CHECK(dominant(f) == bound_class::cache_misses);
}

TEST_CASE("infers waiting for memory where the units explain little and no experiment came in time") {
  auto f = plain();
  f.call_ns = 10'000.0; // ten times what the model says
  f.array_bytes = 1 << 22;
  f.mix.branches = 1;
  CHECK(dominant(f) == bound_class::cache_misses);
  f.mix.branches = 2; // wrong predictions are as likely
  CHECK(dominant(f) == bound_class::port_pressure);
  f.mix.branches = 1;
  f.array_bytes = 8192; // in the nearest cache there is nothing to wait for
  CHECK(dominant(f) == bound_class::port_pressure);
  f.array_bytes = 1 << 22;
  f.experiments["smaller_set"] = {"", 1.0, 0.9}; // tried, and it is no faster on a small set
  CHECK(dominant(f) == bound_class::port_pressure);
}

TEST_CASE("knows nothing without figures") {
  CHECK(dominant({}) == bound_class::unknown);
}
