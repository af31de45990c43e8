#include "backends/judge/native/noise_monitor.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace kevolve;

TEST_CASE("stolen time is column 8 and idle time columns 4 and 5 of the named cores") {
  const std::string text = "cpu  1 2 3 4 5 6 7 600 9 9\n"
                           "cpu0 1 2 3 4 5 6 7 100 9 9\n"
                           "cpu1 1 2 3 4 5 6 7 20 9 9\n"
                           "cpu11 1 2 3 4 5 6 7 3000 9 9\n"
                           "cpu2 1 2 3\n" // kernels without this figure
                           "intr 1 2 3 4 5 6 7 8 9\n";
  CHECK(times_of(text, {0}, 10.0).stolen_ns == 1000.0);
  CHECK(times_of(text, {1}, 10.0).stolen_ns == 200.0);
  CHECK(times_of(text, {0, 1}, 10.0).stolen_ns == 1200.0);
  CHECK(times_of(text, {0, 1}, 10.0).idle_ns == 180.0);
  CHECK(times_of(text, {2, 7}, 10.0).stolen_ns == 0.0);
}

TEST_CASE("the monitor measures the core's own speed before and after a session") {
  const noise_monitor watch{{0}};
  const auto noise = watch.end(12, 3);
  CHECK(noise.probe_before_ns > 1000.0);
  CHECK(noise.probe_after_ns > 1000.0);
  CHECK(noise.wall_ns >= noise.probe_after_ns);
  CHECK(noise.stolen_ns >= 0.0);
  CHECK(noise.tick_ns > 0.0);
  CHECK(noise.pairs == 12);
  CHECK(noise.waiting_pairs == 3);
}
