#include "backends/cpu/judge/core_turn.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <thread>

using namespace kevolve;
using namespace std::chrono_literals;

namespace {

result<core_turn> take(std::chrono::milliseconds limit, int* waits = nullptr, bool given_up = false) {
  return core_turn::take(0, limit, [waits] { *waits += waits != nullptr ? 1 : 0; }, [given_up] { return given_up; });
}

} // namespace

TEST_CASE("a core has one turn at a time, and a waiter gets the next") {
  int waits = 0;
  auto first = take(10s, &waits);
  REQUIRE(first);
  CHECK(waits == 0);
  auto refused = take(1ms, &waits);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::timed_out);
  auto left = take(10s, &waits, true);
  REQUIRE_FALSE(left);
  CHECK(left.error().code == errc::cancelled);
  CHECK(waits == 2);
  CHECK_FALSE(take(1500ms, &waits));
  CHECK(waits >= 4); // once more within the second
  std::optional<core_turn> held{std::move(*first)};
  std::thread other{[&] { held.reset(); }};
  CHECK(take(60s, &waits));
  other.join();
}

TEST_CASE("turns at different cores do not wait for each other, nor at a core that the kernel does not show") {
  auto here = take(10s);
  REQUIRE(here);
  for (auto core : {1, 100'000}) {
    int waits = 0;
    CHECK(core_turn::take(core, 60s, [&] { ++waits; }, [] { return false; }));
    CHECK(waits == 0);
  }
}
