// From readings of hardware counters to the counts of a call. Needs no counters.
#include "backends/cpu/profile/counter_values.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("a counter that shared the processor's with others is scaled, and one that never ran is none") {
  CHECK(scaled_count({600, 1000, 1000}) == doctest::Approx(600.0));
  CHECK(scaled_count({600, 1000, 250}) == doctest::Approx(2400.0));
  CHECK(scaled_count({600, 1000, 0}) == -1.0);
}

TEST_CASE("the counts of a call are the difference of two runs, by the calls between them") {
  const auto out = counters_of_call({{"cycles", 1000.0}, {"branches", 70.0}, {"l1_loads", 5.0}},
                                    {{"cycles", 5000.0}, {"branches", 60.0}, {"tlb_misses", 9.0}}, 40.0, 0.0);
  CHECK(out.counts.at("cycles") == doctest::Approx(100.0));
  CHECK(out.counts.at("branches") == 0.0);        // fewer than without the calls: noise
  CHECK_FALSE(out.counts.contains("l1_loads"));   // the second run did not count it
  CHECK_FALSE(out.counts.contains("tlb_misses")); // nor the first this one
  CHECK(out.top_down.empty());
}

TEST_CASE("slots become shares of the pipeline, and stand among no other counts") {
  const std::string slots = slot_prefix;
  const auto out =
      counters_of_call({{slots + "slots", 100.0}, {slots + "retiring", 50.0}, {"cycles", 10.0}},
                       {{slots + "slots", 1100.0}, {slots + "retiring", 350.0}, {"cycles", 30.0}}, 1.0, 0.0);
  CHECK(out.top_down.at("retiring") == doctest::Approx(0.3));
  CHECK(out.counts == counter_values{{"cycles", 20.0}});
}
