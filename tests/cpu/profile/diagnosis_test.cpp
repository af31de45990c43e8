// Findings from figures.
#include "backends/cpu/profile/diagnosis.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

// Returns a loop of 1000 rounds at 4 cycles of 0.25 ns, which the model explains.
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
  f.throughput_cycles = 3.5; // most of the time a unit is busy all the same
  CHECK(dominant(f) == bound_class::port_pressure);
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

TEST_CASE("calls a short call overhead") {
  auto f = plain();
  f.call_ns = 12.0;
  CHECK(dominant(f) == bound_class::call_overhead);
  f.call_ns = 61.0;
  CHECK(dominant(f) != bound_class::call_overhead);
}

TEST_CASE("blames small pages where the call was timed in them, and hardly else") {
  auto f = plain();
  f.experiments["huge_pages"] = {"", 3.0, 2.8};
  CHECK(dominant(f) == bound_class::tlb_misses);
  f.small_pages = false;
  CHECK(dominant(f) == bound_class::port_pressure);
}

TEST_CASE("leaves to the caches what simulated misses explain, where pages matter") {
  auto f = plain();
  f.call_ns = 10'000.0;
  f.hot->rounds = 10'000.0;
  f.bottleneck.clear();
  f.array_bytes = 1 << 22;
  f.experiments["huge_pages"] = {"", 1.5, 1.4};
  f.experiments["smaller_set"] = {"", 16.0, 14.0};
  CHECK(dominant(f) == bound_class::cache_misses);
  f.l1_misses = 1000.0; // 15 ns each, ten at a time
  f.last_level_misses = 10.0;
  CHECK(dominant(f) == bound_class::tlb_misses);
  f.last_level_misses = 1000.0; // 90 ns each
  CHECK(dominant(f) == bound_class::cache_misses);
}

TEST_CASE("blames the offset within a page where a moved array is faster") {
  auto f = plain();
  f.experiments["moved_array"] = {"y", 3.0, 2.7};
  CHECK(dominant(f) == bound_class::aliasing_4k);
}

TEST_CASE("blames cache misses where other indices are faster, or where simulated misses explain the time") {
  auto f = plain();
  f.array_bytes = 1 << 22;
  f.experiments["sorted_values"] = {"x", 8.0, 7.0};
  CHECK(dominant(f) == bound_class::cache_misses);
  f = plain();
  f.array_bytes = 1 << 22;
  f.call_ns = 10'000.0;
  f.mix.branches = 2;
  f.l1_misses = 5000.0;
  CHECK(dominant(f) == bound_class::cache_misses);
  f.l1_misses = 1000.0; // ten at a time they take a seventh of the call
  CHECK(dominant(f) == bound_class::port_pressure);
}

TEST_CASE("leaves to a small set what wrong predictions do not take already") {
  auto f = plain();
  f.array_bytes = 1 << 22;
  f.branch_misses = 200.0;
  f.experiments["sorted_values"] = {"x", 2.0, 1.9};
  f.experiments["smaller_set"] = {"", 2.0, 1.8};
  for (const auto& x : diagnose(f))
    if (x.bound == bound_class::cache_misses)
      CHECK(x.share == doctest::Approx(0.0));
  f.experiments.erase("sorted_values");
  f.branch_misses = 0.0;
  for (const auto& x : diagnose(f))
    if (x.bound == bound_class::cache_misses)
      CHECK(x.share == doctest::Approx(0.5));
}

TEST_CASE("names the slots of the pipeline that are lost, where there are many") {
  struct row {
    const char* slots;
    double share;
    bound_class expected;
  };
  for (const auto& r : {row{"front_end", 0.7, bound_class::front_end},
                        {"bad_speculation", 0.7, bound_class::branch_misses},
                        {"memory_bound", 0.95, bound_class::cache_misses},
                        {"front_end", 0.1, bound_class::port_pressure},
                        {"retiring", 0.9, bound_class::port_pressure}}) {
    CAPTURE(r.slots);
    auto f = plain();
    f.array_bytes = 1 << 22;
    f.top_down[r.slots] = r.share;
    CHECK(dominant(f) == r.expected);
  }
  auto f = plain(); // its arrays are in the nearest cache
  f.top_down["memory_bound"] = 0.95;
  CHECK(dominant(f) == bound_class::port_pressure);
}

TEST_CASE("names what the machine code of the hottest loop shows") {
  auto f = plain();
  f.bottleneck.clear();
  f.code_bytes = 40'000.0;
  CHECK(dominant(f) == bound_class::front_end);
  f.code_bytes = 0.0;
  f.mix.blocked_forwards = 1;
  f.call_ns = 4000.0;
  CHECK(dominant(f) == bound_class::store_forwarding);
  f = plain();
  f.mix.instructions = 40;
  f.mix.stack_accesses = 20;
  CHECK(dominant(f) == bound_class::spilling);
  f.mix.instructions = 10;
  f.mix.stack_accesses = 7; // a few are no spilling
  CHECK(dominant(f) == bound_class::port_pressure);
}

TEST_CASE("names the peak that the hottest loop is near") {
  auto f = plain();
  f.mix.multiply_adds = 4;
  f.mix.vector_bytes = 32; // 64 GFLOP/s of 100
  CHECK(dominant(f) == bound_class::compute);
  f.mix.multiply_adds = 2;
  CHECK(dominant(f) == bound_class::port_pressure);
  f.mix.access_bytes = 800; // 800 GB/s of 1000
  CHECK(dominant(f) == bound_class::l1_bandwidth);
}

TEST_CASE(
    "says that a loop works on one value at a time, with the compiler's reason, unless rounds wait for each other") {
  auto f = plain();
  f.mix.packed = 0;
  f.bottleneck.clear();
  f.not_vectorised = "the loop has a call";
  CHECK(dominant(f) == bound_class::scalar_code);
  CHECK(diagnose(f).front().words.find("the loop has a call") != std::string::npos);
  f.bottleneck = "dependency";
  f.throughput_cycles = 1.0;
  for (const auto& x : diagnose(f))
    CHECK(x.bound != bound_class::scalar_code);
}

TEST_CASE("a rate near a peak comes before rounds that wait for each other") {
  auto f = plain();
  f.bottleneck = "dependency";
  f.throughput_cycles = 1.0;
  f.mix.access_bytes = 800;
  CHECK(dominant(f) == bound_class::l1_bandwidth);
}

TEST_CASE("knows nothing without figures") {
  CHECK(dominant({}) == bound_class::unknown);
}
