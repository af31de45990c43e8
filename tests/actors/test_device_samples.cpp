// Tests which samples are stored and how long they are kept.
#include "actors/devices/device_samples.hpp"

#include "runtime/base/codec.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace kevolve;
using namespace std::chrono_literals;

namespace {

device_record record(int64_t time_ns, const std::string& state = "fit") {
  device_record out;
  out.state = state;
  out.sample.time_ns = time_ns;
  return out;
}

} // namespace

TEST_CASE("the first sample is stored, then one every ten seconds") {
  CHECK(worth_storing({}, record(1), 0s));
  const auto kept = record(1);
  CHECK_FALSE(worth_storing(kept, record(2), 9'999ms));
  CHECK(worth_storing(kept, record(2), 10s));
  CHECK_FALSE(worth_storing(kept, record(1), 1h)); // equals the previous one
  CHECK_FALSE(worth_storing({}, record(0), 1h));   // contains nothing
}

TEST_CASE("the beginning and end of throttling are stored at once") {
  const auto free = record(1);
  auto slow = record(2);
  slow.sample.throttled_by = {{"sw_power_cap"}};
  CHECK(worth_storing(free, slow, 0s));
  CHECK(worth_storing(slow, record(3), 0s));
  auto hot = slow;
  hot.sample.time_ns = 3;
  CHECK_FALSE(worth_storing(slow, hot, 0s));
  hot.sample.throttled_by->push_back("hw_thermal_slowdown");
  CHECK(worth_storing(slow, hot, 0s));
}

TEST_CASE("the beginning and end of a quarantine are stored at once, with or without a sample; suspicions are not") {
  CHECK(worth_storing(record(1), record(1, "quarantined"), 0s));
  CHECK(worth_storing(record(0, "quarantined"), record(0), 0s));
  CHECK(worth_storing({}, record(0, "quarantined"), 0s));
  CHECK_FALSE(worth_storing(record(0, "quarantined"), record(0, "quarantined"), 1h));
  CHECK_FALSE(worth_storing(record(1), record(1, "suspect"), 0s));
  CHECK_FALSE(worth_storing(record(1, "unproven"), record(1), 0s));
}

TEST_CASE("a device has a fixed number of stored samples, and the newest are kept") {
  std::set<std::string> places;
  for (uint64_t serial = 1; serial <= 2 * samples_kept; ++serial)
    places.insert(sample_key("cuda:1", serial));
  CHECK(places.size() == samples_kept);
  CHECK_FALSE(places.contains(sample_key("cuda:10", 1)));
  using serials = std::vector<uint64_t>;
  CHECK(serials_there(0, 0, 10).empty());
  CHECK(serials_there(3, 3, 10) == serials{3, 2, 1});
  CHECK(serials_there(3, 3, 2) == serials{3, 2});
  CHECK(serials_there(3, 1, 2) == serials{1});
  CHECK(serials_there(3, 9, 1) == serials{3});
  const auto late = 5 * samples_kept;
  CHECK(serials_there(late, late, UINT64_MAX).size() == samples_kept);
  CHECK(serials_there(late, late - samples_kept + 1, 10) == serials{late - samples_kept + 1});
  CHECK(serials_there(late, 4, 10).empty());
}

TEST_CASE("a sample keeps known values through serialisation, and unknown ones stay unknown") {
  device_sample s;
  s.time_ns = 7;
  s.clocks_mhz["memory"] = 0; // zero is a reported value
  s.celsius = -3;
  s.throttled_by.emplace();
  const auto back = decode<device_sample>(encode(s));
  REQUIRE(back);
  CHECK(back->time_ns == 7);
  CHECK(back->clocks_mhz == s.clocks_mhz);
  CHECK(back->celsius == -3);
  REQUIRE(back->throttled_by);
  CHECK(back->throttled_by->empty());
  CHECK_FALSE(back->milliwatts);
  CHECK_FALSE(back->foreign_processes);
}
